// The time of day set backward and forward in the middle of a turn, a stop, a question and a recovery: what takes time takes as long as before.
import { describe, expect, test } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { bobCaller, callsOnce, type Harness, startHarness, toolOf } from '../../support/harness.ts';

const hour = 3_600_000;
const day = 24 * hour;
const steps = [-day, -hour, hour, day];

/** A turn whose call takes `ms`, one second of which is over. */
async function oneSecondInto(tool: string, input: object, options: Parameters<typeof startHarness>[0] = {}) {
  const harness = await startHarness({ respond: callsOnce([tool, input]), ...options });
  const turn = await harness.say('words');
  await harness.clock.advance(1_000);
  return { harness, turn };
}

/** The times in the receipts, by the outcome of the node. */
const receiptTimes = ({ recorder }: Harness) =>
  recorder.of('cancel_settled').flatMap(({ nodes }) => nodes.map(({ kind, outcome, ms }) => [kind, outcome, ms]));

describe.each(steps)('a step of %d ms', (ms) => {
  test('in the middle of a turn changes neither its deadline, nor the time of its calls, nor the status of the turn [clock.steps]', async () => {
    const { harness, turn } = await oneSecondInto('wait', { ms: 60_000 }, { limits: { turnMs: 5_000 } });
    harness.clock.step(ms);
    await harness.clock.advance(3_999);
    expect(harness.endOf(turn)).toBeUndefined();
    await harness.clock.advance(50);
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'timed_out', ms: 5_005 });
    expect(harness.recorder.of('tool_result')).toMatchObject([{ outcome: 'timed_out', ms: 5_005 }]);
    expect(receiptTimes(harness)).toEqual([
      ['turn', 'timed_out', 5],
      ['tool-call', 'timed_out', 5],
    ]);
  });

  test('in the middle of a stop changes no budget and no time of its receipt [clock.steps] [cancel.bounded]', async () => {
    const { harness, turn } = await oneSecondInto('wait', { ms: 60_000, unwind: 400 });
    await harness.cancel({ target: turn });
    await harness.clock.advance(100);
    harness.clock.step(ms);
    await harness.clock.advance(1_000);
    expect(receiptTimes(harness)).toEqual([
      ['turn', 'cancelled', 400],
      ['tool-call', 'cancelled', 400],
    ]);
  });

  test('in the middle of a stop neither hurries nor delays what is abandoned [clock.steps] [cancel.bounded]', async () => {
    const { harness, turn } = await oneSecondInto('ignores_signal', { ms: 60_000 });
    await harness.cancel({ target: turn });
    await harness.clock.advance(100);
    harness.clock.step(ms);
    await harness.clock.advance(1_399);
    expect(receiptTimes(harness)).toEqual([]);
    await harness.clock.advance(1);
    expect(receiptTimes(harness)).toEqual([
      ['turn', 'cancelled', 1_500],
      ['tool-call', 'abandoned', 1_500],
    ]);
  });

  test('within a shielded region does not change how long the stop is pending [clock.steps] [cancel.shield]', async () => {
    const commit = toolOf(
      'commit',
      async (_, { shield, clock }) => {
        await shield(() => new Promise<void>((done) => void clock.after(5_000, done)));
        return { kind: 'stopped', output: '' };
      },
      { cancel: 'shielded', shieldMaxMs: 3_000 },
    );
    const { harness, turn } = await oneSecondInto('commit', {}, { tools: [commit] });
    harness.clock.step(ms);
    await harness.cancel({ target: turn });
    expect(harness.recorder.of('cancel_accepted')).toMatchObject([{ pendingMs: 2_000 }]);
  });

  test('does not change how long a turn that may not be interrupted is shielded [clock.steps] [cancel.shield]', async () => {
    const session = () => ({ interruptible: false, shieldMs: 3_000 });
    const { harness, turn } = await oneSecondInto('wait', { ms: 60_000 }, { session });
    harness.clock.step(ms);
    await harness.cancel({ target: turn });
    expect(harness.recorder.of('cancel_accepted')).toMatchObject([{ pendingMs: 2_000 }]);
  });

  test('while a question is open does not change when it expires, and as what it is closed [clock.steps]', async () => {
    const asking = toolOf('asking', async (_, { ask }) => ask({ text: 'Which?', expiresMs: 3_000 }));
    const { harness } = await oneSecondInto('asking', {}, { tools: [asking] });
    harness.clock.step(ms);
    await harness.clock.advance(1_999);
    expect(harness.recorder.of('question_closed')).toEqual([]);
    await harness.clock.advance(1);
    expect(harness.recorder.of('question_closed')).toMatchObject([{ answer: 'expired' }]);
  });

  test('while a call waits for another one does not change how long it says that it has waited [clock.steps]', async () => {
    const respond = callsOnce(['keyed', { ms: 9_000 }], ['keyed', { ms: 1_000 }]);
    const { harness } = await oneSecondInto('keyed', {}, { respond, limits: { progressMs: 2_000 } });
    harness.clock.step(ms);
    await harness.clock.advance(3_000);
    expect(harness.recorder.waits.map(({ elapsedMs }) => elapsedMs)).toEqual([0, 2_000, 4_000]);
  });

  test('does not change for how long an owner without a connection keeps the right to decide [clock.steps] [owner.node]', async () => {
    const session = () => ({ policy: 'owner' }) as const;
    const respond = callsOnce(['wait', { ms: 60_000 }]);
    const harness = await startHarness({ respond, session, limits: { absentMs: 5_000, disconnectGraceMs: 0 } });
    await harness.session.join(bobCaller, createRecorder().listener, null);
    const turn = await harness.say('words', bobCaller);
    await harness.session.leave(bobCaller.connection, 'lost');
    await harness.clock.advance(1_000);
    harness.clock.step(ms);
    await harness.clock.advance(3_999);
    expect(await harness.cancel({ target: turn, ref: 'early' })).toMatchObject({ type: 'cancel_refused' });
    await harness.clock.advance(1);
    expect(await harness.cancel({ target: turn, ref: 'in time' })).toMatchObject({ type: 'cancel_accepted' });
  });

  test('before a recovery gives its receipts no time below zero, and closes everything [clock.steps]', async () => {
    const log = createMemoryLog();
    const { harness, turn } = await oneSecondInto('ignores_signal', { ms: 60_000 }, { log });
    await harness.cancel({ target: turn });
    const second = await startHarness({ log, life: 2 });
    second.clock.step(ms);
    await second.say('words');
    await second.clock.advance(100);
    const [settled] = second.settledReceipts();
    expect(settled?.nodes.every(({ ms: took }) => took >= 0 && took <= Math.max(0, ms) + 2_000)).toBe(true);
    expect(second.recorder.of('turn_ended').map(({ turn: ended }) => ended)).toContain(turn);
  });
});
