// Rooms over real sockets, in text: who stops what, by a CANCEL frame.
import { afterAll, describe, expect, test } from 'vitest';
import type { RawClient } from '../support/raw-client.ts';
import { until } from '../support/until.ts';
import { openSocketRoom, roomCount, type SocketRoom } from './room-on-sockets.ts';

afterAll(() => console.log(`standing rooms: ${roomCount()} over sockets`));

let refs = 0;

/** Sends a frame with a ref of its own; returns the ref. */
function send(client: RawClient, frame: { readonly type: string; readonly [field: string]: unknown }): string {
  const ref = `r${++refs}`;
  client.send({ ref, ...frame });
  return ref;
}

const endOf = (client: RawClient, turn: string) => client.waitFor('turn_ended', { turn });

/** Ann and bob, each with work of their own. */
async function startShared(room: SocketRoom) {
  const [ann, bob] = [await room.enter('ann'), await room.enter('bob')];
  const hers = await room.work(ann, 'search');
  const his = await room.work(bob, 'build');
  return { ann, bob, hers, his };
}

describe.each([
  { how: 'a CANCEL frame', source: 'client', stop: { type: 'CANCEL', target: 'session' } },
  { how: 'typed words', source: 'phrase', stop: { type: 'SAY', text: 'ok stop' } },
])('in a text session, by $how,', ({ source, stop }) => {
  test('by default B stops all of it [owner.text] [owner.guard] [intent.target]', async () => {
    const room = await openSocketRoom();
    const { ann, bob, hers, his } = await startShared(room);
    const ref = send(bob, stop);
    expect(await bob.waitFor('cancel_accepted', { ref })).toMatchObject({ by: 'bob', refused: [] });
    expect([await endOf(ann, hers), await endOf(ann, his)]).toMatchObject([
      { outcome: 'cancelled' },
      { outcome: 'cancelled' },
    ]);
    expect(room.running).toEqual([]);
    expect(await room.decisions()).toMatchObject([{ source, by: 'bob', policy: 'anyone' }]);
  });

  test("under `owner` B stops only what is B's, and the rest runs on to completion [owner.node] [owner.replay] [intent.target]", async () => {
    const room = await openSocketRoom({ policy: 'owner' });
    const { ann, bob, hers, his } = await startShared(room);
    const ref = send(bob, stop);
    const accepted = await bob.waitFor('cancel_accepted', { ref });
    expect(accepted['refused']).toMatchObject([{ node: hers, reason: 'not_owner' }, { reason: 'not_owner' }]);
    expect(await endOf(ann, his)).toMatchObject({ outcome: 'cancelled' });
    expect(room.running).toEqual(['search']);
    room.letGo();
    expect(await endOf(ann, hers)).toMatchObject({ outcome: 'completed' });
    const [decision] = await room.decisions();
    expect(decision?.nodes.filter(({ may }) => may)).toHaveLength(2);
  });

  test('a moderator stops all of it, also under `owner` [owner.roles]', async () => {
    const room = await openSocketRoom({ policy: 'owner' });
    const { ann, hers, his } = await startShared(room);
    send(await room.enter('mo'), stop);
    expect([await endOf(ann, hers), await endOf(ann, his)]).toMatchObject([
      { outcome: 'cancelled' },
      { outcome: 'cancelled' },
    ]);
    expect(room.running).toEqual([]);
  });
});

describe('in a text session', () => {
  test('whom the owner has named stops what is hers [owner.roles]', async () => {
    const room = await openSocketRoom({ policy: 'owner' });
    const { ann, bob, hers } = await startShared(room);
    const ref = send(ann, { type: 'DELEGATE', speaker: 'bob', target: hers });
    await bob.waitFor('stop_delegated', { ref, by: 'ann', to: 'bob' });
    send(bob, { type: 'CANCEL', target: 'session' });
    expect(await endOf(ann, hers)).toMatchObject({ outcome: 'cancelled' });
    const not = send(bob, { type: 'DELEGATE', speaker: 'eve', target: hers });
    expect(await bob.waitFor('error', { ref: not })).toMatchObject({ code: 'not_yours', field: 'target' });
  });

  test('a spoofed speaker stops nothing, and neither does evidence from who is no bridge [owner.identity]', async () => {
    const room = await openSocketRoom({ policy: 'owner' });
    const { hers, ann } = await startShared(room);
    const eve = await room.enter('eve');
    const spoofed = [
      { type: 'CANCEL', target: hers, as: 'ann' },
      { type: 'CANCEL', target: 'session', as: 'mo' },
      { type: 'SAY', text: 'stop', as: 'ann' },
      { type: 'SAY', text: 'stop', addressed: 1 },
      { type: 'SAY', text: 'stop', replyToBot: true },
      { type: 'DELEGATE', speaker: 'eve', as: 'ann' },
      { type: 'SPEAKER', as: 'eve', present: true, roles: ['moderator'] },
    ];
    for (const frame of spoofed) {
      const ref = send(eve, frame);
      expect(await eve.waitFor('error', { ref }), frame.type).toMatchObject({ code: 'as_not_allowed' });
    }
    expect(room.running).toEqual(['build', 'search']);
    room.letGo();
    expect(await endOf(ann, hers)).toMatchObject({ outcome: 'completed' });
    expect(await room.decisions()).toEqual([]);
  });

  test('the owner leaves in the middle of her cancel: it settles, and the others receive the receipt [cancel.settled]', async () => {
    const room = await openSocketRoom({ policy: 'owner' });
    const { ann, bob, hers } = await startShared(room);
    send(ann, { type: 'CANCEL', target: hers });
    ann.socket.terminate();
    const settled = await bob.waitFor('cancel_settled');
    expect(settled['nodes']).toMatchObject([
      { node: hers, outcome: 'cancelled' },
      { kind: 'tool-call', outcome: 'cancelled' },
    ]);
    expect(room.running).toEqual(['build']);
  });
});

describe('a room that a bridge relays', () => {
  async function startRelayed(room: SocketRoom) {
    const bridge = await room.enter('discord');
    for (const as of ['ann', 'bob', 'zoe']) {
      const roles = as === 'zoe' ? ['moderator'] : ['member'];
      const ref = send(bridge, { type: 'SPEAKER', as, present: true, roles });
      expect(await bridge.waitFor('speaker', { ref })).toMatchObject({ speaker: as, present: true, roles });
    }
    const hers = await room.work(bridge, 'search', 'ann');
    const his = await room.work(bridge, 'build', 'bob');
    return { bridge, hers, his };
  }

  test("B stops what is B's, a moderator of the room the rest [owner.identity] [owner.roles]", async () => {
    const room = await openSocketRoom({ policy: 'owner' });
    const { bridge, hers, his } = await startRelayed(room);
    const byBob = send(bridge, { type: 'CANCEL', target: 'session', as: 'bob' });
    expect(await bridge.waitFor('cancel_accepted', { ref: byBob })).toMatchObject({ by: 'bob', via: 'discord' });
    await until(() => room.running.join() === 'search', { what: 'the end of the call of bob' });
    send(bridge, { type: 'CANCEL', target: 'session', as: 'zoe' });
    expect(await endOf(bridge, hers)).toMatchObject({ outcome: 'cancelled' });
    expect(await endOf(bridge, his)).toMatchObject({ outcome: 'cancelled' });
    expect((await room.decisions()).map(({ by, roles, via }) => [by, roles, via])).toEqual([
      ['bob', ['member'], 'discord'],
      ['zoe', ['moderator'], 'discord'],
    ]);
  });

  test('a role counts for the speaker and the connection that the bridge has given it to [owner.roles]', async () => {
    const room = await openSocketRoom({ policy: 'owner' });
    const { bridge, hers } = await startRelayed(room);
    const byMallory = send(bridge, { type: 'CANCEL', target: hers, as: 'mallory' });
    expect(await bridge.waitFor('cancel_refused', { ref: byMallory })).toMatchObject({
      refused: [{ node: hers, reason: 'not_owner' }, { reason: 'not_owner' }],
    });
    const other = await room.enter('discord');
    const ref = send(other, { type: 'CANCEL', target: hers, as: 'zoe' });
    expect(await other.waitFor('cancel_refused', { ref })).toMatchObject({ by: 'zoe' });
  });

  test('a bridge makes nobody a moderator whose token does not: the refusal has a name [access.join] [owner.roles]', async () => {
    const room = await openSocketRoom({ policy: 'owner' });
    const { hers } = await startShared(room);
    const irc = await room.enter('irc');
    const ref = send(irc, { type: 'SPEAKER', as: 'zoe', present: true, roles: ['moderator'] });
    expect(await irc.waitFor('error', { ref })).toMatchObject({ code: 'role_not_allowed', field: 'roles' });
    const cancel = send(irc, { type: 'CANCEL', target: hers, as: 'zoe' });
    expect(await irc.waitFor('cancel_refused', { ref: cancel })).toMatchObject({ by: 'zoe', via: 'irc' });
    expect(room.running).toEqual(['build', 'search']);
  });
});

describe('in a voice session, the words of a bridge', () => {
  /** Ann and bob in a room of three; ann asks for a search and a build, bob for a mail. */
  async function startVoice() {
    const room = await openSocketRoom({ kind: 'voice' });
    const bridge = await room.enter('discord');
    for (const as of ['ann', 'bob', 'carl']) {
      const ref = send(bridge, { type: 'SPEAKER', as, present: true });
      await bridge.waitFor('speaker', { ref });
    }
    const search = await room.work(bridge, 'search', 'ann');
    return { room, bridge, search, mail: await room.work(bridge, 'mail', 'bob') };
  }

  test('"oh stop" to a friend stops nothing of others: the model reads it, and the refusal has its evidence [owner.voice] [owner.replay]', async () => {
    const { room, bridge, search } = await startVoice();
    const ref = send(bridge, { type: 'SAY', text: 'stop', as: 'carl', addressed: 0.2 });
    const { turn } = await bridge.waitFor('turn_opened', { ref });
    expect(await endOf(bridge, String(turn))).toMatchObject({ outcome: 'completed' });
    expect(room.running).toEqual(['mail', 'search']);
    const [decision] = await room.decisions();
    expect(decision).toMatchObject({
      source: 'phrase',
      by: 'carl',
      kind: 'voice',
      policy: 'addressed',
      addressed: 0.2,
    });
    expect(new Set(decision?.nodes.map(({ because }) => because))).toEqual(new Set(['words_not_addressed']));
    room.letGo();
    expect(await endOf(bridge, search)).toMatchObject({ outcome: 'completed' });
  });

  test.each([
    { why: 'calls the bot by its name', said: { text: 'hey belay, stop' } },
    { why: 'is directed at it for sure', said: { text: 'stop', addressed: 0.9 } },
    { why: 'replies to it', said: { text: 'stop', replyToBot: true } },
  ])('"stop" that $why stops what others have asked for, too [owner.guard.words]', async ({ said }) => {
    const { room, bridge, search, mail } = await startVoice();
    send(bridge, { type: 'SAY', as: 'carl', ...said });
    expect([await endOf(bridge, search), await endOf(bridge, mail)]).toMatchObject([
      { outcome: 'cancelled' },
      { outcome: 'cancelled' },
    ]);
    expect(new Set((await room.decisions())[0]?.nodes.map(({ because }) => because))).toEqual(new Set(['addressed']));
  });

  test("A's \"nvm\" stops A's work, and B's runs on [owner.voice] [owner.node]", async () => {
    const { room, bridge, search, mail } = await startVoice();
    send(bridge, { type: 'SAY', text: 'nvm', as: 'ann' });
    expect(await endOf(bridge, search)).toMatchObject({ outcome: 'cancelled' });
    expect(room.running).toEqual(['mail']);
    room.letGo();
    expect(await endOf(bridge, mail)).toMatchObject({ outcome: 'completed' });
    await room.decisions();
  });

  test('a CANCEL frame is no words: addressing does not count [owner.guard.words]', async () => {
    const { bridge } = await startVoice();
    const ref = send(bridge, { type: 'CANCEL', target: 'session', as: 'carl', reason: 'hey belay, stop' });
    expect((await bridge.waitFor('cancel_refused', { ref }))['refused']).toMatchObject([
      ...Array.from('1234', () => ({ reason: 'not_owner' })),
    ]);
  });
});
