// Faults between a host and PostgreSQL: nothing that was confirmed is lost, nothing is written twice, and what had waited goes on.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createScriptedProvider } from '../../../src/adapters/models/scripted.ts';
import { createPostgresLog, type PostgresLogOptions } from '../../../src/adapters/stores/postgres/postgres.ts';
import { PostgresLeases } from '../../../src/adapters/stores/postgres/postgres-leases.ts';
import {
  Fenced,
  HeldElsewhere,
  type Log,
  type LogBody,
  StoreFailed,
  StoreWentBack,
} from '../../../src/core/contracts/log.ts';
import { createLocalRuntime } from '../../../src/core/runtime/runtime.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { hasPostgres, queryRows, usePostgres } from '../../support/postgres.ts';
import { startPostgresProxy } from '../../support/postgres-proxy.ts';
import { clockLibrary, newServerClock } from '../../support/server-clock.ts';
import { noon } from '../../support/spent-today.ts';
import { until } from '../../support/until.ts';

const ann = { speaker: { id: 'ann', roles: ['member'] }, connection: 'connection-of-ann' } as const;
const hourMs = 3_600_000;
const said = (text: string) => ({ type: 'said', text }) as LogBody;

async function open(options: PostgresLogOptions): Promise<Log> {
  const log = await createPostgresLog(options);
  onTestFinished(() => log.close());
  return log;
}

/** A host on the log, with one session that ann has joined. */
async function startHost(log: Log, session = 'room') {
  const provider = createScriptedProvider({
    clock: systemSources.clock,
    respond: () => ({ steps: [{ text: 'Well.' }] }),
  });
  const runtime = await createLocalRuntime({
    log,
    provider,
    acknowledge: 'off',
    limits: { storeDeadlineMs: 20_000, leaseMs: 60_000 },
  });
  onTestFinished(() => runtime.close({ force: true }));
  const recorder = createRecorder();
  await runtime.join(session, ann, recorder.listener, 0);
  return { runtime, recorder };
}

describe.runIf(hasPostgres)('a host on PostgreSQL [store.durable]', () => {
  const server = usePostgres();

  test.each(['before', 'after'] as const)(
    'whose connection is lost %s each commit writes each fact once, and the turn ends',
    async (cut) => {
      const database = await server.newDatabase();
      const proxy = await startPostgresProxy(database);
      const log = await open(proxy.database);
      const { runtime, recorder } = await startHost(log);
      await log.head('room');
      for (let turn = 1; turn <= 3; turn++) {
        proxy.cutNext(cut, 'append');
        await runtime.say('room', ann, { text: `number ${turn}` });
        await until(() => recorder.of('turn_ended').length === turn, { ms: 20_000, what: 'the end of the turn' });
      }
      expect(proxy.cuts).toBe(3);
      const stored = await log.read('room', 0);
      expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, i) => i + 1));
      expect(recorder.facts.map(({ type }) => type)).toEqual(stored.map(({ body }) => body.type));
      for (const type of ['turn_opened', 'turn_started', 'turn_ended'])
        expect(stored.filter(({ body }) => body.type === type)).toHaveLength(3);
      expect(log.failures).toBeGreaterThanOrEqual(3);
    },
    60_000,
  );

  test('that is restarted goes on with the turns that have waited', async () => {
    const database = await server.newDatabase();
    const log = await open(database);
    const { runtime, recorder } = await startHost(log);
    await server.stop();
    const saying = runtime.say('room', ann, { text: 'while it is away' });
    await until(() => (log.failures ?? 0) > 0, { ms: 20_000, what: 'a request that fails' });
    await server.start();
    await saying;
    await until(() => recorder.of('turn_ended').length === 1, { ms: 20_000, what: 'the end of the turn' });
    const stored = await log.read('room', 0);
    expect(recorder.facts.map(({ type }) => type)).toEqual(stored.map(({ body }) => body.type));
  }, 60_000);

  test('that was restored from an older backup has its sessions ended by name [store.back]', async () => {
    const database = await server.newDatabase();
    const log = await open(database);
    const { runtime, recorder } = await startHost(log);
    await runtime.say('room', ann, { text: 'one' });
    await until(() => recorder.of('turn_ended').length === 1, { what: 'the end of the turn' });
    const { last, epoch } = await log.head('room');
    await queryRows(
      database,
      "DELETE FROM events WHERE session = 'room' AND seq > 2; UPDATE sessions SET last = 2 WHERE session = 'room'",
    );
    await expect(log.append('room', epoch, last, [said('more')])).rejects.toThrow(StoreWentBack);
    await expect(log.append('room', epoch, last, [said('more')])).rejects.toThrow(
      /room ends in epoch 1 at 2 there, and was in 1 at \d+\. Was a backup restored\?/,
    );
    void runtime.say('room', ann, { text: 'two' }).catch(() => {});
    await until(() => recorder.ended !== null, { ms: 20_000, what: 'the end of the session' });
    expect(recorder.ended).toBe('store_failed');
    expect((await log.head('room')).last).toBe(2);
  });

  test('two hosts that write at once: each event that was confirmed is there once, in an order of epochs', async () => {
    const database = await server.newDatabase();
    const logs = [await open(database), await open(database)];
    const sessions = ['a', 'b', 'c', 'd'];
    const confirmed: string[] = [];
    /** Claims and appends as a host does whose lease no one respects: without a lease a claim may take what another one holds. */
    async function write(log: Log, host: string): Promise<void> {
      for (let round = 0; round < 15; round++)
        await Promise.all(
          sessions.map(async (session) => {
            const text = `${host} ${session} ${round}`;
            try {
              const head = await log.head(session);
              const epoch = await log.claim(session, head.epoch, host);
              await log.append(session, epoch, (await log.head(session)).last, [said(text), said(`${text} again`)]);
              confirmed.push(text, `${text} again`);
            } catch (error) {
              if (!(error instanceof Fenced || error instanceof HeldElsewhere)) throw error;
            }
          }),
        );
    }
    await Promise.all(logs.map((log, i) => write(log, `host ${i}`)));
    const stored = (await Promise.all(sessions.map((session) => logs[0]?.read(session, 0) ?? []))).flat();
    const texts = stored.map(({ body }) => (body as LogBody & { readonly text: string }).text);
    expect(texts.toSorted()).toEqual(confirmed.toSorted());
    expect(confirmed.length).toBeGreaterThan(0);
    for (const session of sessions) {
      const events = (await logs[1]?.read(session, 0)) ?? [];
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
      expect(events.map(({ epoch }) => epoch)).toEqual(events.map(({ epoch }) => epoch).toSorted((a, b) => a - b));
    }
  }, 60_000);
});

describe.runIf(hasPostgres && clockLibrary)('a lease [store.lease]', () => {
  const clocks = newServerClock();
  const server = usePostgres([], clocks.env);

  test('outlives steps of all clocks by an hour, both ways, and is over when its renewals are', async () => {
    const database = await server.newDatabase();
    await (await createPostgresLog(database)).close();
    const client = new pg.Client({ ...database });
    await client.connect();
    onTestFinished(() => client.end());
    const clock = createVirtualClock(noon);
    const leases = { holder: new PostgresLeases(clock), other: new PostgresLeases(clock) };
    const leaseMs = 10_000;
    const readClock = async () => {
      const { rows } = await client.query<{ readonly at: number }>(
        'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at',
      );
      return rows[0]?.at ?? 0;
    };
    const claim = () => leases.other.takeOver(client, 's', 'other');
    await leases.holder.start(client, { id: 'holder', name: 'holder', process: null }, leaseMs);
    await client.query("INSERT INTO sessions VALUES ('s', 1, 0, 'holder')");
    await expect(claim()).rejects.toThrow(HeldElsewhere);
    for (const hours of [1, -2]) {
      const before = await readClock();
      clocks.step(hours);
      clock.step(hours * hourMs);
      expect(Math.abs(((await readClock()) - before) / hourMs)).toBeGreaterThan(0.9);
      for (let renewal = 0; renewal < 4; renewal++) {
        await clock.advance(leaseMs - 1);
        await leases.holder.renew(client, 'holder', leaseMs);
        await expect(claim()).rejects.toThrow(HeldElsewhere);
      }
    }
    await clock.advance(leaseMs);
    await expect(claim()).rejects.toThrow(HeldElsewhere); // a whole lease has passed, and not more
    await clock.advance(1);
    await claim();
    await expect(leases.holder.renew(client, 'holder', leaseMs)).rejects.toThrow(Fenced);
  });
});

/** A file system of a few megabytes, which can be made larger; null: this user may not mount one. */
function mountSmall(): { readonly path: string; grow(): void } | null {
  const path = mkdtempSync(join(tmpdir(), 'belay-small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=0777', 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    console.warn('No file system can be mounted here: the test of a full disk of PostgreSQL is skipped.');
    return null;
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', path]));
  return { path, grow: () => void execFileSync('mount', ['-o', 'remount,size=96m', path]) };
}

describe.runIf(hasPostgres)('a server whose disk is full [store.durable]', () => {
  const server = usePostgres();

  test('refuses appends by name, and goes on when there is room again', async ({ skip }) => {
    const disk = mountSmall();
    if (!disk) return skip();
    const folder = join(disk.path, 'space');
    execFileSync('mkdir', ['--mode=0777', folder]);
    execFileSync('chown', ['65534:65534', folder]);
    const database = await server.newDatabase();
    await queryRows({ ...database, database: 'postgres' }, `CREATE TABLESPACE small LOCATION '${folder}'`);
    await queryRows({ ...database, database: 'postgres' }, `ALTER DATABASE ${database.database} SET TABLESPACE small`);
    const log = await open(database);
    await log.claim('s', 0, 'host');
    const large = () => said(randomBytes(500_000).toString('hex'));
    let last = 0;
    const fill = async () => {
      for (; last < 60; ) last = await log.append('s', 1, last, [large()]);
    };
    await expect(fill()).rejects.toThrow(StoreFailed);
    expect(last).toBeGreaterThan(0);
    expect(log.failures).toBeGreaterThan(0);
    expect((await log.head('s')).last).toBe(last);
    disk.grow();
    const next = large();
    expect(await log.append('s', 1, last, [next])).toBe(last + 1);
    expect((await log.read('s', last)).map(({ body }) => body)).toEqual([next]);
  }, 120_000);
});
