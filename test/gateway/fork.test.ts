// FORK by each door, in a room of three: ann owns the session, bob is a member of it, eve is not.
import { describe, expect, onTestFinished, test } from 'vitest';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { CommandRefused, NotSupported } from '../../src/client/errors.ts';
import { JoinedSession } from '../../src/client/joined-session.ts';
import { SessionView } from '../../src/client/view/session-view.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { createRuntime } from '../../src/embed/runtime.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { createCheckedClient } from '../support/checked-client.ts';
import { startGateway } from '../support/gateway.ts';
import { startProxy } from '../support/proxy.ts';
import { connectRaw } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const names = ['ann', 'bob', 'eve'] as const;
type Name = (typeof names)[number];
const tokenOf = (name: Name) => `a-token-of-${name}-0001`;
const authenticator = createTokenAuthenticator({
  [tokenOf('ann')]: { speaker: 'ann' },
  [tokenOf('bob')]: { speaker: 'bob', sessions: ['bobs-*'] },
  [tokenOf('eve')]: { speaker: 'eve' },
});

/** The body of a reply by HTTP. */
interface Reply {
  readonly fork?: string;
  readonly sessions?: readonly { readonly session: string; readonly forkedFrom: unknown; readonly title: string }[];
}

/** A room with one turn of ann that has ended. */
async function start() {
  const provider = createScriptedProvider({
    clock: systemSources.clock,
    respond: ({ messages }) => ({ steps: [{ text: `${messages.length} messages` }] }),
  });
  const runtime = await createRuntime({ provider, acknowledge: 'off' });
  onTestFinished(() => runtime.close());
  const { url } = await startGateway({ runtime, authenticator });
  const proxy = await startProxy({ target: url });
  const enter = (name: Name) => {
    const options = { token: tokenOf(name), reconnect: { minMs: 1, maxMs: 10 }, whileDisconnected: 'wait' } as const;
    const client = createCheckedClient({ url: proxy.url, ...options });
    onTestFinished(() => client.close());
    return client;
  };
  const connect = async (name: Name) => {
    const raw = await connectRaw(url);
    expect(await raw.hello(tokenOf(name))).toMatchObject({ features: expect.arrayContaining(['fork']) });
    return raw;
  };
  const ask = async (name: Name, path: string, body?: object, headers: Record<string, string> = {}) => {
    const about = { authorization: `Bearer ${tokenOf(name)}`, 'content-type': 'application/json', ...headers };
    const init = body ? { method: 'POST', body: JSON.stringify(body) } : {};
    const response = await fetch(`${url.replace(/^ws/, 'http').replace(/\/belay$/, '')}${path}`, {
      ...init,
      headers: about,
    });
    return { status: response.status, body: (await response.json()) as Reply };
  };
  const room = enter('ann').session('room', { after: 0 });
  const turn = room.say('the first words');
  await turn.reply();
  await room.invite('bob');
  return { runtime, proxy, enter, connect, ask, room, turn: await turn.opened };
}

/** The sessions that HTTP lists to a speaker, with where they come from. */
const listedTo = async ({ ask }: Pick<Awaited<ReturnType<typeof start>>, 'ask'>, name: Name) =>
  (await ask(name, '/api/sessions')).body.sessions?.map(({ session, forkedFrom, title }) => [
    session,
    forkedFrom,
    title,
  ]);

describe('a FORK by a member', () => {
  test('over the socket: a reply to its sender alone, a session of its own, and the same fork for a repeat [fork.doors] [fork.idempotent]', async () => {
    const { connect, turn, room } = await start();
    const [bob, other] = [await connect('bob'), await connect('bob')];
    await bob.join('room');
    await other.join('room');
    bob.send({ type: 'FORK', ref: 'f1', turn, to: 'bobs-plan' });
    const { ref: _, ...forked } = await bob.waitFor('forked');
    expect(forked).toMatchObject({ session: 'room', fork: 'bobs-plan', by: 'bob', from: { session: 'room', turn } });
    await bob.join('bobs-plan', 0);
    expect(await bob.waitFor('session_opened', { session: 'bobs-plan' })).toMatchObject({
      by: 'bob',
      forked: forked['from'],
    });
    expect(await bob.waitFor('turn_ended', { session: 'bobs-plan' })).toMatchObject({ turn: forked['turn'] });
    bob.send({ type: 'SAY', ref: 's1', session: 'bobs-plan', text: 'go on' });
    expect(await bob.waitFor('model_ended', { session: 'bobs-plan', text: '4 messages' })).toBeDefined();
    other.send({ type: 'FORK', ref: 'f1', session: 'room', turn, to: 'bobs-plan' });
    expect(await other.waitFor('forked')).toEqual({ ...forked, ref: 'f1', repeated: true });
    expect(room.state).toBe('joined');
    expect(bob.all('forked')).toHaveLength(1);
  });

  test('by HTTP, with a ref in its body or in the header; the list says where it comes from, to those who may read it [fork.doors] [fork.access]', async () => {
    const started = await start();
    const { ask, turn } = started;
    const forked = await ask('bob', '/api/sessions/room/fork', { turn, to: 'bobs-1', ref: 'f1' });
    expect(forked).toMatchObject({ status: 200, body: { session: 'room', fork: 'bobs-1', repeated: false } });
    const again = await ask('bob', '/api/sessions/room/fork', { turn, to: 'bobs-1' }, { 'idempotency-key': 'f1' });
    expect(again.body).toEqual({ ...forked.body, repeated: true });
    const own = await ask('ann', '/api/sessions/room/fork', { turn }, { 'idempotency-key': 'f1' });
    const twice = await ask('ann', '/api/sessions/room/fork', { turn, ref: 'f1' });
    expect(twice.body).toEqual({ ...own.body, repeated: true });
    const origin = { session: 'room', turn };
    expect(await listedTo(started, 'bob')).toEqual([
      ['bobs-1', origin, 'the first words'],
      ['room', null, 'the first words'],
    ]);
    expect(await listedTo(started, 'ann')).toEqual([
      [own.body.fork, origin, 'the first words'],
      ['room', null, 'the first words'],
    ]);
    expect(await listedTo(started, 'eve')).toEqual([]);
  });

  test('with the client library, and a view of the fork knows its source [fork.doors]', async () => {
    const { enter, turn } = await start();
    const client = enter('bob');
    const { fork, from } = await client.session('room').fork(turn, { to: 'bobs-2' });
    const session = client.session(fork, { after: 0 });
    const view = new SessionView(session);
    await session.say('go on').reply();
    expect(view.getSnapshot()).toMatchObject({ forkedFrom: from, speakers: expect.arrayContaining(['ann', 'bob']) });
    expect(view.getSnapshot().turns.map(({ text }) => text)).toEqual(['the first words', 'go on']);
  });

  test('inside the process: as a speaker, and as the program [fork.doors] [fork.owner]', async () => {
    const { runtime, turn } = await start();
    const bound = await runtime.session('room');
    const { fork } = await bound.as('bob').fork(turn);
    expect(await first(runtime.sessions.export(fork))).toMatchObject({ by: 'bob', forked: { session: 'room', turn } });
    expect(await runtime.sessions.fork('room', { turn, to: 'plan-b' })).toMatchObject({ type: 'forked', by: null });
    expect(await first(runtime.sessions.export('plan-b'))).toMatchObject({
      by: null,
      forked: { session: 'room', turn },
    });
  });
});

async function first(facts: AsyncIterable<{ readonly fact: unknown }>): Promise<unknown> {
  for await (const { fact } of facts) return fact;
  return null;
}

describe('a FORK that is refused', () => {
  test('of a speaker who is no member is as for a session that does not exist, by each door [fork.access] [fork.doors]', async () => {
    const { connect, ask, enter, runtime, turn } = await start();
    const forks = (name: Name, session: string) => ask(name, `/api/sessions/${session}/fork`, { turn });
    const [room, never] = [await forks('eve', 'room'), await forks('eve', 'never')];
    expect(room).toMatchObject({ status: 404, body: { code: 'access_denied' } });
    expect(never).toEqual(room);
    const eve = await connect('eve');
    eve.send({ type: 'FORK', ref: 'f1', session: 'room', turn });
    expect(await eve.waitFor('error')).toMatchObject({ code: 'not_joined' });
    await expect(enter('eve').session('room').fork(turn)).rejects.toMatchObject({ code: 'access_denied' });
    expect(await runtime.sessions.list()).toEqual(['room']);
  });

  test('names its reason: the turn, the name, the ref, and the names in a token [fork.settled] [fork.doors]', async () => {
    const { connect, ask, turn, room } = await start();
    const second = room.say('second');
    await second.reply();
    const bob = await connect('bob');
    await bob.join('room');
    const refusal = async (frame: object, ref: string) => {
      bob.send({ type: 'FORK', ref, ...frame });
      return bob.waitFor('error', { ref });
    };
    expect(await refusal({ turn: 'turn_never', to: 'bobs-1' }, 'a')).toMatchObject({
      code: 'turn_not_forkable',
      field: 'turn',
    });
    expect(await refusal({ turn, to: 'room' }, 'b')).toMatchObject({ code: 'session_exists', field: 'to' });
    expect(await refusal({ turn }, 'c')).toMatchObject({ code: 'access_denied' });
    expect(await refusal({ turn, to: 'bobs-1', as: 'ann' }, 'd')).toMatchObject({ code: 'unknown_field' });
    expect((await ask('bob', '/api/sessions/room/fork', { turn: 'turn_never', to: 'bobs-1' })).body).toMatchObject({
      status: 400,
      code: 'turn_not_forkable',
      field: 'turn',
    });
    expect(await ask('ann', '/api/sessions/room/fork', { turn, ref: 'f' })).toMatchObject({ status: 200 });
    expect(await ask('ann', '/api/sessions/room/fork', { turn: await second.opened, ref: 'f' })).toMatchObject({
      status: 409,
      body: { code: 'ref_reused' },
    });
  });

  test('by the client library where the gateway does not announce it, and nothing is sent [fork.doors]', async () => {
    const sent: string[] = [];
    const session = new JoinedSession({
      id: 'room',
      from: null,
      createRef: () => 'r1',
      send: ({ type }) => sent.push(type),
      features: () => [],
      onEnd() {},
    });
    await expect(session.fork('turn_1')).rejects.toThrow(NotSupported);
    expect(sent).toEqual(['JOIN']);
  });
});

describe('a FORK whose connection is lost', () => {
  test.each(['before it arrives', 'before its reply'])(
    '%s is sent again, and makes one fork [fork.idempotent]',
    async (when) => {
      const { runtime, proxy, enter, turn } = await start();
      const session = enter('bob').session('room');
      await session.joined;
      if (when === 'before it arrives') proxy.mute();
      else proxy.muteGateway();
      const forking = session.fork(turn, { to: 'bobs-3' });
      const isMade = async () => (await runtime.sessions.list()).length === 2;
      if (when === 'before its reply') await until(isMade, { what: 'the fork' });
      else expect(await isMade()).toBe(false);
      proxy.cutAll();
      const forked = await forking;
      expect(forked).toMatchObject({ fork: 'bobs-3', by: 'bob' });
      expect(forked.repeated).toBe(when === 'before its reply' ? true : undefined);
      expect(await runtime.sessions.list()).toEqual(['bobs-3', 'room']);
      await expect(session.fork('turn_never', { to: 'bobs-3' })).rejects.toThrow(CommandRefused);
    },
  );
});
