// Rooms in the runtime: speakers whom a bridge names, their roles, who counts as a participant, and delegation.
import { describe, expect, test } from 'vitest';
import type { Caller } from '../../src/core/session/api.ts';
import { createRecorder } from '../../src/testing/recorder.ts';
import { callerOf, callsOnce, callsResponse, type Harness, startHarness } from '../support/harness.ts';

const bob = callerOf('bob');
const bridge = callerOf('discord', ['bridge', 'moderator']);
const inRoom = (id: string): Caller => ({ ...callerOf(id), connection: bridge.connection, via: 'discord' });

const start = (policy: 'owner' | 'addressed' = 'owner', ms = 900) =>
  startHarness({ session: () => ({ policy }), respond: () => callsResponse(['wait', { ms }]) });

describe('a bridge', () => {
  /** A turn of zoe's, whom the bridge speaks for. Alice has left. */
  async function startRoom(): Promise<{ harness: Harness; turn: string }> {
    const harness = await start();
    await harness.session.leave(harness.alice.connection, 'left');
    await harness.session.join(bridge, createRecorder().listener, null);
    await harness.session.setSpeaker(inRoom('zoe'), { present: true });
    const turn = await harness.say('words', inRoom('zoe'));
    await harness.clock.advance(50);
    return { harness, turn };
  }

  test('is no participant of the room that it relays, so who is alone in it may stop everything [owner.guard]', async () => {
    const { harness, turn } = await startRoom();
    await harness.session.setSpeaker(inRoom('yan'), { present: true });
    expect(await harness.cancel({ target: turn }, inRoom('yan'))).toMatchObject({ type: 'cancel_refused' });
    await harness.session.setSpeaker(inRoom('yan'), { present: false });
    const reply = await harness.cancel({ target: turn }, inRoom('zoe'));
    expect(reply).toMatchObject({ type: 'cancel_accepted' });
  });

  test('an owner who has left the room counts for `absentMs` [owner.guard]', async () => {
    const { harness, turn } = await startRoom();
    await harness.session.setSpeaker(inRoom('yan'), { present: true });
    await harness.session.setSpeaker(inRoom('zoe'), { present: false });
    expect(await harness.cancel({ target: turn }, inRoom('yan'))).toMatchObject({ type: 'cancel_refused' });
  });

  test('gives a speaker the roles of the room, for that connection alone, until it takes them away [owner.roles]', async () => {
    const { harness, turn } = await startRoom();
    await harness.session.setSpeaker(inRoom('mo'), { present: true, roles: ['moderator'] });
    const elsewhere = { ...inRoom('mo'), connection: 'another bridge' };
    expect(await harness.cancel({ target: turn }, elsewhere)).toMatchObject({ type: 'cancel_refused' });
    await harness.session.setSpeaker(inRoom('mo'), { present: true, roles: ['member'] });
    expect(await harness.cancel({ target: turn }, inRoom('mo'))).toMatchObject({ type: 'cancel_refused' });
    await harness.session.setSpeaker(inRoom('mo'), { present: true, roles: ['moderator'] });
    expect(await harness.cancel({ target: turn }, inRoom('mo'))).toMatchObject({ type: 'cancel_accepted' });
  });

  test('gives no role that it does not have itself [access.join] [owner.roles]', async () => {
    const harness = await start();
    await harness.session.join(callerOf('discord', ['bridge']), createRecorder().listener, null);
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const reply = await harness.session.setSpeaker(inRoom('mo'), { present: true, roles: ['member', 'moderator'] });
    expect(reply).toEqual({ type: 'role_not_allowed' });
    expect(await harness.cancel({ target: turn }, inRoom('mo'))).toMatchObject({ type: 'cancel_refused' });
    expect(await harness.session.setSpeaker(inRoom('mo'), { present: true })).toMatchObject({ roles: ['member'] });
  });

  test('a role that a caller claims beside its bridge counts for nothing [owner.identity]', async () => {
    const { harness, turn } = await startRoom();
    await harness.session.setSpeaker(inRoom('eve'), { present: true });
    const claimed: Caller = { ...inRoom('eve'), speaker: { id: 'eve', roles: ['moderator', 'emergency'] } };
    expect(await harness.cancel({ target: turn }, claimed)).toMatchObject({ type: 'cancel_refused' });
  });

  test('who is no bridge has no room [owner.identity]', async () => {
    const { harness } = await startRoom();
    expect(await harness.session.setSpeaker(bob, { present: true })).toEqual({ type: 'as_not_allowed' });
  });

  test('a room that is full takes nobody more, and its end empties it [ws.limits]', async () => {
    const harness = await startHarness({ limits: { roomSpeakers: 2 } });
    await harness.session.join(bridge, createRecorder().listener, null);
    const join = (id: string) => harness.session.setSpeaker(inRoom(id), { present: true });
    expect([await join('a'), await join('b'), await join('a')].map(({ type }) => type)).toEqual([
      'speaker',
      'speaker',
      'speaker',
    ]);
    expect(await join('c')).toEqual({ type: 'too_many_speakers', limit: 2 });
    await harness.session.leave(bridge.connection, 'lost');
    await harness.session.join(bridge, createRecorder().listener, null);
    expect(await join('c')).toMatchObject({ type: 'speaker' });
  });
});

describe('a delegation', () => {
  async function startShared() {
    const harness = await start('owner', 5_000);
    await harness.session.join(bob, createRecorder().listener, null);
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    return { harness, turn };
  }
  const may = async (harness: Harness, target: string) =>
    (await harness.cancel({ target }, bob)).type === 'cancel_accepted';

  test('lets whom the owner has named stop what is the owner’s, and the record says so [owner.roles] [owner.replay]', async () => {
    const { harness, turn } = await startShared();
    expect(await may(harness, turn)).toBe(false);
    expect(await harness.session.delegate(harness.alice, { speaker: 'bob', ref: 'd1' })).toMatchObject({
      type: 'stop_delegated',
      delegated: { by: 'alice', to: 'bob', target: 'mine', until: null, ref: 'd1' },
      repeated: false,
    });
    expect(await harness.session.delegate(harness.alice, { speaker: 'bob' })).toMatchObject({ repeated: true });
    expect(await may(harness, turn)).toBe(true);
    expect(harness.recorder.of('stop_delegated')).toHaveLength(1);
    expect(harness.recorder.of('cancel_decided').at(-1)?.nodes[0]).toMatchObject({
      isDelegated: true,
      may: true,
      because: 'delegate',
    });
  });

  test('ends at its time, or by another one whose time is over [owner.roles]', async () => {
    const { harness, turn } = await startShared();
    const now = harness.clock.now();
    await harness.session.delegate(harness.alice, { speaker: 'bob', until: now + 100 });
    await harness.clock.advance(100);
    expect(await may(harness, turn)).toBe(false);
    await harness.session.delegate(harness.alice, { speaker: 'bob' });
    await harness.session.delegate(harness.alice, { speaker: 'bob', until: 0 });
    expect(await may(harness, turn)).toBe(false);
    expect(await harness.session.delegate(harness.alice, { speaker: 'bob', until: 0 })).toMatchObject({
      repeated: true,
    });
  });

  test('of a node covers what is below it and nothing else; of what is not one’s own there is none [owner.roles]', async () => {
    const { harness, turn } = await startShared();
    const call = harness.callNamed('wait');
    expect(await harness.session.delegate(bob, { speaker: 'carl', target: call })).toEqual({
      type: 'not_yours',
      target: call,
    });
    expect(await harness.session.delegate(harness.alice, { speaker: 'bob', target: 'turn_none' })).toMatchObject({
      type: 'not_yours',
    });
    await harness.session.delegate(harness.alice, { speaker: 'bob', target: call });
    expect(await harness.cancel({ target: turn }, bob)).toMatchObject({
      type: 'cancel_accepted',
      receipt: { stopping: [call], refused: [{ node: turn, reason: 'not_owner' }] },
    });
  });

  test('is known after a restart [owner.roles] [store.durable]', async () => {
    const { harness } = await startShared();
    await harness.session.delegate(harness.alice, { speaker: 'bob' });
    const next = await startHarness({
      life: 2,
      log: harness.log,
      session: () => ({ policy: 'owner' as const }),
      respond: callsOnce(['wait', { ms: 900 }]),
    });
    await next.session.join(bob, createRecorder().listener, null);
    const turn = await next.say('again');
    await next.clock.advance(50);
    expect(await may(next, turn)).toBe(true);
  });
});
