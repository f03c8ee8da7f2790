// The facts that a fork begins with: of each stored session of earlier commits, cut at each root turn that has settled.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FactOf, RecordedFact } from '../../../machines/facts.ts';
import { noUsage } from '../../../machines/vocabulary.ts';
import { copiedId, noCutAt } from '../../../src/core/transcript/fork.ts';
import { drawOutline } from '../../../src/core/transcript/outline.ts';
import { recover } from '../../../src/core/transcript/recover.ts';
import { render } from '../../../src/core/transcript/render.ts';
import { copyAtOnce } from '../../support/copy-at-once.ts';
import { pairingProblems } from '../../support/message-pairing.ts';
import { broken, unclosed } from './judge.ts';

const stores = join(import.meta.dirname, '..', '..', 'fixtures', 'stores');
const sessions = readdirSync(stores).flatMap((commit) =>
  readdirSync(join(stores, commit, 'facts')).map((file) => {
    const lines = readFileSync(join(stores, commit, 'facts', file), 'utf8')
      .trimEnd()
      .split('\n');
    return [
      `${commit}/${file.replace(/\.jsonl$/, '')}`,
      lines.map((line) => JSON.parse(line) as RecordedFact),
    ] as const;
  }),
);

/** The facts up to the end of each root turn. */
function cutsOf(
  facts: readonly RecordedFact[],
): readonly { readonly turn: string; readonly before: readonly RecordedFact[] }[] {
  const roots = new Set(facts.flatMap((fact) => (fact.type === 'turn_opened' ? [fact.turn] : [])));
  return facts.flatMap((fact, i) =>
    fact.type === 'turn_ended' && roots.has(fact.turn) ? [{ turn: fact.turn, before: facts.slice(0, i + 1) }] : [],
  );
}

/** A turn that bob opens in the fork, as the log has it when its request is made. */
const nextTurn = (at: number, resumes?: string): readonly RecordedFact[] => [
  {
    type: 'turn_opened',
    turn: 'turn_next',
    kind: 'say',
    owner: 'bob',
    lane: 'bob',
    text: resumes === undefined ? 'and now?' : '',
    ref: null,
    at,
    ...(resumes === undefined ? {} : { resumes }),
  },
  { type: 'turn_started', turn: 'turn_next', owner: 'bob', parent: null, at },
];

const idsIn = (facts: readonly RecordedFact[]): ReadonlySet<string> => {
  const { turns, calls } = drawOutline(facts);
  return new Set([...turns.keys(), ...calls.keys()]);
};

describe.each(sessions)('a fork of %s', (name, facts) => {
  const cuts = cutsOf(facts);

  test('is a closed session at each settled turn: nothing unsettled, nothing twice [fork.settled]', () => {
    for (const { turn, before } of cuts) {
      expect(noCutAt(drawOutline(before), turn)).toBeNull();
      const copied = copyAtOnce(before, 'fork_1');
      expect([...broken(copied), ...unclosed(copied), ...recover(copied)], `${name}, ${turn}`).toEqual([]);
      const ended = copied.flatMap((fact) => (fact.type === 'turn_ended' ? [fact.turn] : []));
      expect(ended).toContain(copiedId('fork_1', turn));
      const opened = copied.flatMap((fact) => (fact.type === 'turn_opened' ? [fact.turn] : []));
      expect(opened.filter((id) => !ended.includes(id))).toEqual([]);
    }
  });

  test('gives a request that a strict endpoint accepts, and a RESUME of each turn one too [fork.request] [history.paired]', () => {
    for (const { turn, before } of cuts) {
      const copied = copyAtOnce(before, 'fork_1');
      const at = before.at(-1)?.at ?? 0;
      const ends = copied.filter((fact): fact is RecordedFact & FactOf<'turn_ended'> => fact.type === 'turn_ended');
      const resumed = ends.flatMap((end) => (end.outcome === 'completed' ? [] : [end.turn]));
      for (const resumes of [undefined, ...resumed]) {
        const messages = render([...copied, ...nextTurn(at, resumes)], { turn: 'turn_next', instructions: 'x' });
        expect(pairingProblems(messages), `${name}, ${turn}`).toEqual([]);
      }
    }
  });

  test('has nodes, refs and usage of its own, and none of the standing of the other session [fork.apart]', () => {
    const own = idsIn(facts);
    for (const { before } of cuts) {
      const copied = copyAtOnce(before, 'fork_1');
      expect([...idsIn(copied)].filter((id) => own.has(id))).toEqual([]);
      for (const fact of copied) {
        if ('ref' in fact) expect(fact.ref).toBeNull();
        if ('usage' in fact) expect(fact.usage).toEqual(noUsage);
      }
      const types = new Set(copied.map(({ type }) => type));
      for (const type of [
        'session_opened',
        'member_invited',
        'stop_delegated',
        'cancel_decided',
        'process_started',
      ] as const)
        expect(types.has(type)).toBe(false);
    }
  });

  test('is the same whenever it is made, and the source of no other one [fork.apart]', () => {
    for (const { before } of cuts) {
      expect(copyAtOnce(before, 'fork_1')).toEqual(copyAtOnce(before, 'fork_1'));
      const others = idsIn(copyAtOnce(before, 'fork_2'));
      expect([...idsIn(copyAtOnce(before, 'fork_1'))].filter((id) => others.has(id))).toEqual([]);
    }
  });
});

test('a call that ran on after its turn ends in the fork with an effect that is not known, and the model reads where it went [fork.settled]', () => {
  const facts = sessions.find(([name]) => name === 'ee82db5/owners')?.[1] ?? [];
  const cut = cutsOf(facts).find(({ before }) => {
    const ranOn = before.flatMap((fact) =>
      fact.type === 'tool_result' && fact.outcome === 'continues' ? [fact.node] : [],
    );
    return ranOn.some((node) => !before.some((fact) => fact.type === 'late_result' && fact.node === node));
  });
  const copied = copyAtOnce(cut?.before ?? [], 'fork_1');
  expect(copied.findLast(({ type }) => type === 'late_result')).toMatchObject({ effect: 'unknown' });
  const messages = render([...copied, ...nextTurn(1)], { turn: 'turn_next', instructions: '' });
  expect(messages.at(-1)?.content).toContain('It ran on in the session that this one was forked from');
});

test('a fork of a fork begins as its source did', () => {
  for (const [, facts] of sessions)
    for (const { turn, before } of cutsOf(facts)) {
      const once = copyAtOnce(before, 'fork_1');
      const end = once.findIndex((fact) => fact.type === 'turn_ended' && fact.turn === copiedId('fork_1', turn));
      const twice = copyAtOnce(once.slice(0, end + 1), 'fork_2');
      expect(twice.map(({ type, at }) => ({ type, at }))).toEqual(
        once.map(({ type, at }) => ({ type, at })).slice(0, twice.length),
      );
    }
});
