// The log in PostgreSQL keeps the contract; hosts share its sessions; a server that may lose commits is refused.
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createScriptedProvider } from '../../../src/adapters/models/scripted.ts';
import { createPostgresLog, type PostgresLogOptions } from '../../../src/adapters/stores/postgres/postgres.ts';
import { HeldElsewhere, StoreFailed } from '../../../src/core/contracts/log.ts';
import { createLocalRuntime } from '../../../src/core/runtime/runtime.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { blobContract } from '../../contract/blobs.ts';
import { logContract } from '../../contract/log.ts';
import { retentionContract } from '../../contract/retention.ts';
import { sessionSearchContract } from '../../contract/session-search.ts';
import { hasPostgres, usePostgres } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';

const body = (text: string) => ({ type: 'said', text });

async function open(options: PostgresLogOptions) {
  const log = await createPostgresLog(options);
  onTestFinished(() => log.close());
  return log;
}

async function startHost(options: PostgresLogOptions) {
  const log = await createPostgresLog(options);
  const provider = createScriptedProvider({
    clock: systemSources.clock,
    respond: () => ({ steps: [{ text: 'Well.' }] }),
  });
  const runtime = await createLocalRuntime({ log, provider, acknowledge: 'off' });
  onTestFinished(async () => {
    await runtime.close({ force: true });
    await log.close();
  });
  return { runtime, log };
}

describe.runIf(hasPostgres)('a server', () => {
  const server = usePostgres();

  const openNew = async () => createPostgresLog(await server.newDatabase());
  logContract('in PostgreSQL', openNew);
  sessionSearchContract('in PostgreSQL', openNew);
  blobContract('in PostgreSQL', async () => {
    const log = await openNew();
    if (!log.blobs) throw new Error('The log in PostgreSQL has a blob store.');
    return { blobs: log.blobs, close: () => log.close() };
  });
  retentionContract('in PostgreSQL', openNew);

  test('two hosts share a session, one after the other [store.durable.holder]', async () => {
    const database = await server.newDatabase();
    const [first, second] = [await startHost(database), await startHost(database)];
    const ann = { speaker: { id: 'ann', roles: ['member'] }, connection: 'connection-of-ann' } as const;
    const here = createRecorder();
    await first.runtime.join('plan', ann, here.listener, 0);
    await first.runtime.say('plan', ann, { text: 'hello' });
    await until(() => here.of('turn_ended').length === 1, { what: 'the end of the turn' });
    const there = createRecorder();
    await expect(second.runtime.join('plan', ann, there.listener, 0)).rejects.toThrow(HeldElsewhere);
    await first.runtime.close();
    await second.runtime.join('plan', ann, there.listener, 0);
    const types = (recorder: typeof here) => recorder.facts.map(({ type }) => type);
    expect(types(there)).toEqual(types(here));
    await second.runtime.say('plan', ann, { text: 'and then' });
    await until(() => there.of('turn_ended').length === 2, { what: 'the end of the second turn' });
  });

  test('a connection that the server ends fails its request by name, and the log goes on [store.durable]', async () => {
    const database = await server.newDatabase();
    const log = await open(database);
    await log.claim('s', 0, 'host');
    const admin = new pg.Client({ ...database });
    await admin.connect();
    onTestFinished(() => admin.end());
    const blocked = new pg.Client({ ...database });
    await blocked.connect();
    await blocked.query("BEGIN; SELECT 1 FROM sessions WHERE session = 's' FOR UPDATE");
    const refusal = expect(log.append('s', 1, 0, [body('one')])).rejects.toThrow(StoreFailed); // from now on: it may come before the reply to the query
    const waits = `SELECT pid FROM pg_stat_activity WHERE application_name = 'belay' AND wait_event_type = 'Lock'`;
    const pid = await until(async () => (await admin.query(waits)).rows[0]?.pid, { what: 'an append that waits' });
    await admin.query('SELECT pg_terminate_backend($1)', [pid]);
    await refusal;
    expect(log.failures).toBeGreaterThan(0);
    await blocked.end();
    const { last } = await log.head('s');
    expect(last).toBe(0);
    expect(await log.append('s', 1, last, [body('one')])).toBe(1);
  });

  test('one append that the server refuses does not take others with it [store.durable]', async () => {
    const log = await open(await server.newDatabase());
    for (const session of ['a', 'b', 'c']) await log.claim(session, 0, 'host');
    const bad = { type: 'said', speaker: 'x' } as const;
    const first = log.append('a', 1, 0, [body('one')]); // the others wait for it, and go together
    const refused = log.append('b', 1, 0, [{ ...bad, type: 'member_invited', speaker: 'nul \0' } as never]);
    const good = log.append('c', 1, 0, [body('two \0')]);
    await expect(refused).rejects.toThrow(StoreFailed);
    expect([await first, await good]).toEqual([1, 1]);
    expect((await log.read('c', 0)).map((event) => event.body)).toEqual([body('two \0')]);
  });
});

describe.runIf(hasPostgres)('a server that may lose commits', () => {
  const server = usePostgres(['fsync=off']);

  test('is refused by name', async () => {
    await expect(createPostgresLog(await server.newDatabase())).rejects.toThrow(/^fsync is off/);
    const { host, ...missing } = await server.newDatabase();
    await expect(createPostgresLog({ host: `${host}/none`, ...missing })).rejects.toThrow(StoreFailed);
  });
});
