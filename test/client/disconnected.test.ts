// A session without a connection, one that the server ends, and one whose log was replaced.
import { describe, expect, test } from 'vitest';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { openedFrame, setUpSession } from './held-session.ts';

describe('without a connection', () => {
  test('a SAY is refused, unless it may wait; a CANCEL waits', async () => {
    const held = setUpSession();
    held.joined(1);
    held.out();
    held.session.disconnect();
    expect(held.session.state).toBe('away');
    await expect(held.session.say('now').ended).rejects.toMatchObject({ name: 'NotConnected' });
    await expect(held.session.approve('call_1')).rejects.toMatchObject({ name: 'NotConnected' });
    await expect(held.session.cancel('mine', { whileDisconnected: 'reject' }).accepted).rejects.toMatchObject({
      name: 'NotConnected',
    });
    const later = held.session.say('later', { whileDisconnected: 'wait' });
    const stop = held.session.cancel('turn_9');
    held.session.connect();
    expect(held.out()).toEqual([expect.stringContaining('JOIN'), `CANCEL ${stop.ref}`]);
    held.joined(1);
    held.replayed();
    expect(held.out()).toEqual([`SAY ${later.ref}`]);
  });

  test('the number of waiting commands is limited', async () => {
    const held = setUpSession({ whileDisconnected: 'wait' });
    held.session.disconnect();
    const turns = Array.from({ length: 65 }, () => held.session.say('words'));
    await expect(turns[64]?.opened).rejects.toMatchObject({ code: 'too_many_unanswered', limit: 64 });
    held.session.connect();
    held.out();
    held.joined(1);
    expect(held.out()).toHaveLength(64);
  });

  test('a SAY that is cancelled before it is sent is not sent', async () => {
    const held = setUpSession();
    held.session.disconnect();
    const turn = held.session.say('words', { whileDisconnected: 'wait' });
    const cancel = turn.cancel();
    await expect(turn.opened).rejects.toMatchObject({ code: 'cancelled_before_start' });
    expect(await cancel.accepted).toMatchObject({ type: 'unknown_target' });
    expect(await cancel.settled).toBeNull();
    held.out();
    held.session.connect();
    held.joined(1);
    expect(held.out()).toHaveLength(1);
  });

  test('a session is left at once', async () => {
    const held = setUpSession();
    held.joined(1);
    held.session.disconnect();
    await held.session.leave();
    expect(held.session.state).toBe('ended');
    expect(held.ends()).toBe(1);
    held.out();
    held.session.connect();
    expect(held.out()).toEqual([]);
  });
});

describe('a session that the server ends', () => {
  test.each(['unavailable', 'held_elsewhere'] as const)(
    'is joined again after a growing pause, also after %s [ws.resume]',
    async (code) => {
      const held = setUpSession();
      held.joined(4);
      const turn = held.session.say('words');
      held.out();
      held.session.receive({ type: 'left', session: 's', reason: 'fenced' });
      expect(held.session.state).toBe('away');
      held.retries[0]?.rejoin();
      expect(held.sent).toMatchObject([{ type: 'JOIN', after: 4 }]);
      const { ref } = held.sent.splice(0)[0] as { ref: string };
      held.session.receive({ type: 'error', ref, session: 's', code, message: 'the store' });
      held.retries[1]?.rejoin();
      held.joined(5);
      held.session.receive(openedFrame(5, turn.ref));
      held.replayed();
      expect(await turn.opened).toBe('turn_1');
      expect(held.retries.map(({ failures }) => failures)).toEqual([1, 2]);
      expect(held.ends()).toBe(0);
    },
  );

  test('is not joined twice when a connection comes in between', () => {
    const held = setUpSession();
    held.joined(4);
    held.session.receive({ type: 'left', session: 's', reason: 'shutdown' });
    held.session.disconnect();
    held.session.connect();
    held.out();
    held.retries[0]?.rejoin();
    expect(held.out()).toEqual([]);
  });

  test('and that may not be joined again has the state `ended`', async () => {
    const held = setUpSession();
    held.joined(4);
    const turn = held.session.say('words');
    held.breakOff();
    const { ref } = held.sent.at(-1) as { ref: string };
    held.session.receive({ type: 'error', ref, session: 's', code: 'too_many_sessions', message: 'no' });
    await expect(turn.ended).rejects.toMatchObject({ code: 'too_many_sessions' });
    expect(held.session.state).toBe('ended');
    expect(held.ends()).toBe(1);
  });
});

test('another log under the same name: the facts of the old one are dropped, and all of the new one are emitted', async () => {
  const held = setUpSession();
  held.joined(40);
  const turn = held.session.say('words');
  const handed = turn.ended.catch((error) => error);
  held.session.receive(openedFrame(41, turn.ref));
  held.session.disconnect();
  const waiting = held.session.say('still to come', { whileDisconnected: 'wait' });
  held.session.connect();
  held.out();
  held.joined(3);
  expect(await handed).toMatchObject({ name: 'SessionEnded', reason: 'other_log' });
  expect(held.sent).toMatchObject([{ type: 'LEAVE' }, { type: 'JOIN', after: 0 }]);
  const [leave] = held.sent as unknown as [{ ref: string }];
  held.out();
  held.session.receive({ type: 'left', ref: leave.ref, session: 's' });
  held.joined(3);
  held.session.receive(openedFrame(1, 'other', 'turn_a'));
  held.replayed();
  expect(held.session.seq).toBe(1);
  expect(held.out()).toEqual([`SAY ${waiting.ref}`]);
});

test('frames that come twice are emitted once [ws.resume]', () => {
  const held = setUpSession();
  held.joined(1);
  held.joined(1);
  const turn = held.session.say('words');
  const stop = held.session.cancel('turn_0');
  const error = { type: 'error', ref: turn.ref, session: 's', code: 'rate_limited', message: 'slowly' } as const;
  const unknown = { type: 'unknown_target', ref: stop.ref, session: 's', target: 'turn_0' } as const;
  const twice = [openedFrame(2, 'other'), { ...openedFrame(2, 'other'), repeated: true as const }, error, unknown];
  for (const frame of [...twice, ...twice]) held.session.receive(frame as ServerFrame);
  const join = held.sent.find(({ type }) => type === 'JOIN') as { ref: string };
  held.session.receive({ type: 'error', ref: join.ref, session: 's', code: 'already_joined', message: 'twice' });
  expect(held.emitted.map(({ type }) => type)).toEqual(['joined', 'turn_opened', 'error', 'unknown_target']);
  expect(held.session.state).toBe('joined');
});
