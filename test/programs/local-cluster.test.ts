// `npm run cluster` as a process: three hosts of one cluster, what runs at one is stopped at another, and nothing is left at its end.
import { chmodSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { living } from '../adapters/processes/processes.ts';
import { connectChecked } from '../support/checked-client.ts';
import { type Child, startChild } from '../support/child.ts';
import { hasNats } from '../support/nats.ts';
import { hasPostgres } from '../support/postgres.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';

const program = 'scripts/cluster/main.ts';
const isLinux = process.platform === 'linux';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'belay-try-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o711); // started by root, PostgreSQL runs as another user
  return folder;
}

/** Pids of living processes that work below the folder, or have worked there before it was removed. */
function workingBelow(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
      } catch {
        return false; // it has ended, or belongs to somebody else
      }
    })
    .map(Number);
}

/** Pids of the shells of the tour, each of which counts its steps. */
function shellLoops(folder: string): number[] {
  const below = new Set(workingBelow(folder));
  return living('while [ $i -le').filter((pid) => below.has(pid));
}

interface ListedPage {
  readonly url: string;
  readonly pid: number;
}

const pagesIn = (text: string): readonly ListedPage[] =>
  [...text.matchAll(/^ {2}\d {2}http:\/\/(\S+)\/#\/session\/demo\?key=(\S+) {3}\(pid (\d+)\)$/gm)].map(
    ([, host, key, pid]) => ({ url: `ws://${host}/belay?key=${key}`, pid: Number(pid) }),
  );

async function enter({ url }: ListedPage) {
  const client = await connectChecked({ url });
  onTestFinished(() => client.close());
  const session = client.session('demo');
  const shells = new Set<string>();
  const running = new Set<string>();
  session.on('tool_call', ({ node, name }) => {
    if (name === 'shell') shells.add(node);
  });
  session.on('tool_started', ({ node }) => running.add(node));
  session.on('tool_result', ({ node }) => running.delete(node));
  return { session, runningShells: () => [...running].filter((node) => shells.has(node)).length };
}

function startCluster(folder: string): Child {
  const cluster = startChild(program, { cwd: folder, env: { TMPDIR: folder } });
  // of a test that has failed: killed at once, it would leave its servers
  onTestFinished(async () => {
    cluster.signal('SIGINT');
    await cluster.ended(scaled(30_000)).catch(() => {});
  });
  return cluster;
}

async function startAll(folder: string): Promise<{ readonly cluster: Child; readonly pages: readonly ListedPage[] }> {
  const cluster = startCluster(folder);
  await cluster.untilPrinted('Ctrl-C ends all of it', 90_000);
  return { cluster, pages: pagesIn(cluster.stdout()) };
}

describe.runIf(hasNats && hasPostgres && isLinux)('npm run cluster', () => {
  test(
    'what one host runs is stopped at another; the third is killed; Ctrl-C leaves no process and no file [cluster.try]',
    async () => {
      const folder = newFolder();
      const { cluster, pages } = await startAll(folder);
      const [first, second, third] = pages;
      if (!first || !second || !third || pages.length !== 3)
        throw new Error(`There are not three: ${cluster.stdout()}`);

      const ann = await enter(first);
      const bob = await enter(second);
      const said = ann.session.say('research this and run the build');
      const loops = () => shellLoops(folder);
      await until(() => bob.runningShells() === 2 && loops().length === 2, { ms: 30_000, what: 'the shells to run' });
      const receipt = await bob.session.cancel('session').settled;
      expect(receipt?.nodes.filter(({ kind, outcome }) => kind === 'tool-call' && outcome === 'cancelled').length).toBe(
        3,
      );
      expect(await said.ended).toMatchObject({ outcome: 'cancelled' });
      expect(loops()).toEqual([]);

      const eve = await connectChecked({ url: third.url, reconnect: false });
      const other = eve.session('other');
      let started = 0;
      other.on('tool_started', () => {
        started += 1;
      });
      other.say('research this and run the build').ended.catch(() => {}); // its connection breaks
      await until(() => started >= 4 && loops().length === 2, { ms: 30_000, what: 'the third host to run the shells' });
      process.kill(third.pid, 'SIGKILL');
      await cluster.untilPrinted(`Host 3 (pid ${third.pid}) has ended: SIGKILL.`);
      await until(() => loops().length === 0, { ms: 20_000, what: 'another host to end what the third has left' });

      cluster.signal('SIGINT');
      expect(await cluster.ended(scaled(30_000))).toBe(0);
      expect(cluster.stderr()).toBe('');
      expect(workingBelow(folder)).toEqual([]);
      expect(readdirSync(folder)).toEqual([]);
    },
    scaled(120_000),
  );

  test(
    'what hosts have left that were all killed is ended, too [cluster.try]',
    async () => {
      const folder = newFolder();
      const { cluster, pages } = await startAll(folder);
      const [first] = pages;
      if (!first) throw new Error('There is no host.');
      const ann = await enter(first);
      ann.session.say('research this and run the build').ended.catch(() => {}); // its connection breaks
      await until(() => shellLoops(folder).length === 2, { ms: 30_000, what: 'the shells to run' });
      for (const { pid } of pages) process.kill(pid, 'SIGKILL');
      cluster.signal('SIGINT');
      expect(await cluster.ended(scaled(30_000))).toBe(0);
      expect(workingBelow(folder)).toEqual([]);
      expect(readdirSync(folder)).toEqual([]);
    },
    scaled(120_000),
  );

  test(
    'Ctrl-C during the start ends what was started [cluster.try]',
    async () => {
      const folder = newFolder();
      const cluster = startCluster(folder);
      await cluster.untilPrinted(/and NATS run\./, 60_000);
      cluster.signal('SIGINT');
      expect(await cluster.ended(scaled(30_000))).toBe(0);
      expect(cluster.stderr()).toBe('');
      expect(workingBelow(folder)).toEqual([]);
      expect(readdirSync(folder)).toEqual([]);
    },
    scaled(120_000),
  );
});

test('without a NATS server it says how to get one, and exits with 2 [cluster.try]', async () => {
  const folder = newFolder();
  const cluster = startChild(program, { cwd: folder, env: { TMPDIR: folder, PATH: '/nowhere' } });
  expect(await cluster.ended(20_000)).toBe(2);
  expect(cluster.stderr()).toContain('There is no nats-server on this machine');
  expect(cluster.stderr()).toContain('apt-get install nats-server');
  expect(readdirSync(folder)).toEqual([]);
});
