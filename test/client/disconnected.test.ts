// A session without a connection, one that the server ends, and one whose log was replaced.
import { describe, expect, test } from 'vitest';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { openedFrame, setUpSession } from './held-session.ts';

describe('without a connection', () => {
  test('a SAY is refused, unless it may wait; a CANCEL waits', async () => {
    const at = setUpSession();
    at.joined(1);
    at.out();
    at.session.disconnect();
    expect(at.session.state).toBe('away');
    await expect(at.session.say('now').ended).rejects.toMatchObject({ name: 'NotConnected' });
    await expect(at.session.approve('call_1')).rejects.toMatchObject({ name: 'NotConnected' });
    await expect(at.session.cancel('mine', { whileDisconnected: 'reject' }).accepted).rejects.toMatchObject({
      name: 'NotConnected',
    });
    const later = at.session.say('later', { whileDisconnected: 'wait' });
    const stop = at.session.cancel('turn_9');
    at.session.connect();
    expect(at.out()).toEqual([expect.stringContaining('JOIN'), `CANCEL ${stop.ref}`]);
    at.joined(1);
    at.replayed();
    expect(at.out()).toEqual([`SAY ${later.ref}`]);
  });

  test('the number of waiting commands is limited', async () => {
    const at = setUpSession({ whileDisconnected: 'wait' });
    at.session.disconnect();
    const turns = Array.from({ length: 65 }, () => at.session.say('words'));
    await expect(turns[64]?.opened).rejects.toMatchObject({ code: 'too_many_unanswered', limit: 64 });
    at.session.connect();
    at.out();
    at.joined(1);
    expect(at.out()).toHaveLength(64);
  });

  test('a SAY that is cancelled before it is sent is not sent', async () => {
    const at = setUpSession();
    at.session.disconnect();
    const turn = at.session.say('words', { whileDisconnected: 'wait' });
    const cancel = turn.cancel();
    await expect(turn.opened).rejects.toMatchObject({ code: 'cancelled_before_start' });
    expect(await cancel.accepted).toMatchObject({ type: 'unknown_target' });
    expect(await cancel.settled).toBeNull();
    at.out();
    at.session.connect();
    at.joined(1);
    expect(at.out()).toHaveLength(1);
  });

  test('a session is left at once', async () => {
    const at = setUpSession();
    at.joined(1);
    at.session.disconnect();
    await at.session.leave();
    expect(at.session.state).toBe('ended');
    expect(at.ends()).toBe(1);
    at.out();
    at.session.connect();
    expect(at.out()).toEqual([]);
  });
});

describe('a session that the server ends', () => {
  test.each(['unavailable', 'held_elsewhere'] as const)(
    'is joined again after a growing pause, also after %s [ws.resume]',
    async (code) => {
      const at = setUpSession();
      at.joined(4);
      const turn = at.session.say('words');
      at.out();
      at.session.receive({ type: 'left', session: 's', reason: 'fenced' });
      expect(at.session.state).toBe('away');
      at.retries[0]?.rejoin();
      expect(at.sent).toMatchObject([{ type: 'JOIN', after: 4 }]);
      const { ref } = at.sent.splice(0)[0] as { ref: string };
      at.session.receive({ type: 'error', ref, session: 's', code, message: 'the store' });
      at.retries[1]?.rejoin();
      at.joined(5);
      at.session.receive(openedFrame(5, turn.ref));
      at.replayed();
      expect(await turn.opened).toBe('turn_1');
      expect(at.retries.map(({ failures }) => failures)).toEqual([1, 2]);
      expect(at.ends()).toBe(0);
    },
  );

  test('is not joined twice when a connection comes in between', () => {
    const at = setUpSession();
    at.joined(4);
    at.session.receive({ type: 'left', session: 's', reason: 'shutdown' });
    at.session.disconnect();
    at.session.connect();
    at.out();
    at.retries[0]?.rejoin();
    expect(at.out()).toEqual([]);
  });

  test('and that may not be joined again has the state `ended`', async () => {
    const at = setUpSession();
    at.joined(4);
    const turn = at.session.say('words');
    at.breakOff();
    const { ref } = at.sent.at(-1) as { ref: string };
    at.session.receive({ type: 'error', ref, session: 's', code: 'too_many_sessions', message: 'no' });
    await expect(turn.ended).rejects.toMatchObject({ code: 'too_many_sessions' });
    expect(at.session.state).toBe('ended');
    expect(at.ends()).toBe(1);
  });
});

test('another log under the same name: the facts of the old one are dropped, and all of the new one are emitted', async () => {
  const at = setUpSession();
  at.joined(40);
  const turn = at.session.say('words');
  const handed = turn.ended.catch((error) => error);
  at.session.receive(openedFrame(41, turn.ref));
  at.session.disconnect();
  const waiting = at.session.say('still to come', { whileDisconnected: 'wait' });
  at.session.connect();
  at.out();
  at.joined(3);
  expect(await handed).toMatchObject({ name: 'SessionEnded', reason: 'other_log' });
  expect(at.sent).toMatchObject([{ type: 'LEAVE' }, { type: 'JOIN', after: 0 }]);
  const [leave] = at.sent as unknown as [{ ref: string }];
  at.out();
  at.session.receive({ type: 'left', ref: leave.ref, session: 's' });
  at.joined(3);
  at.session.receive(openedFrame(1, 'other', 'turn_a'));
  at.replayed();
  expect(at.session.seq).toBe(1);
  expect(at.out()).toEqual([`SAY ${waiting.ref}`]);
});

test('frames that come twice are emitted once [ws.resume]', () => {
  const at = setUpSession();
  at.joined(1);
  at.joined(1);
  const turn = at.session.say('words');
  const stop = at.session.cancel('turn_0');
  const error = { type: 'error', ref: turn.ref, session: 's', code: 'rate_limited', message: 'slowly' } as const;
  const unknown = { type: 'unknown_target', ref: stop.ref, session: 's', target: 'turn_0' } as const;
  const twice = [openedFrame(2, 'other'), { ...openedFrame(2, 'other'), repeated: true as const }, error, unknown];
  for (const frame of [...twice, ...twice]) at.session.receive(frame as ServerFrame);
  const join = at.sent.find(({ type }) => type === 'JOIN') as { ref: string };
  at.session.receive({ type: 'error', ref: join.ref, session: 's', code: 'already_joined', message: 'twice' });
  expect(at.emitted.map(({ type }) => type)).toEqual(['joined', 'turn_opened', 'error', 'unknown_target']);
  expect(at.session.state).toBe('joined');
});
