// The facts of a session, redacted for a speaker who is deleted: of each stored session of earlier commits, and of random logs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Fact, FactType, RecordedFact, SequencedFact } from '../../../machines/facts.ts';
import { quoteRules } from '../../../machines/vocabulary.ts';
import { drawOutline } from '../../../src/core/transcript/outline.ts';
import { recover } from '../../../src/core/transcript/recover.ts';
import { deletedWords, redactFacts } from '../../../src/core/transcript/redact.ts';
import { render } from '../../../src/core/transcript/render.ts';
import { pairingProblems } from '../../support/message-pairing.ts';
import { fc } from '../../support/property.ts';
import { broken, unclosed } from './judge.ts';
import { plausibleLogs } from './plausible.ts';

const stores = join(import.meta.dirname, '..', '..', 'fixtures', 'stores');
const sessions = readdirSync(stores).flatMap((commit) =>
  readdirSync(join(stores, commit, 'facts')).map((file) => {
    const lines = readFileSync(join(stores, commit, 'facts', file), 'utf8')
      .trimEnd()
      .split('\n');
    return [`${commit}/${file}`, lines.map((line) => JSON.parse(line) as RecordedFact)] as const;
  }),
);

const sequenced = (facts: readonly RecordedFact[]): readonly SequencedFact[] =>
  facts.map((fact, i) => ({ seq: i + 1, fact }));
const pseudonym = 'deleted_1';
const redact = (facts: readonly RecordedFact[], speaker: string, quotes: (typeof quoteRules)[number]) =>
  redactFacts(sequenced(facts), { speaker, pseudonym, quotes });

/** Returns everything but the words: the same facts in the same order, about the same nodes. */
const skeleton = (facts: readonly Fact[]) =>
  facts.map((fact) => [fact.type, 'turn' in fact && fact.turn, 'node' in fact && fact.node]);

/** Expects that facts which keep the rules keep them when they are redacted. */
function expectWhole(facts: readonly RecordedFact[], redacted: readonly RecordedFact[]): void {
  expect(skeleton(redacted)).toEqual(skeleton(facts));
  expect([broken(redacted), unclosed(redacted)]).toEqual([broken(facts), unclosed(facts)]);
  expect(skeleton(recover(redacted))).toEqual(skeleton(recover(facts)));
  const turns = [...drawOutline(redacted).turns.keys()];
  for (const turn of turns) expect(pairingProblems(render(redacted, { turn, instructions: 'x' }))).toEqual([]);
}

describe.each(sessions)('the session %s, redacted', (_, facts) => {
  test.each(quoteRules)(
    'keeps its rules and its requests, and nothing is found a second time (quotes: %s) [delete.person]',
    (quotes) => {
      const { facts: redacted, changed } = redact(facts, 'ann', quotes);
      expectWhole(facts, redacted);
      expect(changed.every(({ seq, fact }) => redacted[seq - 1] === fact)).toBe(true);
      const again = redact(redacted, 'ann', quotes);
      expect(again.changed).toEqual([]);
      expect(again.quotes.filter(({ became }) => became === 'removed')).toEqual([]);
    },
  );

  test('names the speaker nowhere, and has none of their words [delete.person]', () => {
    const { facts: redacted } = redact(facts, 'ann', 'all');
    expect(JSON.stringify(redacted)).not.toMatch(/"(by|owner|via|to|speaker|lane|requester|addressee)":"ann"/);
    const said = redacted.filter(
      (fact) => fact.type === 'turn_opened' && fact.kind === 'say' && fact.owner === pseudonym,
    );
    for (const fact of said) expect(fact).toMatchObject({ text: expect.stringMatching(/^(\[deleted\])?$/), ref: null });
  });

  test('is the same for a speaker who was never there', () => {
    expect(redact(facts, 'nobody', 'own')).toMatchObject({ changed: [], facts });
  });
});

test('every random log keeps its rules and its requests when a speaker is deleted from it [delete.person]', () => {
  const arbitraries = [plausibleLogs, fc.constantFrom('ann', 'ben', 'cas'), fc.constantFrom(...quoteRules)] as const;
  fc.assert(
    fc.property(...arbitraries, (facts, speaker, quotes) => expectWhole(facts, redact(facts, speaker, quotes).facts)),
    { numRuns: 60 },
  );
});

describe('what may quote the speaker', () => {
  const at = 1;
  const usage = { kind: 'exact', input: 1, output: 1 } as const;
  const turn = (id: string, owner: string, answer: string): readonly RecordedFact[] => [
    {
      type: 'turn_opened',
      turn: id,
      kind: 'say',
      owner,
      lane: owner,
      text: `words of ${owner}`,
      ref: `ref of ${id}`,
      at,
    },
    { type: 'turn_started', turn: id, owner, parent: null, at },
    { type: 'model_started', turn: id, index: 0, at },
    { type: 'model_ended', turn: id, index: 0, outcome: 'completed', text: answer, cutOff: false, usage, at },
    { type: 'turn_ended', turn: id, outcome: 'completed', effect: 'none', usage, at },
  ];
  const summary = (id: string, covers: readonly string[]): RecordedFact => ({
    type: 'history_compacted',
    turn: id,
    upTo: id,
    covers,
    summary: `a summary of ${covers.join()}`,
    usage,
    at,
  });
  const facts = [
    ...turn('turn_1', 'bob', 'before her'),
    summary('turn_1', ['turn_0']),
    ...turn('turn_2', 'ann', 'an answer to her'),
    ...turn('turn_3', 'bob', 'an answer after her'),
    summary('turn_3', ['turn_1', 'turn_2']),
  ];
  const wordsIn = (quotes: (typeof quoteRules)[number]) =>
    redact(facts, 'ann', quotes).facts.flatMap((fact) =>
      fact.type === 'model_ended' ? [fact.text] : fact.type === 'history_compacted' ? [fact.summary] : [],
    );
  const before = ['before her', 'a summary of turn_0'];

  test('is kept, or removed from her turns and the summaries of them, or from later turns too, and named in each case [delete.person.quotes]', () => {
    expect(wordsIn('keep')).toEqual([
      ...before,
      'an answer to her',
      'an answer after her',
      'a summary of turn_1,turn_2',
    ]);
    expect(wordsIn('own')).toEqual([...before, deletedWords, 'an answer after her', deletedWords]);
    expect(wordsIn('all')).toEqual([...before, deletedWords, deletedWords, deletedWords]);
    const named = (quotes: (typeof quoteRules)[number]) =>
      redact(facts, 'ann', quotes).quotes.map(({ type, turn: of, became }) => [type satisfies FactType, of, became]);
    expect(named('own')).toEqual([
      ['model_ended', 'turn_2', 'removed'],
      ['model_ended', 'turn_3', 'kept'],
      ['history_compacted', 'turn_3', 'removed'],
    ]);
    expect(named('keep').map(([, , became]) => became)).toEqual(['kept', 'kept', 'kept']);
    expect(named('all').map(([, , became]) => became)).toEqual(['removed', 'removed', 'removed']);
  });
});
