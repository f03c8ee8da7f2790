// A repeated SAY with the same ref, from a client that does not know whether the first one arrived: it gets the same turn.
import { describe, expect, test } from 'vitest';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { callerOf, startHarness } from '../../support/harness.ts';

describe('a repeated SAY with the same ref', () => {
  const command = { text: 'words', ref: 's1' };

  test('gets the turn that the first one opened, on every connection [ws.resume]', async () => {
    const harness = await startHarness();
    const turn = await harness.say('words', harness.alice, 's1');
    const elsewhere = { ...harness.alice, connection: 'another' };
    await harness.session.join(elsewhere, createRecorder().listener, null);
    const again = harness.session.say(elsewhere, command);
    await harness.clock.advance(0);
    expect(await again).toMatchObject({ type: 'turn_opened', turn, repeated: { turn, text: 'words', ref: 's1' } });
    expect(harness.recorder.of('turn_opened')).toHaveLength(1);
    const cancel = harness.session.cancel(elsewhere, { target: 'say:s1' });
    await harness.clock.advance(0);
    expect(await cancel).toMatchObject({ type: 'cancel_accepted', receipt: { stopping: [turn] } });
  });

  test('in the same tick opens one turn', async () => {
    const harness = await startHarness();
    const answers = Promise.all([
      harness.session.say(harness.alice, command),
      harness.session.say(harness.alice, command),
    ]);
    const cancel = harness.session.cancel(harness.alice, { target: 'say:s1' });
    await harness.clock.advance(0);
    const [one, two] = await answers;
    expect(one.type === 'turn_opened' && two.type === 'turn_opened' && one.turn === two.turn).toBe(true);
    expect(await cancel).toMatchObject({ type: 'cancel_accepted' });
    expect(harness.recorder.of('turn_opened')).toHaveLength(1);
  });

  test('is refused each time where its CANCEL came first [cancel.latch]', async () => {
    const harness = await startHarness();
    expect(await harness.cancel({ target: 'say:s1' })).toMatchObject({ type: 'unknown_target' });
    for (let times = 0; times < 3; times++)
      await expect(harness.say('words', harness.alice, 's1')).rejects.toThrow('refused');
    expect(harness.recorder.of('turn_opened')).toEqual([]);
    await harness.clock.advance(60_000);
    await harness.say('words', harness.alice, 's1'); // long after the CANCEL
  });

  test('gets the same turn after a restart; from another speaker it opens another turn', async () => {
    const first = await startHarness();
    const turn = await first.say('words', first.alice, 's1');
    await first.clock.advance(5_000);
    const closing = first.runtime.close();
    await first.clock.advance(5_000);
    await closing;
    const next = await startHarness({ log: first.log, life: 2 });
    expect(await next.say('words', next.alice, 's1')).toBe(turn);
    expect(await next.say('words', callerOf('bob'), 's1')).not.toBe(turn);
  });
});
