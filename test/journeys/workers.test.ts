// `belay serve --workers`: several processes behind one port, as their clients and the process table see them.
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { living, newToken, parentOf, startedBy } from '../adapters/processes/processes.ts';
import { newWorkspace, room, type ServedBelay, serveBelay, tokenOf } from '../support/belay.ts';
import { connectChecked } from '../support/checked-client.ts';
import { startChild } from '../support/child.ts';
import { shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { parseSeries, type Series, seriesCounts } from '../support/prometheus.ts';
import { connectRaw, type RawClient } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();

const metricsToken = 'token-of-the-metrics';

const pidOf = ({ child }: ServedBelay): number => child.process.pid ?? 0;
const workersOf = (belay: ServedBelay): readonly number[] => startedBy(pidOf(belay));

async function serveWorkers(workers = 2): Promise<ServedBelay> {
  const workspace = newWorkspace();
  const metricsTokenFile = join(workspace.path, 'metrics-token');
  writeFileSync(metricsTokenFile, metricsToken, { mode: 0o600 });
  const config = { workers, metricsTokenFile, limits: { leaseMs: 60_000 } };
  const belay = await serveBelay(endpoint, { workspace, config });
  expect(workersOf(belay)).toHaveLength(workers);
  return belay;
}

/** Returns the process that has the other end of a connection. */
function servedBy(belay: ServedBelay, { socket }: RawClient): number | undefined {
  const { localPort = 0 } = (socket as unknown as { readonly _socket: { readonly localPort?: number } })._socket;
  const end = `:${localPort.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  const inode = rows.find(([, , remote = '']) => remote.endsWith(end))?.[9];
  const holds = (pid: number) =>
    readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`;
      } catch {
        return false; // closed meanwhile
      }
    });
  return workersOf(belay).find(holds);
}

async function connectAs(belay: ServedBelay, speaker: 'ann' | 'bob'): Promise<RawClient> {
  const client = await connectRaw(belay.url);
  await client.hello(tokenOf(speaker));
  return client;
}

/** Says what runs a shell command that sleeps. Resolves when it runs. */
async function runShell(client: RawClient, token: string): Promise<{ readonly turn: string; readonly pid: number }> {
  await endpoint.script([{ when: { user: 'run it', round: 0 }, reply: { calls: [shellCall(`sleep ${token}`)] } }]);
  client.send({ type: 'SAY', ref: 'run', session: room, text: 'run it' });
  const { turn } = await client.waitFor('turn_started');
  await untilRunning(token);
  return { turn: String(turn), pid: living(token)[0] ?? 0 };
}

async function scrape(belay: ServedBelay): Promise<readonly Series[]> {
  const url = new URL('/metrics', belay.url.replace('ws:', 'http:'));
  const headers = { authorization: `Bearer ${metricsToken}`, connection: 'close' };
  return parseSeries(await (await fetch(url, { headers })).text());
}

async function list(belay: ServedBelay, path: string): Promise<unknown> {
  const url = new URL(path, belay.url.replace('ws:', 'http:'));
  const headers = { authorization: `Bearer ${tokenOf('ann')}`, connection: 'close' };
  return (await fetch(url, { headers })).json();
}

describe('two workers', () => {
  test('a session that one holds is stopped at the other: the command is dead, and both have the receipt [workers.one]', async () => {
    const belay = await serveWorkers();
    const [ann, bob] = [await connectAs(belay, 'ann'), await connectAs(belay, 'bob')];
    if (process.platform === 'linux') expect(servedBy(belay, ann)).not.toBe(servedBy(belay, bob));
    await ann.join(room);
    await bob.join(room);
    const token = newToken();
    const { turn, pid } = await runShell(ann, token);
    expect(workersOf(belay)).toContain(parentOf(pid));
    await bob.waitFor('turn_started', { turn });
    const lists = [0, 1].map(() => list(belay, '/api/turns/active')); // one connection to each worker
    for (const turns of await Promise.all(lists))
      expect(turns).toMatchObject({ turns: [{ session: room, turn }], missing: [] });
    bob.send({ type: 'CANCEL', ref: 'stop', session: room, target: turn });
    const receipts = await Promise.all([ann, bob].map((client) => client.waitFor('cancel_settled')));
    expect(living(token)).toEqual([]);
    expect(receipts[1]).toEqual(receipts[0]);
    expect(await bob.waitFor('turn_ended')).toMatchObject({ outcome: 'cancelled' });
    belay.child.signal('SIGTERM');
    expect(await belay.child.ended(20_000)).toBe(0);
    expect(belay.child.stderr()).toBe('');
  });

  test('a shutdown stops what runs: clients at each worker get the ends, and the gateway exits with 0 [workers.shutdown]', async () => {
    const belay = await serveWorkers();
    const [ann, bob] = [await connectAs(belay, 'ann'), await connectAs(belay, 'bob')];
    await ann.join(room);
    await bob.join(room);
    const token = newToken();
    const { turn } = await runShell(ann, token);
    await bob.waitFor('turn_started', { turn });
    belay.child.signal('SIGTERM');
    for (const client of [ann, bob]) {
      expect(await client.waitFor('turn_ended', { turn })).toMatchObject({ outcome: 'cancelled' });
      expect(await client.closed()).toMatchObject({ reason: 'shutdown' });
    }
    expect(await belay.child.ended(20_000)).toBe(0);
    expect(living(token)).toEqual([]);
    expect(belay.child.stderr()).toBe('');
  });

  test('the metrics are the sum over all, and no counter falls when one dies [workers.metrics]', async () => {
    const belay = await serveWorkers();
    const clients = [await connectAs(belay, 'ann'), await connectAs(belay, 'bob')];
    await endpoint.script([{ when: { user: 'hello' }, reply: { text: 'Well.' } }]);
    for (const [i, client] of clients.entries()) {
      await client.join(`own${i}`);
      client.send({ type: 'SAY', ref: 'say', session: `own${i}`, text: 'hello' });
      await client.waitFor('turn_ended');
    }
    const turns = async () => seriesCounts(await scrape(belay), 'belay_turns_total', 'kind');
    expect(await until(async () => ((await turns())['say'] === 2 ? turns() : null))).toEqual({ say: 2 });
    const series = await scrape(belay);
    expect(seriesCounts(series, 'belay_connections')).toEqual({ '': 2 });
    expect(seriesCounts(series, 'belay_active_sessions')).toEqual({ '': 2 });
    process.kill(workersOf(belay)[0] ?? 0, 'SIGKILL');
    await until(() => belay.child.stderr().includes('has ended: SIGKILL'), { what: 'the death' }); // before, a connection may be handed to it
    expect(await turns()).toEqual({ say: 2 });
    await until(() => workersOf(belay).length === 2, { what: 'another worker' });
    expect(await until(async () => ((await turns())['say'] === 2 ? turns() : null))).toEqual({ say: 2 });
  });

  test('one is killed in a turn: its command is ended, its clients reconnect and get the end, and it starts again [workers.death]', async () => {
    const belay = await serveWorkers();
    const before = workersOf(belay);
    const client = await connectChecked({ url: belay.url, token: tokenOf('ann') });
    onTestFinished(() => client.close());
    const session = client.session(room);
    const frames: ServerFrame[] = [];
    session.on('*', (frame) => frames.push(frame));
    await session.joined;
    const watcher = await connectAs(belay, 'bob');
    await watcher.join(room);
    const token = newToken();
    await endpoint.script([{ when: { user: 'run it', round: 0 }, reply: { calls: [shellCall(`sleep ${token}`)] } }]);
    session.say('run it').ended.catch(() => {});
    await untilRunning(token);
    const holder = parentOf(living(token)[0] ?? 0);
    expect(before).toContain(holder);
    process.kill(holder, 'SIGKILL');
    const isEnd = ({ type }: { readonly type: string }) => type === 'turn_ended';
    expect(await until(() => frames.find(isEnd), { ms: 15_000, what: 'the end' })).toMatchObject({ outcome: 'failed' });
    expect(await watcher.waitFor('turn_ended')).toMatchObject({ outcome: 'failed' });
    await until(() => living(token).length === 0, { what: 'the command to be dead' });
    const after = await until(() => (workersOf(belay).length === 2 ? workersOf(belay) : null), { ms: 15_000 });
    expect(after).not.toContain(holder);
    await endpoint.script([{ when: { user: 'and now' }, reply: { text: 'Well.' } }]);
    expect(await session.say('and now').ended).toMatchObject({ outcome: 'completed' });
    expect(belay.child.stderr()).toContain(`(pid ${holder}) has ended: SIGKILL. Its sessions are recovered.`);
  });

  test('the parent is killed: the workers and their commands end [workers.parent]', async () => {
    const belay = await serveWorkers();
    const workers = workersOf(belay);
    const ann = await connectAs(belay, 'ann');
    await ann.join(room);
    const token = newToken();
    await runShell(ann, token);
    belay.child.signal('SIGKILL');
    await ann.closed();
    await until(() => living(token).length === 0, { ms: 15_000, what: 'the command to be dead' });
    await until(() => workers.every((pid) => parentOf(pid) === 0), { ms: 15_000, what: 'the workers to be dead' });
  });

  test('each recovers what an earlier start has left, once [workers.death]', async () => {
    const workspace = newWorkspace();
    const first = await serveBelay(endpoint, { workspace, config: { workers: 2 } });
    const ann = await connectAs(first, 'ann');
    await ann.join(room);
    const token = newToken();
    await runShell(ann, token);
    for (const pid of [pidOf(first), ...workersOf(first)]) process.kill(pid, 'SIGKILL');
    await first.child.ended();
    const second = await serveBelay(endpoint, { workspace, config: { workers: 2 } });
    await until(() => living(token).length === 0, { what: 'the command to be dead' });
    const bob = await connectAs(second, 'bob');
    await bob.join(room, 0);
    await bob.waitFor('turn_ended', { outcome: 'failed' });
    expect(bob.all('turn_ended')).toHaveLength(1);
  });
});

describe('settings that workers cannot have are refused by name [workers.settings]', () => {
  test.each([
    [['--workers', '0'], /The setting workers is invalid: it must be .*1/],
    [['--workers', 'two'], /The setting workers is invalid: it must be/],
    [['--workers', '2', '--store', 'memory'], /The setting workers is invalid: it is 2, and store is memory/],
    [['--workers', '2', '--stately=0'], /The setting workers is invalid: it is 2, and stately is set/],
  ])('%j', async (args, message) => {
    const { path } = newWorkspace();
    const child = startChild('src/programs/serve.ts', { args: ['--port', '0', ...args], cwd: path });
    expect(await child.ended(30_000)).toBe(1);
    expect(child.stderr()).toMatch(message);
  });
});
