// A joined session without a socket: repeated frames are emitted once.
import { describe, expect, test } from 'vitest';
import { JoinedSession } from '../../src/client/joined-session.ts';
import type { ClientFrame } from '../../src/wire/client-frames.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { acceptedCancel, settled as settledFrame } from './held-session.ts';

function setUp(after: number | null = null) {
  const sent: ClientFrame[] = [];
  const emitted: ServerFrame[] = [];
  let count = 0;
  let ends = 0;
  const session = new JoinedSession({
    id: 's',
    from: after,
    createRef: () => `r${count++}`,
    send: (frame) => sent.push(frame),
    onEnd: () => ends++,
  });
  session.on('*', (frame) => emitted.push(frame));
  const types = () => emitted.map(({ type }) => type);
  return { session, sent, emitted, types, ends: () => ends };
}

const joined = (seq: number): ServerFrame => ({
  type: 'joined',
  ref: 'r0',
  session: 's',
  kind: 'text',
  policy: 'anyone',
  seq,
  nodes: [],
  blocks: [],
  questions: [],
});
const started = (seq: number, turn = 'turn_1'): ServerFrame => ({
  type: 'turn_started',
  session: 's',
  seq,
  at: 0,
  turn,
  owner: 'ann',
  parent: null,
});
const accepted = acceptedCancel('r1');
const settled = settledFrame('r1');

describe('a session', () => {
  test('joins with the sequence number that it knows, and goes on from the facts that come [ws.resume]', async () => {
    const { session, sent, emitted } = setUp(7);
    expect(sent).toEqual([{ type: 'JOIN', ref: 'r0', session: 's', after: 7 }]);
    session.receive(joined(12));
    expect(session.seq).toBe(7); // the replay has not arrived yet
    session.receive(started(9));
    session.receive(started(9));
    session.receive(started(8));
    expect(session.seq).toBe(9);
    expect(emitted.filter(({ type }) => type === 'turn_started')).toHaveLength(1);
    expect(await session.joined).toMatchObject({ seq: 12 });
  });

  test('without a replay starts at the newest sequence number', () => {
    const { session, sent } = setUp();
    expect(JSON.stringify(sent[0])).not.toContain('after');
    session.receive(joined(12));
    expect(session.seq).toBe(12);
  });

  test('emits an acceptance once, though it arrives without its number, with it, and repeated [cancel.idempotent]', async () => {
    const { session, sent, types } = setUp();
    const cancel = session.cancel('turn_1', { reason: 'enough', force: true });
    expect(sent[1]).toEqual({
      type: 'CANCEL',
      ref: 'r1',
      session: 's',
      target: 'turn_1',
      reason: 'enough',
      force: true,
    });
    session.receive({ ...accepted, durable: false });
    expect(await cancel.accepted).toMatchObject({ durable: false });
    session.receive({ ...accepted, seq: 3, at: 0 });
    session.receive({ ...accepted, ref: 'r9', repeated: true });
    expect(session.seq).toBe(3);
    session.receive({ ...settled, seq: 4, at: 0 });
    session.receive({ ...settled, ref: 'r9', repeated: true });
    expect(types()).toEqual(['cancel_accepted', 'cancel_settled']);
    expect(await cancel.settled).toMatchObject({ cancel: 'cancel_1' });
  });

  test('a repeat gets its own reply, and the end of the receipt under every ref', async () => {
    const { session } = setUp();
    const again = session.cancel('turn_1');
    session.receive({ ...settled, cancel: 'cancel_0', ref: 'other', seq: 3, at: 0 });
    session.receive({ ...accepted, ref: 'r1', repeated: true });
    expect(await again.accepted).toMatchObject({ repeated: true });
    session.receive({ ...settled, ref: 'other', seq: 4, at: 0 });
    expect(await again.settled).toMatchObject({ cancel: 'cancel_1' });
  });

  test('that the server ends fails all its requests by name', async () => {
    const { session, ends } = setUp();
    session.receive(joined(1));
    const turn = session.say('hi');
    const cancel = session.cancel('mine');
    session.receive({ type: 'left', session: 's', reason: 'store_failed' });
    const end = { name: 'SessionEnded', reason: 'store_failed' };
    await expect(turn.opened).rejects.toMatchObject(end);
    await expect(turn.ended).rejects.toMatchObject(end);
    await expect(cancel.accepted).rejects.toMatchObject(end);
    await expect(cancel.settled).rejects.toMatchObject(end);
    await expect(session.say('late').opened).rejects.toMatchObject(end);
    expect(ends()).toBe(1);
  });

  test('a listener gets frames of its type until it is removed', () => {
    const { session } = setUp();
    const turns: string[] = [];
    const stop = session.on('turn_started', ({ turn }) => turns.push(turn));
    session.receive(started(1, 'a'));
    stop();
    session.receive(started(2, 'b'));
    expect(turns).toEqual(['a']);
  });
});
