// A session that loses its connection, at a wire that the test holds: what goes out again, what does not, what is said meanwhile.
import { describe, expect, test } from 'vitest';
import { JoinedSession } from '../../src/client/joined-session.ts';
import type { ClientFrame } from '../../src/protocol/client-frames.ts';
import type { ServerFrame, ServerFrameOf } from '../../src/protocol/server-frames.ts';

function setUp(options: { after?: number; whileDisconnected?: 'wait' } = {}) {
  const sent: ClientFrame[] = [];
  const emitted: ServerFrame[] = [];
  const retries: { readonly failures: number; readonly rejoin: () => void }[] = [];
  let count = 0;
  let ends = 0;
  let joinRef = '';
  const session = new JoinedSession({
    id: 's',
    after: options.after ?? null,
    createRef: () => `r${count++}`,
    send(frame) {
      if (frame.type === 'JOIN') joinRef = frame.ref;
      sent.push(frame);
    },
    whileDisconnected: options.whileDisconnected,
    rejoinLater: (failures, rejoin) => retries.push({ failures, rejoin }),
    onEnd: () => ends++,
  });
  session.on('*', (frame) => emitted.push(frame));
  const at = {
    session,
    sent,
    emitted,
    retries,
    ends: () => ends,
    /** What has gone out since the last time, by type and ref. */
    out: () => sent.splice(0).map((frame) => `${frame.type} ${'ref' in frame ? frame.ref : ''}`),
    joined: (seq: number, fields: Partial<ServerFrameOf<'joined'>> = {}) =>
      session.receive({
        type: 'joined',
        ref: joinRef,
        session: 's',
        kind: 'text',
        policy: 'anyone',
        seq,
        nodes: [],
        blocks: [],
        questions: [],
        ...fields,
      }),
    replayed: () => session.receive({ type: 'replayed', ref: joinRef, session: 's' }),
    breakOff() {
      session.disconnect();
      session.connect();
    },
  };
  return at;
}

const opened = (seq: number, ref: string, turn = 'turn_1'): ServerFrame => ({
  type: 'turn_opened',
  session: 's',
  seq,
  at: 0,
  turn,
  kind: 'say',
  owner: 'ann',
  lane: 'ann',
  text: 'words',
  ref,
});
const accepted = (ref: string, fields: Partial<ServerFrameOf<'cancel_accepted'>> = {}): ServerFrame => ({
  type: 'cancel_accepted',
  session: 's',
  cancel: 'cancel_1',
  ref,
  source: 'client',
  by: 'ann',
  reason: null,
  target: 'turn_1',
  force: false,
  stopping: ['turn_1'],
  pending: [],
  refused: [],
  detached: [],
  ...fields,
});
const settled = (ref: string, fields: Partial<ServerFrameOf<'cancel_settled'>> = {}): ServerFrame => ({
  type: 'cancel_settled',
  session: 's',
  cancel: 'cancel_1',
  ref,
  cause: { source: 'client', by: 'ann', reason: null, target: 'turn_1' },
  nodes: [],
  ...fields,
});

describe('over the next connection', () => {
  test('a session is joined from where it was, and nothing is said before it is known where that is [ws.resume]', () => {
    const at = setUp();
    at.session.say('early');
    expect(at.out()).toEqual(['JOIN r0']);
    at.breakOff(); // it was never joined
    expect(at.sent).toEqual([{ type: 'JOIN', ref: 'r2', session: 's' }]);
    at.out();
    at.joined(7);
    expect(at.out()).toEqual(['SAY r1']);
    at.session.receive(opened(8, 'r1'));
    at.breakOff();
    expect(at.sent).toEqual([{ type: 'JOIN', ref: 'r3', session: 's', after: 8 }]);
  });

  test('what the replay answers is not said again, the rest is, in its order and before anything new [ws.resume]', async () => {
    const at = setUp();
    at.joined(1);
    const one = at.session.say('one');
    const two = at.session.say('two');
    const all = at.session.cancel('mine');
    at.out();
    at.session.disconnect();
    at.session.connect();
    at.joined(3);
    const three = at.session.say('three');
    expect(at.out()).toEqual(['JOIN r4']);
    at.session.receive(opened(2, one.ref));
    expect(await one.opened).toBe('turn_1');
    at.replayed();
    expect(at.out()).toEqual([`SAY ${two.ref}`, `CANCEL ${all.ref}`, `SAY ${three.ref}`]);
  });

  test('where nothing is unsure, nothing waits for the replay', () => {
    const at = setUp({ after: 0 });
    at.out();
    at.joined(1_000);
    const turn = at.session.say('while the history is on its way');
    expect(at.out()).toEqual([`SAY ${turn.ref}`]);
    at.replayed();
    at.replayed();
    expect(at.emitted.map(({ type }) => type)).toEqual(['joined', 'replayed']);
  });

  test('a stop of a node goes out at once, under its ref [cancel.idempotent]', async () => {
    const at = setUp();
    at.joined(1);
    const turn = at.session.say('one');
    at.session.receive(opened(2, turn.ref));
    const cancel = turn.cancel({ reason: 'enough' });
    const first = at.sent.at(-1);
    at.out();
    at.breakOff();
    expect(at.sent).toEqual([expect.objectContaining({ type: 'JOIN' }), first]);
    at.out();
    at.joined(3);
    at.session.receive(accepted(cancel.ref, { seq: 3, at: 0 }));
    at.replayed();
    at.breakOff();
    expect(at.out()).toHaveLength(1);
    at.joined(4);
    at.session.receive(settled(cancel.ref, { seq: 4, at: 0 }));
    expect(await cancel.settled).toMatchObject({ seq: 4 });
  });

  test('a stop of what was only just said does not overtake it, and names the turn when the replay has', () => {
    const at = setUp();
    at.joined(1);
    const turn = at.session.say('one');
    const cancel = turn.cancel();
    expect(at.sent.at(-1)).toMatchObject({ type: 'CANCEL', target: `say:${turn.ref}` });
    at.out();
    at.breakOff();
    at.joined(1);
    at.replayed();
    expect(at.out()).toEqual([expect.stringContaining('JOIN'), `SAY ${turn.ref}`, `CANCEL ${cancel.ref}`]);
    at.breakOff();
    at.joined(2);
    at.session.receive(opened(2, turn.ref));
    at.replayed();
    expect(at.sent.slice(1)).toMatchObject([{ type: 'CANCEL', ref: cancel.ref, target: 'turn_1' }]);
  });

  test.each([
    ['not durable yet', { durable: false }],
    ['a repeat whose end has not come', { repeated: true }],
  ] as const)('an acceptance that was %s is no answer', async (_, fields) => {
    const at = setUp();
    at.joined(1);
    const cancel = at.session.cancel('turn_1');
    at.session.receive(accepted(cancel.ref, fields));
    await cancel.accepted;
    at.out();
    at.breakOff();
    expect(at.out()).toEqual([expect.stringContaining('JOIN'), `CANCEL ${cancel.ref}`]);
    at.session.receive(accepted(cancel.ref, { repeated: true }));
    at.session.receive(settled(cancel.ref, { repeated: true }));
    at.breakOff();
    expect(at.out()).toHaveLength(1);
    expect(at.emitted.filter(({ type }) => type === 'cancel_accepted')).toHaveLength('durable' in fields ? 1 : 0);
  });

  test('a yes is given again when nothing has closed the question meanwhile', async () => {
    const at = setUp();
    at.joined(1);
    const [one, two] = [at.session.approve('call_1'), at.session.answer('call_2', 'b')];
    const refs = at.sent.slice(1).map((frame) => ('ref' in frame ? frame.ref : ''));
    at.out();
    at.breakOff();
    at.joined(2);
    const closed = { session: 's', seq: 2, at: 0, node: 'call_1', by: 'ann' } as const;
    at.session.receive({ ...closed, type: 'approval_closed', answer: 'approved', ref: refs[0] ?? '' });
    expect(await one).toMatchObject({ answer: 'approved' });
    at.replayed();
    expect(at.out()).toEqual([expect.stringContaining('JOIN'), `ANSWER ${refs[1]}`]);
    const refused = {
      type: 'answer_refused',
      session: 's',
      target: 'call_2',
      code: 'expired',
      message: 'late',
    } as const;
    at.session.receive({ ...refused, ref: refs[1] ?? '' });
    await expect(two).rejects.toMatchObject({ name: 'CommandRefused', code: 'expired' });
  });

  test('text goes on where it was [ws.resume]', () => {
    const at = setUp({ after: 0 });
    at.joined(1);
    at.replayed();
    const turn = { session: 's', turn: 'turn_1', index: 0 };
    at.session.receive({ ...turn, type: 'model_started', seq: 2, at: 0 });
    at.session.receive({ ...turn, type: 'text_delta', offset: 0, text: 'Hel' });
    at.breakOff();
    at.joined(2, { blocks: [{ turn: 'turn_1', index: 0, offset: 0, text: 'Hello, wor' }] });
    at.replayed();
    at.session.receive({ ...turn, type: 'text_delta', offset: 10, text: 'ld' });
    const texts = at.emitted.flatMap((frame) => (frame.type === 'text_delta' ? [[frame.offset, frame.text]] : []));
    expect(texts).toEqual([
      [0, 'Hel'],
      [3, 'lo, wor'],
      [10, 'ld'],
    ]);
  });
});

describe('without a connection', () => {
  test('what is said is refused, unless it was to wait; a stop waits', async () => {
    const at = setUp();
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

  test('what waits is bounded', async () => {
    const at = setUp({ whileDisconnected: 'wait' });
    at.session.disconnect();
    const said = Array.from({ length: 65 }, () => at.session.say('words'));
    await expect(said[64]?.opened).rejects.toMatchObject({ code: 'too_many_unanswered', limit: 64 });
    at.session.connect();
    at.out();
    at.joined(1);
    expect(at.out()).toHaveLength(64);
  });

  test('what is cancelled before it goes out does not go out', async () => {
    const at = setUp();
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
    const at = setUp();
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
  test('is joined again after a pause, which grows [ws.resume]', async () => {
    const at = setUp();
    at.joined(4);
    const turn = at.session.say('words');
    at.out();
    at.session.receive({ type: 'left', session: 's', reason: 'fenced' });
    expect(at.session.state).toBe('away');
    at.retries[0]?.rejoin();
    expect(at.sent).toMatchObject([{ type: 'JOIN', after: 4 }]);
    const { ref } = at.sent.splice(0)[0] as { ref: string };
    at.session.receive({ type: 'error', ref, session: 's', code: 'unavailable', message: 'the store' });
    at.retries[1]?.rejoin();
    at.joined(5);
    at.session.receive(opened(5, turn.ref));
    at.replayed();
    expect(await turn.opened).toBe('turn_1');
    expect(at.retries.map(({ failures }) => failures)).toEqual([1, 2]);
    expect(at.ends()).toBe(0);
  });

  test('is not joined twice when a connection comes in between', () => {
    const at = setUp();
    at.joined(4);
    at.session.receive({ type: 'left', session: 's', reason: 'shutdown' });
    at.session.disconnect();
    at.session.connect();
    at.out();
    at.retries[0]?.rejoin();
    expect(at.out()).toEqual([]);
  });

  test('and may not be joined again, has ended', async () => {
    const at = setUp();
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

test('another log under the same name: what was known is thrown away, and all of it is emitted', async () => {
  const at = setUp();
  at.joined(40);
  const turn = at.session.say('words');
  const handed = turn.ended.catch((error) => error);
  at.session.receive(opened(41, turn.ref));
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
  at.session.receive(opened(1, 'other', 'turn_a'));
  at.replayed();
  expect(at.session.seq).toBe(1);
  expect(at.out()).toEqual([`SAY ${waiting.ref}`]);
});

test('frames that come twice are told once [ws.resume]', () => {
  const at = setUp();
  at.joined(1);
  at.joined(1);
  const turn = at.session.say('words');
  const stop = at.session.cancel('turn_0');
  const error = { type: 'error', ref: turn.ref, session: 's', code: 'rate_limited', message: 'slowly' } as const;
  const unknown = { type: 'unknown_target', ref: stop.ref, session: 's', target: 'turn_0' } as const;
  const twice = [opened(2, 'other'), { ...opened(2, 'other'), repeated: true as const }, error, unknown];
  for (const frame of [...twice, ...twice]) at.session.receive(frame as ServerFrame);
  const join = at.sent.find(({ type }) => type === 'JOIN') as { ref: string };
  at.session.receive({ type: 'error', ref: join.ref, session: 's', code: 'already_joined', message: 'twice' });
  expect(at.emitted.map(({ type }) => type)).toEqual(['joined', 'turn_opened', 'error', 'unknown_target']);
  expect(at.session.state).toBe('joined');
});
