// Lanes: the turns of one speaker follow each other, the next one after the commit of the one before, and after the receipt of its stop.
import { describe, expect, test } from 'vitest';
import type { Script } from '../../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import type { ModelRequest } from '../../../src/core/contracts/provider.ts';
import {
  callerOf,
  callsOnce,
  callsResponse,
  type Harness,
  startHarness,
  textResponse,
  toolOf,
} from '../../support/harness.ts';
import { holdAppend } from '../../support/held-log.ts';

test.each([
  { name: 'that has completed', end: () => {} },
  {
    name: 'that was cancelled',
    end: (harness: Harness, turn: string) => void harness.session.cancel(harness.alice, { target: turn }),
  },
])('a turn starts after the commit of the closing of the turn before, $name [store.durable]', async ({ end }) => {
  const hold = holdAppend((types) => types.includes('turn_ended'));
  const harness = await startHarness({ log: hold.wrap(createMemoryLog()) });
  const first = await harness.say('first');
  const second = await harness.say('second');
  end(harness, first);
  await harness.clock.advance(2_000);
  await hold.reached;
  const started = () => harness.recorder.of('turn_started').map(({ turn }) => turn);
  expect([started(), harness.provider.requests.length]).toEqual([[first], 1]);
  hold.release();
  await harness.clock.advance(1_000);
  expect([started(), harness.provider.requests.length]).toEqual([[first, second], 2]);
  expect(harness.endOf(second)?.outcome).toBe('completed');
  const { facts } = harness.recorder;
  const endOfFirst = facts.findIndex((fact) => fact.type === 'turn_ended' && fact.turn === first);
  expect(endOfFirst).toBeLessThan(facts.findIndex((fact) => fact.type === 'turn_started' && fact.turn === second));
  expect(facts.find((fact) => fact.type === 'turn_started' && fact.turn === second)?.at).toBeGreaterThanOrEqual(2_000);
});

describe('words that are said while a stop is under way', () => {
  const startedIn = ({ recorder }: Harness) => recorder.of('turn_started').map(({ turn }) => turn);
  const settledAt = (harness: Harness) => harness.index(({ type }) => type === 'cancel_settled');
  const startedAt = (harness: Harness, turn: string) =>
    harness.index((fact) => fact.type === 'turn_started' && fact.turn === turn);
  const bob = callerOf('bob');
  /** The call of the first turn takes half a second to unwind, that of the second one no time. */
  const respond = (_: ModelRequest, n: number): Script =>
    n < 2 ? callsResponse(['wait', { unwind: n === 0 ? 500 : 5 }]) : textResponse('done');
  const carol = callerOf('carol', ['member', 'moderator']);

  test('are accepted at once, and start after the commit of `cancel_settled` [recover.ready] [cancel.settled]', async () => {
    const hold = holdAppend((types) => types.includes('cancel_settled'));
    const harness = await startHarness({ log: hold.wrap(createMemoryLog()), respond: callsOnce(['wait']) });
    const first = await harness.say('first');
    await harness.clock.advance(50);
    await harness.cancel({ target: first });
    const second = await harness.say('second');
    await harness.clock.advance(100);
    await hold.reached;
    await harness.clock.advance(1_000);
    expect([harness.settledReceipts(), startedIn(harness)]).toEqual([[], [first]]);
    hold.release();
    await harness.clock.advance(1_000);
    expect(startedIn(harness)).toEqual([first, second]);
    expect(settledAt(harness)).toBeLessThan(startedAt(harness, second));
    expect(harness.endOf(second)?.outcome).toBe('completed');
  });

  test('wait in every lane in which the receipt stops a turn, and in no other [recover.ready] [cancel.settled]', async () => {
    const harness = await startHarness({ respond });
    const slow = await harness.say('slow', bob);
    await harness.clock.advance(50);
    const quick = await harness.say('work');
    await harness.clock.advance(50);
    await harness.cancel({ target: 'session' }, carol);
    const next = await harness.say('and now?');
    const ofCarol = await harness.say('I talk', carol);
    await harness.clock.advance(200);
    expect([harness.endOf(quick)?.outcome, harness.endOf(slow)]).toEqual(['cancelled', undefined]);
    expect(startedIn(harness)).toEqual([slow, quick, ofCarol]);
    await harness.clock.advance(1_000);
    expect(settledAt(harness)).toBeLessThan(startedAt(harness, next));
    expect(harness.endOf(next)?.outcome).toBe('completed');
  });

  test('wait for each receipt over their lane, and no longer for a CANCEL that comes again [recover.ready] [cancel.settled] [cancel.idempotent]', async () => {
    const harness = await startHarness({ respond });
    const slow = await harness.say('slow', bob);
    await harness.clock.advance(50);
    const quick = await harness.say('work');
    await harness.clock.advance(50);
    await harness.cancel({ target: quick });
    await harness.cancel({ target: 'session' }, carol);
    for (let again = 0; again < 5; again++) await harness.cancel({ target: quick });
    const next = await harness.say('and now?');
    await harness.clock.advance(100);
    expect([harness.settledReceipts().length, startedIn(harness)]).toEqual([1, [slow, quick]]);
    await harness.clock.advance(1_000);
    expect([harness.settledReceipts().length, startedIn(harness)]).toEqual([2, [slow, quick, next]]);
    expect(settledAt(harness)).toBeLessThan(startedAt(harness, next));
  });

  test.each([
    { name: 'ignores its signal', tool: 'ignores_signal', ms: 1_500 },
    { name: 'is shielded', tool: 'commit', ms: 800 },
  ])(
    'start when the budget of a call is over that $name [recover.ready] [cancel.settled] [cancel.bounded] [cancel.shield]',
    async ({ tool, ms }) => {
      const commit = toolOf(
        'commit',
        async (_, { shield, clock }) => {
          await shield(() => new Promise<void>((done) => void clock.after(60_000, done)));
          return { kind: 'stopped', output: 'stopped' };
        },
        { cancel: 'shielded', shieldMaxMs: 800 },
      );
      const harness = await startHarness({ tools: [commit], respond: callsOnce([tool, { ms: 60_000 }]) });
      const first = await harness.say('first');
      await harness.clock.advance(0);
      await harness.cancel({ target: first });
      const second = await harness.say('second');
      await harness.clock.advance(ms - 50);
      expect(startedIn(harness)).toEqual([first]);
      await harness.clock.advance(2_000);
      expect(harness.settledReceipts()[0]?.nodes[1]?.outcome).toBe('abandoned');
      expect(settledAt(harness)).toBeLessThan(startedAt(harness, second));
      expect(harness.endOf(second)?.outcome).toBe('completed');
    },
  );

  test('start at once when the stop is of a call alone: its turn goes on [cancel.settled]', async () => {
    const harness = await startHarness({ respond: callsOnce(['ignores_signal', { ms: 60_000 }], ['note']) });
    const first = await harness.say('first');
    await harness.clock.advance(50);
    await harness.cancel({ target: harness.callNamed('ignores_signal') });
    const second = await harness.say('second');
    await harness.clock.advance(5_000);
    expect([first, second].map((turn) => harness.endOf(turn)?.outcome)).toEqual(['completed', 'completed']);
  });

  test('are stopped with a session that closes, and it ends [recover.ready] [ops.shutdown]', async () => {
    const hold = holdAppend((types) => types.includes('cancel_settled'));
    const harness = await startHarness({ log: hold.wrap(createMemoryLog()), respond: callsOnce(['wait']) });
    const first = await harness.say('first');
    await harness.clock.advance(50);
    await harness.cancel({ target: first });
    const second = await harness.say('second');
    await harness.clock.advance(100);
    await hold.reached;
    const closed = harness.runtime.close();
    await harness.clock.advance(100);
    hold.release();
    await harness.clock.advance(5_000);
    await closed;
    expect(startedIn(harness)).toEqual([first]);
    expect(harness.endOf(second)?.outcome).toBe('cancelled');
  });

  test('start after recovery, which settles what a dead process left [recover.ready] [store.durable]', async () => {
    const log = createMemoryLog();
    const before = await startHarness({ log, respond: callsOnce(['ignores_signal', { ms: 60_000 }]) });
    const first = await before.say('first');
    await before.clock.advance(50);
    await before.cancel({ target: first });
    const lost = await before.say('second');
    await before.clock.advance(100);
    const after = await startHarness({ log, life: 2 });
    const next = await after.say('and now?');
    await after.clock.advance(1_000);
    expect(settledAt(after)).toBeLessThan(startedAt(after, next));
    expect(startedAt(after, lost)).toBe(-1);
    expect(after.endOf(next)?.outcome).toBe('completed');
  });
});
