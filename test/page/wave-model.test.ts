// Waves of a real CANCEL: from the records of the inspector, from the facts of the log, and both together.
import { describe, expect, test } from 'vitest';
import type { SequencedFact } from '../../machines/facts.ts';
import { FactCancels } from '../../src/page/inspector-view/wave/fact-cancels.ts';
import type { Wave } from '../../src/page/inspector-view/wave/wave-model.ts';
import { waveOf } from '../../src/page/inspector-view/wave/wave-sources.ts';
import { callsResponse, textResponse } from '../support/harness.ts';
import { agents, agreed, need, startWaves } from './observed-waves.ts';

/** Rows as lines of an outline. */
const outline = ({ rows }: Wave) =>
  rows.map(
    ({ depth, name, verdict, outcome, settledAt }) => `${'  '.repeat(depth)}${name} ${verdict} ${outcome} ${settledAt}`,
  );

const deep = (_: unknown, n: number) => {
  if (n === 0) return callsResponse(['wait', { unwind: 20, command: 'make' }], ['spawn_agent', { task: 'one' }]);
  if (n === 1) return callsResponse(['wait', { unwind: 30 }]);
  return textResponse('done');
};

async function startDeepTree() {
  const harness = await startWaves({ agents, respond: deep });
  const turn = await harness.say('research this\nand build');
  await harness.clock.advance(50);
  expect(harness.entered).toHaveLength(2);
  return { harness, turn };
}

describe('the wave of a turn with a tool and a sub-agent', () => {
  test('from the facts: names have what cannot be seen written out [access.names]', async () => {
    const { harness, turn } = await startDeepTree();
    await harness.cancel({ target: turn });
    await harness.clock.advance(5_000);
    const facts = harness.recorder.facts.map((fact, i) => ({ seq: i + 1, fact }));
    const stored = JSON.parse(JSON.stringify(facts).replaceAll('"alice"', '"e\u202eve"')) as readonly SequencedFact[];
    const found = new FactCancels(stored);
    const { by, rows } = need(waveOf(found.cancels[0] ?? '', null, found));
    expect([by, ...rows.map(({ owner }) => owner)]).toEqual(Array.from({ length: 6 }, () => 'e<U+202E>ve'));
  });

  test('from the facts: every node in its place, with its outcome and time; blank where the log has no time', async () => {
    const { harness, turn } = await startDeepTree();
    await harness.cancel({ target: turn, reason: 'wrong words' });
    await harness.clock.advance(5_000);
    const wave = await harness.pastWave();
    expect(outline(wave)).toEqual([
      'turn stop cancelled 80',
      '  wait stop cancelled 70',
      '  helper stop cancelled 80',
      "    helper's turn stop cancelled 80",
      '      wait stop cancelled 80',
    ]);
    expect(wave).toMatchObject({
      source: 'client',
      by: 'alice',
      reason: 'wrong words',
      target: turn,
      state: 'settled',
    });
    expect([wave.acceptedAt, wave.settledAt]).toEqual([50, 80]);
    expect(wave.rows[0]?.detail).toBe('research this and build');
    expect(wave.rows[1]?.detail).toBe('make');
    for (const row of wave.rows) {
      expect(row).toMatchObject({ plannedAt: null, budgetMs: null, actor: null });
      expect([row.cutAt, row.cancelAt, row.abortedAt]).toEqual([50, 50, 50]); // the receipt has them
    }
    expect(wave.rows.map(({ exitedAt }) => exitedAt)).toEqual([null, 70, null, null, 80]);
  });

  test('from the records: the same, and when each was cut and its machine got the CANCEL', async () => {
    const { harness, turn } = await startDeepTree();
    await harness.cancel({ target: turn });
    await harness.clock.advance(5_000);
    const live = harness.liveWave();
    expect(agreed(live)).toEqual(agreed(await harness.pastWave()));
    expect(live).toMatchObject({ source: 'client', by: 'alice', target: turn });
    for (const { plannedAt, cutAt, cancelAt, abortedAt, settledAt, actor } of live.rows) {
      expect([plannedAt, cutAt, cancelAt, abortedAt]).toEqual([50, 50, 50, 50]);
      expect(settledAt).toBeGreaterThanOrEqual(50);
      expect(actor).not.toBeNull();
    }
    const calls = live.rows.filter(({ kind }) => kind === 'tool-call');
    expect(calls.map(({ budgetMs, keptBudget }) => [budgetMs, keptBudget])).toEqual([
      [1_500, true],
      [1_500, true],
    ]);
    expect(calls.map(({ settledAt, exitedAt }) => exitedAt === settledAt)).toEqual([true, true]);
  });

  test('while it goes on: what has settled has its end, the rest has none', async () => {
    const { harness, turn } = await startDeepTree();
    await harness.cancel({ target: turn });
    await harness.clock.advance(20);
    const expected = [null, 'cancelled', null, null, null];
    expect(harness.liveWave().rows.map(({ outcome }) => outcome)).toEqual(expected);
    const past = await harness.pastWave();
    expect(past.rows.map(({ outcome }) => outcome)).toEqual(expected);
    expect([past.state, past.settledAt]).toEqual(['stopping', null]);
    await harness.clock.advance(5_000);
  });

  test('the two together have the times of the records and the words of the facts', async () => {
    const { harness, turn } = await startDeepTree();
    await harness.cancel({ target: turn, reason: 'wrong words' });
    await harness.clock.advance(5_000);
    const whole = await harness.wholeWave();
    expect(whole).toMatchObject({ reason: 'wrong words', state: 'settled' });
    expect(whole.rows[1]).toMatchObject({ detail: 'make', cutAt: 50, cancelAt: 50, budgetMs: 1_500, name: 'wait' });
    expect(waveOf('no such receipt', null, null)).toBeNull();
  });

  test('of a log that is not read to its beginning: the nodes keep their ids', async () => {
    const { harness, turn } = await startDeepTree();
    await harness.cancel({ target: turn });
    await harness.clock.advance(5_000);
    const facts = await harness.readFacts();
    const accepted = facts.findIndex(({ fact }) => fact.type === 'cancel_accepted');
    const cancel = harness.recorder.of('cancel_accepted')[0]?.cancel ?? '';
    const tail = new FactCancels(facts.slice(accepted));
    expect(tail.hasAllNodesOf(cancel)).toBe(false);
    expect(new FactCancels(facts).hasAllNodesOf(cancel)).toBe(true);
    const wave = need(waveOf(cancel, null, tail));
    expect(wave.rows).toHaveLength(5);
    expect(wave.rows.map(({ depth, settledAt }) => [depth, settledAt !== null])).toEqual(
      wave.rows.map(() => [0, true]),
    );
    expect(new FactCancels(facts).find('no such receipt')).toBeNull();
  });
});
