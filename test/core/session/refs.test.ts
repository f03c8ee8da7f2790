// A ref counts once for its speaker in a session, for as long as the log; without a ref nothing is a repeat.
import { describe, expect, test } from 'vitest';
import type { Script } from '../../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import type { ModelRequest } from '../../../src/core/contracts/provider.ts';
import type { Caller } from '../../../src/core/session/api.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { callerOf, callsOnce, callsResponse, type Harness, startHarness, textResponse } from '../../support/harness.ts';
import { wrapLog } from '../../support/wrap-log.ts';

/** Every turn waits for 900 ms, then it has a text. */
const waiting = ({ messages }: ModelRequest): Script =>
  messages.at(-1)?.role === 'user' ? callsResponse(['wait', { ms: 900 }]) : textResponse('done');

/** The sequence number of the fact that opened a turn. */
async function seqOf({ log }: Harness, turn: string): Promise<number> {
  const events = await log.read('s', 0);
  return events.find(({ body }) => body.type === 'turn_opened' && 'turn' in body && body.turn === turn)?.seq ?? -1;
}

const say = async (harness: Harness, text: string, ref: string, caller: Caller = harness.alice) => {
  const reply = harness.session.say(caller, { text, ref });
  await harness.clock.advance(0);
  return await reply;
};

describe('the same ref with other content is refused, and nothing happens [cancel.idempotent.ref]', () => {
  test('a SAY with other words, in the same tick and later', async () => {
    const harness = await startHarness();
    const replies = ['one', 'two'].map((text) => harness.session.say(harness.alice, { text, ref: 'r' }));
    await harness.clock.advance(0);
    expect(await Promise.all(replies)).toMatchObject([{ type: 'turn_opened' }, { type: 'ref_reused' }]);
    expect(await say(harness, 'three', 'r')).toEqual({ type: 'ref_reused' });
    expect(harness.recorder.of('turn_opened')).toHaveLength(1);
  });

  test('a CANCEL under the ref of a SAY, and a SAY under that of a CANCEL, also in the same tick', async () => {
    const harness = await startHarness({ respond: waiting });
    const turn = await harness.say('words', harness.alice, 'r');
    expect(await harness.cancel({ target: turn, ref: 'r' })).toEqual({ type: 'ref_reused' });
    const cancelled = harness.session.cancel(harness.alice, { target: 'session', ref: 'c' });
    const said = harness.session.say(harness.alice, { text: 'more', ref: 'c' });
    await harness.clock.advance(0);
    expect([await cancelled, await said]).toMatchObject([{ type: 'cancel_accepted' }, { type: 'ref_reused' }]);
    expect(harness.recorder.of('turn_opened')).toHaveLength(1);
  });

  test('a CANCEL of another target, though the first one found nothing', async () => {
    const harness = await startHarness({ respond: waiting });
    expect(await harness.cancel({ target: 'mine', ref: 'c' })).toMatchObject({ type: 'already_settled' });
    const turn = await harness.say('words');
    expect(await harness.cancel({ target: turn, ref: 'c' })).toEqual({ type: 'ref_reused' });
    await harness.clock.advance(2_000);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test('what a bridge relays for another speaker; the ref of a speaker is not that of the bridge', async () => {
    const harness = await startHarness();
    const relayed = (id: string): Caller => ({ ...callerOf(id), connection: 'of the bridge', via: 'bridge' });
    expect(await say(harness, 'words', 'r', relayed('ann'))).toMatchObject({ type: 'turn_opened' });
    expect(await say(harness, 'words', 'r', relayed('bob'))).toEqual({ type: 'ref_reused' });
    expect(await say(harness, 'words', 'r', callerOf('ann'))).toMatchObject({ type: 'turn_opened' });
    expect(harness.recorder.of('turn_opened')).toMatchObject([{ owner: 'ann', via: 'bridge' }, { owner: 'ann' }]);
    expect(await harness.cancel({ target: 'mine', ref: 'c' }, relayed('ann'))).not.toEqual({ type: 'ref_reused' });
    expect(await harness.cancel({ target: 'mine', ref: 'c' }, relayed('bob'))).toEqual({ type: 'ref_reused' });
  });

  test('`force` is no other content: it skips the grace', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait', { ms: 900, unwind: 1_400 }]) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: turn, ref: 'c' });
    expect(await harness.cancel({ target: turn, ref: 'c', force: true })).toMatchObject({ repeated: true });
    await harness.clock.advance(300);
    expect(harness.settledReceipts()).toHaveLength(1);
  });
});

test.each(['in the same tick', 'later'])(
  'a CANCEL of `say:<ref>` whose SAY was refused, %s, finds nothing, and its ref stays unused [cancel.idempotent.ref]',
  async (when) => {
    const harness = await startHarness({ respond: waiting, limits: { laneTurns: 1 } });
    await harness.say('runs');
    await harness.say('waits');
    const said = harness.session.say(harness.alice, { text: 'too many', ref: 's' });
    if (when === 'later') await harness.clock.advance(0);
    const reply = await harness.cancel({ target: 'say:s', ref: 'c' });
    expect(await said).toMatchObject({ type: 'say_refused', code: 'lane_full' });
    expect(reply).toEqual({ type: 'unknown_target', target: 'say:s' });
    expect(await harness.cancel({ target: 'mine', ref: 'c' })).toMatchObject({ type: 'cancel_accepted' });
  },
);

test('without a ref the same words open two turns', async () => {
  const harness = await startHarness();
  await harness.say('words');
  await harness.say('words');
  expect(harness.recorder.of('turn_opened')).toHaveLength(2);
});

test('a ref is known after a thousand others, and after a restart [cancel.idempotent.ref]', async () => {
  const first = await startHarness();
  const turn = await first.say('words', first.alice, 'r0');
  for (let i = 1; i <= 1_000; i++) await first.cancel({ target: 'mine', ref: `r${i}` });
  expect(await first.say('words', first.alice, 'r0')).toBe(turn);
  expect(await say(first, 'other words', 'r0')).toEqual({ type: 'ref_reused' });
  expect(await first.cancel({ target: 'session', ref: 'r1' })).toEqual({ type: 'ref_reused' });
  const closing = first.runtime.close();
  await first.clock.advance(5_000);
  await closing;
  const next = await startHarness({ log: first.log, life: 2 });
  expect(await next.say('words', next.alice, 'r0')).toBe(turn);
  expect(await say(next, 'other words', 'r0')).toEqual({ type: 'ref_reused' });
});

test('a CANCEL that comes again gets its receipt, although all that runs on was refused to it [cancel.idempotent.ref]', async () => {
  const bob = callerOf('bob');
  const harness = await startHarness({ respond: waiting, session: () => ({ policy: 'owner' }) });
  await harness.session.join(bob, createRecorder().listener, null);
  const hers = await harness.say('hers');
  const his = await harness.say('his', bob);
  const stop = () => harness.cancel({ target: 'session', ref: 'c' }, bob);
  const first = await stop();
  const { receipt } = first as Extract<typeof first, { type: 'cancel_accepted' }>;
  await harness.clock.advance(500);
  expect(harness.endOf(his)?.outcome).toBe('cancelled');
  const again = await stop();
  expect(again).toMatchObject({ type: 'cancel_accepted', receipt, repeated: true });
  expect(again).toMatchObject({ running: expect.arrayContaining([hers]) });
  expect(harness.recorder.of('cancel_refused')).toEqual([]);
});

describe('a CANCEL that comes again stops no turn that its sender did not know [cancel.idempotent.resent]', () => {
  const bob = callerOf('bob');
  const decideMany = async (harness: Harness) => {
    for (let i = 0; i < 600; i++) await harness.cancel({ target: 'nothing', ref: `other${i}` }, bob);
  };

  test('refused again after many other commands, it dates from its first decision', async () => {
    const harness = await startHarness({ respond: waiting, session: () => ({ policy: 'owner' }) });
    await harness.session.join(bob, createRecorder().listener, null);
    await harness.say('hers');
    const stop = () => harness.cancel({ target: 'session', ref: 'c' }, bob);
    expect(await stop()).toMatchObject({ type: 'cancel_refused' });
    await decideMany(harness);
    const his = await harness.say('his', bob);
    for (let i = 0; i < 3; i++) expect(await stop()).toMatchObject({ type: 'cancel_refused' });
    await harness.clock.advance(2_000);
    expect(harness.endOf(his)?.outcome).toBe('completed');
  });

  test('a SAY in `says` is known after many other commands', async () => {
    const harness = await startHarness({ respond: waiting });
    const turn = await harness.say('words', harness.alice, 's');
    await decideMany(harness);
    const request = { target: 'mine', ref: 'c', seen: 0, says: ['s'] };
    expect(await harness.cancel(request)).toMatchObject({ receipt: { stopping: expect.arrayContaining([turn]) } });
  });

  test.each(['mine', 'session'])('a late copy of %s after the next SAY', async (target) => {
    const harness = await startHarness({ respond: waiting });
    const first = await harness.say('first');
    await harness.clock.advance(50);
    await harness.cancel({ target, ref: 'c' });
    await harness.clock.advance(1_000);
    const second = await harness.say('second');
    expect(await harness.cancel({ target, ref: 'c' })).toMatchObject({
      type: 'cancel_accepted',
      repeated: true,
      running: expect.arrayContaining([second]),
      receipt: { stopping: expect.arrayContaining([first]) },
    });
    await harness.clock.advance(2_000);
    expect(harness.endOf(second)?.outcome).toBe('completed');
  });

  test('a late copy of one that had found nothing', async () => {
    const harness = await startHarness({ respond: waiting });
    await harness.cancel({ target: 'mine', ref: 'c' });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    expect(await harness.cancel({ target: 'mine', ref: 'c' })).toEqual({
      type: 'already_settled',
      target: 'mine',
      receipt: null,
      running: expect.arrayContaining([turn]),
    });
    await harness.clock.advance(2_000);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test('a late copy of one that had repeated another, whose ref is used up too', async () => {
    const harness = await startHarness({ respond: waiting });
    await harness.say('first');
    await harness.clock.advance(50);
    await harness.cancel({ target: 'session', ref: 'c1' });
    expect(await harness.cancel({ target: 'session', ref: 'c2' })).toMatchObject({ repeated: true });
    await harness.clock.advance(1_000);
    const turn = await harness.say('second');
    expect(await harness.cancel({ target: 'mine', ref: 'c2' })).toEqual({ type: 'ref_reused' });
    expect(await harness.cancel({ target: 'session', ref: 'c2' })).toMatchObject({
      running: expect.arrayContaining([turn]),
    });
    await harness.clock.advance(2_000);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test('one whose first sending was lost reaches what its sender had seen, and its own SAYs without a reply', async () => {
    const harness = await startHarness({ respond: waiting });
    const [bob, dora] = [callerOf('bob'), callerOf('dora')];
    for (const caller of [bob, dora]) await harness.session.join(caller, createRecorder().listener, null);
    const seen = await harness.say('seen');
    const seq = await seqOf(harness, seen);
    const unanswered = await harness.say('unanswered', dora, 's1');
    const other = await harness.say('other', bob);
    await harness.clock.advance(50);
    const cancel = { target: 'session', ref: 'c', seen: seq, says: ['s1', 'never'] };
    const reply = await harness.cancel(cancel, dora);
    expect(reply).toMatchObject({ type: 'cancel_accepted', receipt: { running: expect.arrayContaining([other]) } });
    await harness.clock.advance(2_000);
    expect([seen, unanswered, other].map((turn) => harness.endOf(turn)?.outcome)).toEqual([
      'cancelled',
      'cancelled',
      'completed',
    ]);
  });

  test('with everything below the turns that it reaches, however late that was started; a detached agent counts with its turn', async () => {
    const harness = await startHarness({
      agents: { helper: { description: 'helps', instructions: 'Help.' } },
      respond: (_, n) =>
        n === 0
          ? callsResponse(['wait', { ms: 200 }], ['spawn_agent', { task: 'beside', detached: true }])
          : n === 1
            ? callsResponse(['wait', { ms: 900 }])
            : textResponse('done'),
    });
    const turn = await harness.say('words');
    const seq = await seqOf(harness, turn);
    await harness.clock.advance(500); // the turn's own calls are over, and the agent is at work
    const agent = harness.recorder.of('turn_opened').find(({ kind }) => kind === 'agent')?.turn ?? '';
    await harness.cancel({ target: 'session', ref: 'c', seen: seq });
    await harness.clock.advance(2_000);
    expect(harness.endOf(agent)?.outcome).toBe('cancelled');
    expect(turn).not.toBe(agent);
  });
});

describe('while the store does not write', () => {
  /** A turn with a CANCEL (`c`) whose acceptance does not commit before \`release\`; its call has ended. */
  async function stoppedWithoutCommit() {
    const store = createMemoryLog();
    let writes = Promise.resolve();
    const log = wrapLog(store, { append: (...args) => writes.then(() => store.append(...args)) });
    const harness = await startHarness({ log, respond: callsOnce(['wait', { ms: 900 }]) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const { promise, resolve: release, reject: fail } = Promise.withResolvers<void>();
    promise.catch(() => {});
    writes = promise;
    const first = harness.session.cancel(harness.alice, { target: turn, ref: 'c' });
    await harness.clock.advance(10);
    return { harness, turn, first, release, fail };
  }

  test('a second copy of a CANCEL has the receipt after its commit, or as not durable [cancel.idempotent.ref]', async () => {
    for (const waitMs of [100, 300]) {
      const { harness, turn, first, release } = await stoppedWithoutCommit();
      const copy = harness.session.cancel(harness.alice, { target: turn, ref: 'c' });
      let isReplied = false;
      void copy.then(() => {
        isReplied = true;
      });
      await harness.clock.advance(waitMs);
      expect(isReplied).toBe(waitMs > 250);
      release();
      await harness.clock.advance(10);
      const durable = waitMs < 250;
      expect(await first).toMatchObject({ type: 'cancel_accepted', durable });
      expect(await copy).toMatchObject({ type: 'cancel_accepted', durable, repeated: true });
    }
  });

  test('a CANCEL that waits for an open receipt is replied to when the session ends [cancel.settled]', async () => {
    const { harness, turn, fail } = await stoppedWithoutCommit();
    const waits = harness.session.cancel(harness.alice, { target: turn, ref: 'other' });
    fail();
    await harness.clock.advance(10_000);
    expect(harness.recorder.ended).toBe('store_failed');
    expect(await waits).toMatchObject({ type: 'already_settled', receipt: null });
  });
});
