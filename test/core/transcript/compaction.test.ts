// Compaction: which turns of a long conversation are summarized, and the limits of the summary.
import { describe, expect, test } from 'vitest';
import type { Fact, RecordedFact } from '../../../machines/facts.ts';
import type { Message } from '../../../machines/messages.ts';
import { findCompaction, fitSummary } from '../../../src/core/transcript/compaction.ts';
import { recover } from '../../../src/core/transcript/recover.ts';
import { render } from '../../../src/core/transcript/render.ts';
import { pairingProblems } from '../../support/message-pairing.ts';
import { fc } from '../../support/property.ts';
import { plausibleLogs } from './plausible.ts';

const bounds = { compactAboveBytes: 40_000, summaryChars: 100, contextBytes: 262_144 };
const usage = { kind: 'exact', input: 1, output: 1 } as const;
const whole = { instructions: '', contextTurns: 1_000, contextBytes: 10_000_000 };

const bytesIn = (messages: readonly Message[]) =>
  messages
    .flatMap((one) => [one.content, ...('calls' in one ? one.calls.map((call) => call.arguments) : [])])
    .reduce((sum, text) => sum + Buffer.byteLength(text), 0);

const turnOf = (turn: string, answer: string): Fact[] => [
  { type: 'turn_opened', turn, kind: 'say', owner: 'ann', lane: 'ann', text: `words of ${turn}`, ref: null },
  { type: 'turn_started', turn, owner: 'ann', parent: null },
  { type: 'model_started', turn, index: 0 },
  { type: 'model_ended', turn, index: 0, outcome: 'completed', text: answer, cutOff: false, usage },
  { type: 'turn_ended', turn, outcome: 'completed', effect: 'none', usage },
];
const opened = (turn: string, text = 'and now?'): Fact[] =>
  turnOf(turn, '')
    .slice(0, 2)
    .map((fact) => ({ ...fact, text }) as Fact);
const at = (facts: readonly Fact[]): RecordedFact[] => facts.map((fact, i) => ({ ...fact, at: 1_000 + i }));
const textOf = (messages: readonly Message[] = []) => messages.map(({ content }) => content).join('\n');

describe('a summary', () => {
  test('is cut to its characters, and no cut leaves half of one [history.bounded]', () => {
    const faces = '\u{1f600}'.repeat(20);
    for (let summaryChars = 1; summaryChars < 60; summaryChars++) {
      const cut = fitSummary(`a${faces}`, { ...bounds, summaryChars });
      expect(cut.isWellFormed()).toBe(true);
      expect(cut.length).toBeGreaterThanOrEqual(Math.min(41, summaryChars) - 1);
      expect(cut.length).toBeLessThanOrEqual(summaryChars);
    }
  });

  test('that a model wrote with half a character is well-formed [history.bounded]', () => {
    expect(fitSummary('a\ud83d b', bounds)).toBe('a\ufffd b');
  });
});

test('shortened, a conversation is within its budget, and the request for the summary within its own [history.bounded]', () => {
  const budget = fc.record({
    compactAboveBytes: fc.integer({ min: 400, max: 4_000 }),
    summaryChars: fc.integer({ min: 1, max: 2_000 }),
    contextBytes: fc.integer({ min: 3_000, max: 8_000 }),
  });
  let found = 0;
  fc.assert(
    fc.property(plausibleLogs, budget, fc.string({ unit: 'binary', maxLength: 4_000 }), (log, limits, words) => {
      const facts = [...log, ...at(recover(log)), ...at(opened('next'))];
      const compaction = findCompaction(facts, 'next', limits);
      if (!compaction) return;
      found += 1;
      const { upTo, covers, messages } = compaction;
      expect(bytesIn(messages)).toBeLessThanOrEqual(limits.contextBytes);
      expect(pairingProblems(messages)).toEqual([]);
      const summary = fitSummary(words, limits);
      const after = [...facts, ...at([{ type: 'history_compacted', turn: 'next', upTo, covers, summary, usage }])];
      const own = bytesIn(render([...at(opened('next'))], { ...whole, turn: 'next' }));
      const rest = bytesIn(render(after, { ...whole, turn: 'next' }));
      const least = own + limits.compactAboveBytes / 4 + 100; // what asks, a summary, and the words around it
      expect(rest).toBeLessThanOrEqual(Math.max(limits.compactAboveBytes, least));
      expect(pairingProblems(render(after, { ...whole, turn: 'next' }))).toEqual([]);
    }),
  );
  expect(found).toBeGreaterThan(0);
});

describe('a request for a summary', () => {
  const sizes = { ...bounds, compactAboveBytes: 10_000, contextBytes: 7_000 };

  test('leaves out the oldest turns where all of them do not fit, and says so [history.bounded]', () => {
    const facts = at([0, 1, 2, 3, 4].flatMap((i) => turnOf(`t${i}`, 'x'.repeat(3_000))));
    const compaction = findCompaction([...facts, ...at(opened('next'))], 'next', sizes);
    expect(compaction?.covers).toEqual(['t0', 't1', 't2']);
    expect(textOf(compaction?.messages)).toMatch(/1 turn is left out here/);
    expect(textOf(compaction?.messages)).not.toContain('words of t0');
    expect(textOf(compaction?.messages)).toMatch(/words of t1[\s\S]*words of t2/);
  });

  test('is not made where it would be empty [history.bounded]', () => {
    const facts = at([...turnOf('t0', 'x'.repeat(9_000)), ...turnOf('t1', 'short'), ...turnOf('t2', 'short')]);
    expect(findCompaction([...facts, ...at(opened('next', 'x'.repeat(2_000)))], 'next', sizes)).toBeNull();
  });

  test('continues an earlier summary even where no turn fits [history.bounded]', () => {
    const facts = at([
      ...turnOf('t0', 'first'),
      ...opened('t1'),
      { type: 'history_compacted', turn: 't1', upTo: 't1', covers: ['t0'], summary: 'all of it', usage },
      ...turnOf('t1', 'x'.repeat(9_000)).slice(2),
    ]);
    const { messages, covers } =
      findCompaction([...facts, ...at(opened('next', 'y'.repeat(2_000)))], 'next', sizes) ?? {};
    expect(covers).toEqual(['t1']);
    expect(textOf(messages)).toMatch(/in short: all of it[\s\S]*1 turn is left out here[\s\S]*Summarize/);
    expect(messages).toHaveLength(1);
  });
});

test('a turn that is over the budget by itself is sent as it is, with the summary before it [history.bounded]', () => {
  const facts = at([...turnOf('t0', 'one'), ...turnOf('t1', 'two'), ...opened('next', 'x'.repeat(50_000))]);
  const { upTo, covers } = findCompaction(facts, 'next', bounds) ?? {};
  expect({ upTo, covers }).toEqual({ upTo: 'next', covers: ['t0', 't1'] });
});

test('a log whose summary does not name its turns renders them again, and loses none [history.bounded]', () => {
  const old = { type: 'history_compacted', turn: 't1', upTo: 't1', summary: 'in short', usage } as unknown as Fact;
  const facts = at([...turnOf('t0', 'zero'), ...turnOf('t1', 'one'), old, ...opened('next')]);
  expect(textOf(render(facts, { ...whole, turn: 'next' }))).toMatch(/in short: in short[\s\S]*zero[\s\S]*one/);
});
