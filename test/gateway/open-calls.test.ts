// Calls that a bridge runs itself, over real sockets: who may, what each connection receives, a bridge that is lost and comes back.
import { expect, onTestFinished, test } from 'vitest';
import type { CallStopNotice } from '../../src/client/call-in-flight.ts';
import { connect } from '../../src/client/client.ts';
import { openSocketRoom, roomId, roomTokenOf, type SocketRoom } from '../standing/room-on-sockets.ts';
import type { RawClient } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const openCall = { type: 'OPEN_CALL', ref: 'o1', name: 'render', input: { frames: 3 } };

async function openFor(bridge: RawClient, as: string): Promise<string> {
  bridge.send({ ...openCall, ref: `open-${as}`, as });
  const { call } = await bridge.waitFor('turn_opened', { ref: `open-${as}`, kind: 'call', owner: as });
  await bridge.waitFor('tool_started', { node: call });
  return String(call);
}

/** A bridge by the client package, which comes back when its connection is lost. */
async function startBridge(room: SocketRoom) {
  const client = await connect({ url: room.url, token: roomTokenOf('discord'), reconnect: { minMs: 10, maxMs: 50 } });
  onTestFinished(() => client.close());
  const session = client.session(roomId);
  await session.joined;
  return { client, session };
}

test('only a bridge opens, reports on and settles calls [external.settle]', async () => {
  const room = await openSocketRoom();
  const ann = await room.enter('ann');
  for (const frame of [
    openCall,
    { type: 'REPORT_CALL', ref: 'o2', node: 'call_1', text: 'x' },
    { type: 'SETTLE_CALL', ref: 'o3', node: 'call_1', outcome: 'completed' },
  ]) {
    ann.send(frame);
    expect(await ann.waitFor('error', { ref: frame.ref })).toMatchObject({ code: 'as_not_allowed', field: 'type' });
  }
  expect(ann.all('turn_opened')).toEqual([]);
});

test('every member sees the call; its owner stops it, its bridge is asked to, and settles it [external.stop] [external.settle]', async () => {
  const room = await openSocketRoom({ policy: 'owner' });
  const [bridge, irc, ann, bob] = [
    await room.enter('discord'),
    await room.enter('irc'),
    await room.enter('ann'),
    await room.enter('bob'),
  ];
  const node = await openFor(bridge, 'ann');
  await bob.waitFor('tool_call', { node, name: 'render', owner: 'ann' });
  bridge.send({ type: 'REPORT_CALL', ref: 'r1', node, text: 'frame 1' });
  await bridge.waitFor('call_reported', { ref: 'r1', node });
  await bob.waitFor('tool_output', { node, text: 'frame 1' });
  bob.send({ type: 'CANCEL', ref: 'c1', target: node });
  await bob.waitFor('cancel_refused', { ref: 'c1' });
  irc.send({ type: 'SETTLE_CALL', ref: 's1', node, outcome: 'completed' });
  expect(await irc.waitFor('error', { ref: 's1' })).toMatchObject({ code: 'unknown_call', field: 'node' });
  ann.send({ type: 'CANCEL', ref: 'c2', target: 'mine', reason: 'enough' });
  const stop = await bridge.waitFor('stop_call', { node });
  expect(stop).toMatchObject({ cause: { source: 'client', by: 'ann', reason: 'enough' }, force: false });
  bridge.send({ type: 'SETTLE_CALL', ref: 's2', node, outcome: 'stopped', output: '1 frame' });
  await bridge.waitFor('call_settled', { ref: 's2', node });
  await ann.waitFor('tool_result', { node, outcome: 'cancelled', output: '1 frame' });
  await ann.waitFor('cancel_settled', { ref: 'c2' });
  bridge.send({ type: 'SETTLE_CALL', ref: 's3', node, outcome: 'completed' });
  expect(await bridge.waitFor('error', { ref: 's3' })).toMatchObject({ code: 'call_settled' });
  bridge.send({ type: 'SETTLE_CALL', ref: 's2', node, outcome: 'stopped', output: '1 frame' });
  expect([...ann.all('stop_call'), ...irc.all('stop_call')]).toEqual([]);
  bridge.send({ type: 'PING', ref: 'p1' });
  await bridge.waitFor('pong', { ref: 'p1' });
});

test('a moderator stops it by the session, and the same OPEN_CALL again is a repeat [external.stop] [external.settle]', async () => {
  const room = await openSocketRoom({ policy: 'owner' });
  const [bridge, mo] = [await room.enter('irc'), await room.enter('mo')];
  const node = await openFor(bridge, 'ann');
  bridge.send({ ...openCall, ref: 'open-ann', as: 'ann' });
  await bridge.waitFor('turn_opened', { repeated: true, call: node });
  mo.send({ type: 'CANCEL', ref: 'c1', target: 'session' });
  await bridge.waitFor('stop_call', { node });
});

test('the client package: opened, reported on, stopped and settled by one handle [external.stop] [external.settle]', async () => {
  const room = await openSocketRoom();
  const ann = await room.enter('ann');
  const { session } = await startBridge(room);
  const stops: CallStopNotice[] = [];
  const call = session.speaks('ann').openCall('render', {
    input: { frames: 3 },
    onStop(stop) {
      stops.push(stop);
      void call.settle({ outcome: 'stopped', output: 'stopped' });
    },
  });
  expect(JSON.parse(await call.started)).toEqual({ frames: 3 });
  call.report('frame 1');
  await ann.waitFor('tool_output', { text: 'frame 1' });
  ann.send({ type: 'SAY', ref: 's1', text: 'stop' });
  await ann.waitFor('stop_phrase', { ref: 's1' });
  expect(await call.ended).toMatchObject({ node: await call.node, outcome: 'cancelled', output: 'stopped' });
  expect(stops).toMatchObject([{ cause: { source: 'phrase', by: 'ann' } }]);
  await expect(call.settle({ outcome: 'completed' })).rejects.toMatchObject({ code: 'call_settled' });
});

test('a call that is denied never starts, and its handle says so [external.stop]', async () => {
  const room = await openSocketRoom();
  const ann = await room.enter('ann');
  const { session } = await startBridge(room);
  const call = session.openCall('render', { as: 'ann', approval: true });
  const node = await call.node;
  await ann.waitFor('approval_requested', { node, to: 'ann' });
  ann.send({ type: 'DENY', ref: 'd1', target: node });
  expect(await call.ended).toMatchObject({ outcome: 'denied', effect: 'not_started' });
  await expect(call.started).rejects.toThrow('denied');
});

test('a bridge whose connection breaks goes on with its call, and receives the stop that came meanwhile [external.lost]', async () => {
  const room = await openSocketRoom();
  const ann = await room.enter('ann');
  const first = await room.enter('irc');
  const node = await openFor(first, 'ann');
  const second = await room.connect('irc');
  first.socket.terminate();
  ann.send({ type: 'CANCEL', ref: 'c1', target: node });
  await ann.waitFor('cancel_accepted', { ref: 'c1' });
  await second.join(roomId);
  await second.waitFor('stop_call', { node });
  second.send({ type: 'SETTLE_CALL', ref: 's1', node, outcome: 'stopped' });
  await ann.waitFor('tool_result', { node, outcome: 'cancelled' });
});

test('a bridge that does not come back: its call is abandoned [external.lost]', async () => {
  const room = await openSocketRoom({ limits: { disconnectGraceMs: 50 } });
  const ann = await room.enter('ann');
  const bridge = await room.enter('irc');
  const node = await openFor(bridge, 'ann');
  bridge.socket.terminate();
  await ann.waitFor('tool_result', { node, outcome: 'abandoned', effect: 'unknown' });
  await ann.waitFor('abandoned_ended', { node });
  await until(async () => (await room.runtime.nodes(roomId)).length === 0, { what: 'the end of the turn' });
});

test('a program opens calls by a local session with the role of a bridge [external.stop]', async () => {
  const room = await openSocketRoom();
  const ann = await room.enter('ann');
  const session = await room.runtime.session(roomId);
  await using jobs = session.as({ id: 'jobs', roles: ['bridge'] });
  const call = jobs.openCall('render', { as: 'ann', onStop: () => void call.settle({ outcome: 'stopped' }) });
  await call.started;
  ann.send({ type: 'CANCEL', ref: 'c1', target: 'mine' });
  expect(await call.ended).toMatchObject({ outcome: 'cancelled' });
  await using guest = session.as('guest');
  await expect(guest.openCall('render').node).rejects.toMatchObject({ code: 'as_not_allowed' });
});
