// `belay serve` as hosts of a cluster: processes of their own on a PostgreSQL and a NATS server.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { durationText } from '../../src/core/words/durations.ts';
import { type ServedBelay, tokenOf } from '../support/belay.ts';
import { startChild } from '../support/child.ts';
import { useEndpoint } from '../support/journey.ts';
import { hasNats, useNats } from '../support/nats.ts';
import { hasPostgres, usePostgres } from '../support/postgres.ts';
import { connectRaw, type RawClient } from '../support/raw-client.ts';
import { joinRoom } from '../support/room-clients.ts';
import { clusterKey, clusterMetricsToken, hostsOf, newServedCluster } from '../support/served-cluster.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';

/** Long enough for a host that gets no time on a busy machine. */
const leaseMs = Math.ceil(scaled(2_000));

describe.runIf(hasPostgres && hasNats)('belay serve on PostgreSQL and NATS', () => {
  const database = usePostgres();
  const nats = useNats(['--user', 'belay', '--pass', 'the-password']);
  const endpoint = useEndpoint();

  const newCluster = () => newServedCluster({ database, nats, endpoint });

  const enter = async ({ url }: ServedBelay, speaker: 'ann' | 'bob', after?: number): Promise<RawClient> => {
    const client = await connectRaw(url);
    await client.hello(tokenOf(speaker));
    await client.join('room', after);
    return client;
  };

  test('a session is joined and stopped at another host; the hosts are listed; no secret is shown [cluster.start] [cluster.hosts] [cluster.session]', async () => {
    const { start } = await newCluster();
    const config = { limits: { leaseMs } };
    const [first, second] = [await start(config), await start(config)];
    await endpoint.script([{ reply: { text: 'I wait.', end: 'hang' } }]);
    const ann = await enter(first, 'ann');
    const bob = await enter(second, 'bob');
    ann.send({ type: 'SAY', ref: 'one', session: 'room', text: 'wait' });
    const { turn } = await bob.waitFor('turn_started');

    const listed = await until(async () => {
      const { hosts } = await hostsOf(second);
      return hosts.length === 2 && hosts.every(({ lease }) => lease !== null) ? hosts : null;
    });
    expect(listed.find(({ isAsked }) => isAsked)).toMatchObject({
      state: 'living',
      pid: second.child.process.pid,
      sessions: 0,
      activeTurns: 0,
    });
    const holder = listed.find(({ isAsked }) => !isAsked);
    expect(holder).toMatchObject({
      state: 'living',
      pid: first.child.process.pid,
      sessions: 1,
      activeTurns: 1,
      lease: { ms: leaseMs },
    });
    expect(holder?.lease?.ageMs).toBeLessThanOrEqual(leaseMs);
    expect(await hostsOf(second, 'ann')).toMatchObject({ status: 403, code: 'access_denied' });
    const command = startChild('src/programs/belay.ts', {
      args: ['hosts', '--url', first.url, '--token', tokenOf('emergency')],
    });
    expect(await command.ended(scaled(10_000))).toBe(0);
    expect(command.stdout()).toMatch(/^2 hosts, 2 with a lease that runs\.\n/);
    expect(command.stdout()).toMatch(
      new RegExp(
        `\\(pid ${first.child.process.pid}\\), the one asked: holds 1 session, runs 1 turn; its lease of ${durationText(leaseMs).replace('.', '\\.')} was renewed`,
      ),
    );

    bob.send({ type: 'CANCEL', ref: 'stop', session: 'room', target: String(turn) });
    expect(await bob.waitFor('cancel_accepted')).not.toHaveProperty('durable');
    for (const client of [ann, bob]) await client.waitFor('turn_ended', { turn, outcome: 'cancelled' });

    const metrics = await (
      await fetch(new URL('/metrics', second.url.replace('ws:', 'http:')), {
        headers: { authorization: `Bearer ${clusterMetricsToken}` },
      })
    ).text();
    expect(metrics).toContain('belay_bus_up 1');
    expect(metrics).toMatch(/belay_bus_questions_total\{reply="answer"\} [1-9]/);
    expect(metrics).toMatch(/belay_bus_messages_total\{direction="sent"\} [1-9]/);
    for (const one of [first, second]) {
      const shown = `${one.child.stdout()}${one.child.stderr()}${metrics}`;
      for (const secret of [clusterKey, 'the-password']) expect(shown).not.toContain(secret);
      expect(readFileSync(`/proc/${one.child.process.pid}/cmdline`, 'utf8')).not.toContain(clusterKey);
    }
    expect(first.child.stdout()).toContain(`NATS at ${nats.address()}`);
  });

  test('other sessions than those of living hosts are refused, and allowed for an update [cluster.start]', async () => {
    const { start } = await newCluster();
    const first = await start({ policy: 'owner' });
    await expect(start({ policy: 'anyone' })).rejects.toThrow('The sessions of living hosts are configured otherwise');
    const second = await start({ policy: 'anyone' }, { allowOtherConfiguration: true });
    second.child.signal('SIGTERM');
    await second.child.ended(scaled(20_000));
    first.child.signal('SIGKILL');
    await first.child.ended();
    await start({ policy: 'anyone' }); // nobody lives who is configured otherwise
  });

  test('a host that stands still for longer than its lease loses its turns to another one, which nobody has asked; when it goes on, its clients have the end [cluster.gone]', async () => {
    const { start } = await newCluster();
    const [first, second] = [await start(), await start()];
    await endpoint.script([{ reply: { text: 'I wait.', end: 'hang' } }]);
    const ann = await joinRoom(first, 'ann');
    const said = ann.session.say('wait');
    await ann.waitFor('turn_started');
    first.child.signal('SIGSTOP');
    const exported = () =>
      fetch(new URL('/api/sessions/room/export', second.url.replace('ws:', 'http:')), {
        headers: { authorization: `Bearer ${tokenOf('ann')}` },
      }).then((reply) => reply.text());
    await until(async () => (await exported()).includes('"type":"turn_ended"'), {
      ms: scaled(15_000),
      what: 'the end of the turn in the log, which is read without opening the session',
    });
    expect(ann.of('turn_ended')).toEqual([]);
    first.child.signal('SIGCONT');
    expect((await said.ended).outcome).not.toBe('completed');
    expect(ann.of('turn_ended')).toHaveLength(1);
  });

  test('a host that is killed is found gone, and its turns are closed elsewhere [cluster.hosts] [cluster.processes]', async () => {
    const { start } = await newCluster();
    const [first, second] = [await start(), await start()];
    await endpoint.script([{ reply: { text: 'I wait.', end: 'hang' } }]);
    const ann = await enter(first, 'ann');
    ann.send({ type: 'SAY', ref: 'one', session: 'room', text: 'wait' });
    const bob = await enter(second, 'bob', 0);
    const { turn } = await bob.waitFor('turn_started');
    first.child.signal('SIGKILL');
    await bob.waitFor('turn_ended', { turn });
    await until(async () => (await hostsOf(second)).hosts.length === 1);
    expect((await hostsOf(second)).hosts).toMatchObject([{ isAsked: true, sessions: 1, lease: { ms: 2_000 } }]);
  });
});
