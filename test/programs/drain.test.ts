// The drain of `belay serve` in a cluster: hosts as processes on PostgreSQL and NATS, which are shut down while their clients speak.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServerFrameOf } from '../../src/wire/server-frames.ts';
import { type Balancer, startBalancer } from '../support/balancer.ts';
import { type ServedBelay, tokenOf } from '../support/belay.ts';
import { connectChecked } from '../support/checked-client.ts';
import { startChild } from '../support/child.ts';
import { useEndpoint } from '../support/journey.ts';
import { hasNats, useNats } from '../support/nats.ts';
import { hasPostgres, usePostgres } from '../support/postgres.ts';
import { connectRaw } from '../support/raw-client.ts';
import { hostsOf, newServedCluster } from '../support/served-cluster.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';

const longMs = 600_000;
const words = 'This reply has some words, so that it takes its time.';

describe.runIf(hasPostgres && hasNats)('a host of a cluster that drains', () => {
  const database = usePostgres();
  const nats = useNats(['--user', 'belay', '--pass', 'the-password']);
  const endpoint = useEndpoint();
  const newCluster = () => newServedCluster({ database, nats, endpoint });

  /** A client of the library that comes back by itself, in a session, with every error that it was shown. */
  async function enter({ url }: Pick<ServedBelay | Balancer, 'url'>, name: string) {
    const errors: unknown[] = [];
    const client = await connectChecked({
      url,
      token: tokenOf('ann'),
      reconnect: { minMs: 50, maxMs: 500 },
      whileDisconnected: 'wait',
    });
    onTestFinished(() => client.close());
    const session = client.session(name, { after: 0 });
    session.on('error', (frame) => errors.push(frame));
    session.on('say_refused', (frame) => errors.push(frame));
    session.on('state', (state) => state === 'ended' && errors.push('the session has ended'));
    const ends: ServerFrameOf<'turn_ended'>[] = [];
    session.on('turn_ended', (frame) => ends.push(frame));
    const seqs: number[] = [];
    session.on('*', (frame) => 'seq' in frame && 'at' in frame && seqs.push(Number(frame.seq)));
    await session.joined;
    return { client, session, errors, ends, seqs };
  }

  const heldBy = async (asked: ServedBelay, { child }: ServedBelay) => {
    const { hosts } = await hostsOf(asked);
    return hosts.find(({ pid }) => pid === child.process.pid);
  };

  const readinessOf = async ({ url }: ServedBelay) =>
    (await fetch(new URL('/readyz', url.replace('ws:', 'http:')))).status;

  /** The numbers of the facts that clients get: an answer that is kept while it streams has one of its own. */
  const publishedSeqs = async ({ url }: ServedBelay, session: string) => {
    const reply = await fetch(new URL(`/api/sessions/${session}/events`, url.replace('ws:', 'http:')), {
      headers: { authorization: `Bearer ${tokenOf('ann')}` },
    });
    const { events } = (await reply.json()) as { events: { seq: number }[] };
    return events.map(({ seq }) => seq);
  };

  const drain = async (asked: ServedBelay, host: string) => {
    const command = startChild('src/programs/belay.ts', {
      args: ['drain', host, '--url', asked.url, '--token', tokenOf('emergency')],
    });
    const code = await command.ended(scaled(10_000));
    return { code, out: command.stdout(), error: command.stderr() };
  };

  const untilLiving = (asked: ServedBelay, count: number) =>
    until(async () => (await hostsOf(asked)).hosts.filter(({ state }) => state === 'living').length === count, {
      ms: 20_000,
      what: `${count} living hosts`,
    });

  test('SIGTERM: idle sessions move at once, the busy one when its turn has ended, whole; it is listed as draining, not ready, and exits with 0 [cluster.drain]', async () => {
    const { start } = await newCluster();
    const [first, second] = [await start({}, { drainMs: longMs }), await start()];
    await untilLiving(second, 2);
    await endpoint.script([
      { when: { user: 'wait' }, reply: { text: 'I wait.', end: 'hang' } },
      { reply: { text: words } },
    ]);
    const idle = await Promise.all(['a', 'b', 'c'].map((name) => enter(first, name)));
    for (const { session } of idle) expect(await session.say('hello').ended).toMatchObject({ outcome: 'completed' });
    const busy = await enter(second, 'busy');
    const raw = await connectRaw(first.url); // holds it: it was opened there first
    await raw.hello(tokenOf('bob'));
    await raw.join('busy');
    const own = await enter(first, 'own');
    const said = own.session.say('wait');
    await said.opened;
    await until(async () => (await endpoint.requests()).at(-1)?.hanging, { what: 'the reply to hang' });

    first.child.signal('SIGTERM');
    await until(async () => (await heldBy(second, first))?.sessions === 1, {
      ms: 20_000,
      what: 'the idle sessions to move',
    });
    expect(await heldBy(second, first)).toMatchObject({ state: 'draining', activeTurns: 1 });
    expect(await readinessOf(first)).toBe(503);
    expect(await readinessOf(second)).toBe(200);
    const command = startChild('src/programs/belay.ts', {
      args: ['hosts', '--url', second.url, '--token', tokenOf('emergency')],
    });
    expect(await command.ended(scaled(10_000))).toBe(0);
    expect(command.stdout()).toContain('DRAINING; holds 1 session, runs 1 turn');
    for (const { session } of idle) expect(await session.say('again').ended).toMatchObject({ outcome: 'completed' });
    expect(first.child.process.exitCode).toBe(null);

    await endpoint.release();
    expect(await said.ended).toMatchObject({ outcome: 'completed' });
    expect(await first.child.ended(scaled(20_000))).toBe(0);
    for (const { errors, seqs, session } of [...idle, own, busy]) {
      expect(errors).toEqual([]);
      expect(seqs).toEqual(await publishedSeqs(second, session.id));
    }
    expect((await hostsOf(second)).hosts).toMatchObject([{ pid: second.child.process.pid }]);
  });

  test('what still runs after bus.drainMs gets the CANCEL of the shutdown, and its receipt; a second signal ends the drain [cluster.drain]', async () => {
    const { start } = await newCluster();
    const [first, second, third] = [
      await start({}, { drainMs: 500 }),
      await start({}, { drainMs: longMs }),
      await start(),
    ];
    await untilLiving(third, 3);
    await endpoint.script([{ reply: { text: 'I wait.', end: 'hang' } }]);
    const signals = [() => first.child.signal('SIGTERM'), () => second.child.signal('SIGTERM')];
    for (const [i, host] of [first, second].entries()) {
      const held = await enter(host, `s${i}`);
      const turn = held.session.say('wait');
      const watching = await enter(third, `s${i}`);
      await until(() => watching.seqs.length > 0);
      await turn.opened;
      await until(async () => (await endpoint.requests()).at(-1)?.hanging, { what: 'the reply to hang' });
      signals[i]?.();
      if (host === second) {
        await until(async () => (await heldBy(third, second))?.state === 'draining');
        await second.child.signalUntil('SIGTERM', () => second.child.stdout().includes('Shutting down'));
      }
      expect(await host.child.ended(scaled(20_000))).toBe(0);
      await until(() => watching.ends.length === 1, { what: 'the end of the turn' });
      expect(watching.ends).toMatchObject([{ outcome: 'cancelled' }]);
      const receipt = await until(async () => {
        const facts = await fetch(new URL(`/api/sessions/s${i}/events`, third.url.replace('ws:', 'http:')), {
          headers: { authorization: `Bearer ${tokenOf('ann')}` },
        }).then((reply) => reply.text());
        return facts.includes('cancel_settled') && facts;
      });
      expect(receipt).toContain('"source":"shutdown"');
    }
  });

  test('`belay drain` at another host; a second time it says so; an unknown host and a speaker without the role are refused [cluster.drain]', async () => {
    const { start } = await newCluster();
    const [first, second] = [await start({}, { drainMs: longMs }), await start()];
    await untilLiving(second, 2);
    await endpoint.script([{ reply: { text: 'I wait.', end: 'hang' } }]);
    const busy = await enter(first, 'busy');
    const said = busy.session.say('wait');
    await until(async () => (await endpoint.requests()).at(-1)?.hanging, { what: 'the reply to hang' });
    const { host = '', name = '' } = (await heldBy(second, first)) ?? {};
    expect(await drain(second, 'nobody')).toMatchObject({
      code: 1,
      error: expect.stringContaining('There is no host nobody in the cluster'),
    });
    const asAnn = await fetch(new URL('/api/hosts/drain', second.url.replace('ws:', 'http:')), {
      method: 'POST',
      headers: { authorization: `Bearer ${tokenOf('ann')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ host }),
    });
    expect(asAnn.status).toBe(403);
    if ((await hostsOf(second)).hosts.every((one) => one.name === name))
      expect((await drain(second, name)).error).toContain(`Several hosts are called ${name}`); // port 0: all have the name of the machine
    expect(await drain(second, host)).toMatchObject({ code: 0, out: expect.stringContaining(' drains: ') });
    await until(async () => (await heldBy(second, first))?.state === 'draining');
    expect(await drain(first, host)).toMatchObject({ code: 0, out: expect.stringContaining('is draining already') });
    await endpoint.release();
    expect(await said.ended).toMatchObject({ outcome: 'completed' });
    expect(await first.child.ended(scaled(20_000))).toBe(0);
    expect(busy.errors).toEqual([]);
  });

  test('the next host dies while one drains: its sessions go on at the third [cluster.drain]', async () => {
    const { start } = await newCluster();
    const hosts = [await start({}, { drainMs: longMs }), await start(), await start()];
    const [first, second, third] = hosts;
    if (!first || !second || !third) throw new Error('there are three');
    await untilLiving(third, 3);
    await endpoint.script([
      { when: { user: 'wait' }, reply: { text: 'I wait.', end: 'hang' } },
      { reply: { text: words } },
    ]);
    const busy = await enter(first, 'busy');
    const said = busy.session.say('wait');
    await until(async () => (await endpoint.requests()).at(-1)?.hanging, { what: 'the reply to hang' });
    const names = Array.from({ length: 8 }, (_, i) => `s${i}`);
    const idle = await Promise.all(names.map((name) => enter(first, name)));
    first.child.signal('SIGTERM');
    await until(async () => (await heldBy(third, first))?.sessions === 1, { ms: 20_000, what: 'the sessions to move' });
    expect((await heldBy(third, second))?.sessions).toBeGreaterThan(0); // they are spread
    second.child.signal('SIGKILL');
    await until(async () => (await heldBy(third, third))?.sessions === names.length, {
      ms: 20_000,
      what: 'the sessions of the dead host to move',
    });
    for (const { session } of idle) expect(await session.say('again').ended).toMatchObject({ outcome: 'completed' });
    await endpoint.release();
    expect(await said.ended).toMatchObject({ outcome: 'completed' });
    expect(await first.child.ended(scaled(20_000))).toBe(0);
    for (const { errors } of [...idle, busy]) expect(errors).toEqual([]);
  });

  test(
    'a rolling restart of three hosts under load: each turn is whole, and no client is shown an error [cluster.drain]',
    async () => {
      const { start } = await newCluster();
      const balancer = await startBalancer();
      await endpoint.script([{ reply: { text: words, pace: { chunksPerSecond: 30 } } }]);
      const startHost = async () => {
        const host = await start({}, { drainMs: longMs });
        balancer.hosts.add(host.url);
        return host;
      };
      const hosts = [await startHost(), await startHost(), await startHost()];
      const names = ['a', 'b', 'c', 'd', 'shared', 'shared'];
      const clients = await Promise.all(names.map((name) => enter(balancer, name)));
      let isOver = false;
      const speaking = clients.map(async ({ session, errors }, i) => {
        const texts: string[] = [];
        for (let n = 0; !isOver; n++) {
          try {
            texts.push(await session.say(`${i} says ${n}`).reply());
          } catch (error) {
            errors.push(error);
          }
          if (names[i] === 'shared') await pause(200 * Math.random()); // else their turns wait for each other all the time
        }
        return texts;
      });
      for (const host of hosts) {
        const next = await startHost(); // as a rolling update does: the new one is there first
        await untilLiving(next, 4);
        host.child.signal('SIGTERM');
        expect(await host.child.ended(scaled(60_000))).toBe(0);
        balancer.hosts.delete(host.url);
        expect(host.child.stderr()).toBe('');
      }
      isOver = true;
      const texts = await Promise.all(speaking);
      for (const said of texts) {
        expect(said.length).toBeGreaterThan(3);
        expect(new Set(said)).toEqual(new Set([words]));
      }
      for (const [i, { errors, seqs }] of clients.entries()) {
        expect(errors).toEqual([]);
        const fresh = await enter(balancer, names[i] ?? ''); // not every fact is shown: it gets those that are
        await until(() => fresh.seqs.length >= seqs.length, { what: 'the replay' });
        expect(seqs).toEqual(fresh.seqs.slice(0, seqs.length));
      }
    },
    scaled(120_000),
  );
});
