// A session at a wire that the test holds: what is told once, though it comes twice.
import { describe, expect, test } from 'vitest';
import { createSession } from '../../src/client/joined-session.ts';
import type { ClientFrame } from '../../src/protocol/client-frames.ts';
import type { FactFrame } from '../../src/protocol/fact-frames.ts';
import type { ServerFrame } from '../../src/protocol/server-frames.ts';

function setUp(after: number | null = null) {
  const sent: ClientFrame[] = [];
  const heard: ServerFrame[] = [];
  let refs = 0;
  let overs = 0;
  const feed = createSession({
    id: 's',
    after,
    refs: () => `r${refs++}`,
    wire: { send: (frame) => sent.push(frame) },
    over: () => overs++,
  });
  feed.session.on('*', (frame) => heard.push(frame));
  const types = () => heard.map(({ type }) => type);
  return { feed, session: feed.session, sent, heard, types, overs: () => overs };
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
const accepted: FactFrame = {
  type: 'cancel_accepted',
  session: 's',
  cancel: 'cancel_1',
  ref: 'r1',
  source: 'client',
  by: 'ann',
  reason: null,
  target: 'turn_1',
  force: false,
  stopping: ['turn_1'],
  pending: [],
  refused: [],
  detached: [],
};
const settled: FactFrame = {
  type: 'cancel_settled',
  session: 's',
  cancel: 'cancel_1',
  ref: 'r1',
  cause: { source: 'client', by: 'ann', reason: null, target: 'turn_1' },
  nodes: [],
};

describe('a session', () => {
  test('joins with the number that it knows, and goes on from what it hears [ws.resume]', async () => {
    const { feed, session, sent, heard } = setUp(7);
    expect(sent).toEqual([{ type: 'JOIN', ref: 'r0', session: 's', after: 7 }]);
    feed.take(joined(12));
    expect(session.seq).toBe(7); // the replay is still to come
    feed.take(started(9));
    feed.take(started(9));
    feed.take(started(8));
    expect(session.seq).toBe(9);
    expect(heard.filter(({ type }) => type === 'turn_started')).toHaveLength(1);
    expect(await session.joined).toMatchObject({ seq: 12 });
  });

  test('without a replay begins where the session stands', () => {
    const { feed, session, sent } = setUp();
    expect(sent[0]).not.toHaveProperty('after');
    feed.take(joined(12));
    expect(session.seq).toBe(12);
  });

  test('tells an acceptance once, though it comes early, numbered and repeated [cancel.idempotent]', async () => {
    const { feed, session, sent, types } = setUp();
    const cancel = session.cancel('turn_1', { reason: 'enough', force: true });
    expect(sent[1]).toEqual({
      type: 'CANCEL',
      ref: 'r1',
      session: 's',
      target: 'turn_1',
      reason: 'enough',
      force: true,
    });
    feed.take({ ...accepted, durable: false });
    expect(await cancel.accepted).toMatchObject({ durable: false });
    feed.take({ ...accepted, seq: 3, at: 0 });
    feed.take({ ...accepted, ref: 'r9', repeated: true });
    expect(session.seq).toBe(3);
    feed.take({ ...settled, seq: 4, at: 0 });
    feed.take({ ...settled, ref: 'r9', repeated: true });
    expect(types()).toEqual(['cancel_accepted', 'cancel_settled']);
    expect(await cancel.settled).toMatchObject({ cancel: 'cancel_1' });
  });

  test('a repeat has its own answer, and the end of the receipt, under whatever ref that comes', async () => {
    const { feed, session } = setUp();
    const again = session.cancel('turn_1');
    feed.take({ ...settled, cancel: 'cancel_0', ref: 'other', seq: 3, at: 0 });
    feed.take({ ...accepted, ref: 'r1', repeated: true });
    expect(await again.accepted).toMatchObject({ repeated: true });
    feed.take({ ...settled, ref: 'other', seq: 4, at: 0 });
    expect(await again.settled).toMatchObject({ cancel: 'cancel_1' });
  });

  test('that the server ends fails what waits, by name; nothing waits for ever', async () => {
    const { feed, session, overs } = setUp();
    feed.take(joined(1));
    const turn = session.say('hi');
    const cancel = session.cancel('mine');
    feed.take({ type: 'left', session: 's', reason: 'store_failed' });
    const end = { name: 'SessionEnded', reason: 'store_failed' };
    await expect(turn.opened).rejects.toMatchObject(end);
    await expect(turn.ended).rejects.toMatchObject(end);
    await expect(cancel.accepted).rejects.toMatchObject(end);
    await expect(cancel.settled).rejects.toMatchObject(end);
    await expect(session.say('late').opened).rejects.toMatchObject(end);
    expect(overs()).toBe(1);
  });

  test('a listener hears its type until it stops', () => {
    const { feed, session } = setUp();
    const turns: string[] = [];
    const stop = session.on('turn_started', ({ turn }) => turns.push(turn));
    feed.take(started(1, 'a'));
    stop();
    feed.take(started(2, 'b'));
    expect(turns).toEqual(['a']);
  });
});
