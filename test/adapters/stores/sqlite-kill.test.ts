// Real processes and a real disk: a store survives kill -9, and acknowledges nothing that was not written.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSqliteLog } from '../../../src/adapters/stores/sqlite.ts';
import { blobIdOf } from '../../../src/core/contracts/blobs.ts';
import type { Log } from '../../../src/core/contracts/log.ts';
import { newStorePath } from '../../support/store-path.ts';
import { until } from '../../support/until.ts';

const program = (name: string) => join(import.meta.dirname, '..', '..', 'children', name);

/** Runs a command with its stdout in a file, which outlives it whatever happens. */
function run(folder: string, command: string, ...args: readonly string[]) {
  const file = join(folder, 'stdout');
  const stdout = openSync(file, 'w');
  const child: ChildProcess = spawn(command, args, { stdio: ['ignore', stdout, 'inherit'] });
  closeSync(stdout);
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const lines = () => readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return { child, ended: once(child, 'exit') as Promise<[number | null, string | null]>, lines };
}

/** Returns the sequence number of the last acknowledged append of each session, as the program printed them. */
function acknowledged(lines: readonly string[]): Map<string, number> {
  const acked = new Map<string, number>();
  for (const [session, last] of lines.map((line) => line.split(' ')))
    if (session && session.length === 1) acked.set(session, Number(last));
  return acked;
}

/** Each session holds whole appends without a gap, and at least what was acknowledged. */
async function expectWhole(log: Log, acked: ReadonlyMap<string, number>): Promise<Map<string, number>> {
  const stored = new Map<string, number>();
  for (const [session, last] of acked) {
    const events = await log.read(session, 0);
    const head = await log.head(session);
    stored.set(session, events.length);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    expect(events.map(({ body }) => (body as { number?: number }).number)).toEqual(events.map((_, i) => i + 1));
    expect(head.last).toBe(events.length);
    expect(events.length % 3).toBe(0);
    expect(events.length).toBeGreaterThanOrEqual(last);
    // one append of a session is in flight: more than its three events cannot be there unacknowledged
    expect(events.length).toBeLessThanOrEqual(last + 3);
  }
  return stored;
}

test('a process that is killed while it makes sessions leaves each of them whole, with its blob, or not at all [fork.whole] [fork.blobs]', async () => {
  const path = newStorePath();
  const first = createSqliteLog({ path });
  const data = Buffer.alloc(100_000, 'a');
  const id = blobIdOf(data);
  const limits = { blobBytes: 1e9, sessionBlobBytes: 1e9, storeBlobBytes: 1e9 };
  await first.blobs?.put('source', [{ id, data }], limits);
  await first.close();
  const { child, ended, lines } = run(
    dirname(path),
    process.execPath,
    program('fork-until-killed.ts'),
    path,
    'source',
    id,
    '400',
  );
  await until(() => lines().length >= 10, { what: '10 forks' });
  child.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
  const log = createSqliteLog({ path });
  onTestFinished(() => log.close());
  const made = (await log.listSessions?.(null, 10_000)) ?? [];
  expect(made).toEqual(expect.arrayContaining(lines()));
  expect(made.length).toBeLessThanOrEqual(lines().length + 1);
  for (const session of made) {
    expect(await log.read(session, 0)).toHaveLength(400);
    expect(await log.blobs?.read(session, id)).toHaveLength(data.length);
    expect((await log.head(session)).holder).toBeNull();
  }
  expect(await log.blobs?.read(`fork-${made.length}`, id)).toBeNull();
  expect(await log.deleteSession?.('fork-0')).toBe('deleted');
  expect(await log.blobs?.read('fork-0', id)).toBeNull();
  expect(await log.blobs?.read('fork-1', id)).toHaveLength(data.length);
});

describe('a process that is killed in the middle of appends', () => {
  test('every acknowledged append is there, and no gap [store.durable]', async () => {
    const path = newStorePath();
    const { child, ended, lines } = run(
      dirname(path),
      process.execPath,
      program('append-until-killed.ts'),
      path,
      '100',
    );
    await until(() => acknowledged(lines()).size === 4 && lines().length > 100, { what: '100 acknowledged appends' });
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    const log = createSqliteLog({ path });
    const acked = acknowledged(lines());
    const stored = await expectWhole(log, acked);

    // its sessions are orphaned, and another host claims one and goes on
    expect(await log.orphaned()).toEqual(['a', 'b', 'c', 'd']);
    expect(await log.claim('a', 1, 'the next host')).toBe(2);
    const last = stored.get('a') ?? 0;
    expect(await log.append('a', 2, last, [{ type: 'said' }])).toBe(last + 1);
    await log.close();
  });

  test('a process with an append in flight waits for it, and for nothing else', async () => {
    const path = newStorePath();
    const { ended } = run(dirname(path), process.execPath, program('append-and-exit.ts'), path);
    expect(await ended).toEqual([0, null]);
    const log = createSqliteLog({ path });
    expect((await log.head('s')).last).toBe(2);
    await log.close();
  });
});

describe('a file that may not grow', () => {
  test('appends that do not fit are rejected, acknowledged ones are there [store.durable]', async () => {
    const path = newStorePath();
    // the system refuses to write past this size, as it does on a full disk
    const { ended, lines } = run(
      dirname(path),
      'sh',
      '-c',
      'ulimit -S -f 600; exec "$@"',
      'sh',
      process.execPath,
      program('append-until-killed.ts'),
      path,
      '4000',
    );
    expect(await ended).toEqual([0, null]);
    const acked = acknowledged(lines());
    const refused = lines().filter((line) => line.startsWith('StoreFailed'));
    expect(refused).toHaveLength(4);
    expect(refused.map((line) => line.slice('StoreFailed '.length)).sort()).toEqual(
      [...acked].map(([session, last]) => `${session} ${last}`).sort(),
    );
    const log = createSqliteLog({ path });
    const stored = await expectWhole(log, acked);
    expect(stored).toEqual(acked); // and nothing that was refused
    await log.close();
  });
});
