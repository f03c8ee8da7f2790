// A lost connection with `onDisconnect: cancel`: it cancels the turns of its speaker after a grace, and no others.
import { expect, test } from 'vitest';
import type { Caller } from '../../../src/core/session/api.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { callerOf, callsOnce, type Harness, startHarness } from '../../support/harness.ts';

const graceMs = 3_000;

/** Starts a turn of alice that works for 20 seconds. */
async function startWork(): Promise<{ harness: Harness; turn: string }> {
  const harness = await startHarness({
    respond: callsOnce(['wait', { ms: 20_000 }]),
    session: () => ({ onDisconnect: 'cancel' }),
    limits: { disconnectGraceMs: graceMs },
  });
  const turn = await harness.say('words');
  await harness.clock.advance(100);
  return { harness, turn };
}

/** Returns the speaker at another connection. */
const onOtherTab = (caller: Caller): Caller => ({ ...caller, connection: `${caller.connection}-2` });

const outcomeOf = async ({ log }: Harness, turn: string): Promise<unknown> => {
  const bodies = (await log.read('s', 0)).map(({ body }) => body as unknown as Record<string, unknown>);
  return bodies.find(({ type, turn: id }) => type === 'turn_ended' && id === turn)?.['outcome'];
};

test('the turns of a speaker who comes back within the grace run on [cancel.sources]', async () => {
  const { harness, turn } = await startWork();
  void harness.session.leave(harness.alice.connection, 'lost');
  await harness.clock.advance(graceMs - 1);
  await harness.session.join(onOtherTab(harness.alice), createRecorder().listener, null);
  await harness.clock.advance(30_000);
  expect(await outcomeOf(harness, turn)).toBe('completed');
});

test('the turns of a speaker with two connections run on until both are lost [cancel.sources]', async () => {
  const { harness, turn } = await startWork();
  const other = onOtherTab(harness.alice);
  await harness.session.join(other, createRecorder().listener, null);
  void harness.session.leave(harness.alice.connection, 'lost');
  await harness.clock.advance(2 * graceMs);
  expect(await outcomeOf(harness, turn)).toBe(undefined);
  void harness.session.leave(other.connection, 'lost');
  await harness.clock.advance(2 * graceMs);
  expect(await outcomeOf(harness, turn)).toBe('cancelled');
});

test('the turns of other speakers run on [cancel.sources] [owner.node]', async () => {
  const { harness, turn } = await startWork();
  const bob = callerOf('bob');
  await harness.session.join(bob, createRecorder().listener, null);
  void harness.session.leave(bob.connection, 'lost');
  await harness.clock.advance(30_000);
  expect(await outcomeOf(harness, turn)).toBe('completed');
  expect(harness.recorder.of('cancel_accepted')).toEqual([]);
});
