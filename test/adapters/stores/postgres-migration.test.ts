// The schema of a log in PostgreSQL: it is brought forward while hosts run on it, and a version opens those beside it.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createPostgresLog, type PostgresLogOptions } from '../../../src/adapters/stores/postgres/postgres.ts';
import type { Log, LogBody } from '../../../src/core/contracts/log.ts';
import { startChild } from '../../support/child.ts';
import { hasPostgres, queryRows, usePostgres } from '../../support/postgres.ts';

const versionOne = readFileSync(new URL('../../fixtures/postgres/version-1.sql', import.meta.url), 'utf8');

const opened = (turn: string, owner: string, text: string, at: number) =>
  ({ type: 'turn_opened', turn, kind: 'say', owner, lane: owner, text, at }) as LogBody;
const called = (node: string, turn: string, name: string) =>
  ({ type: 'tool_call', node, turn, name, at: 1 }) as LogBody;

const host = { id: 'host', name: 'host', process: null };

async function open(options: PostgresLogOptions): Promise<Log> {
  const log = await createPostgresLog(options);
  onTestFinished(() => log.close());
  return log;
}

const find = async (log: Log, turn: object | null) =>
  (await log.findSessions?.({ order: 'name', among: null, turn }, null, 100))?.found.map(({ session }) => session);

async function write(log: Log, session: string, ...bodies: readonly LogBody[]): Promise<void> {
  const { epoch, last, holder } = await log.head(session);
  await log.append(session, holder === null ? await log.claim(session, epoch, host.id) : epoch, last, bodies);
}

describe.runIf(hasPostgres)('the schema', () => {
  const server = usePostgres();

  const addressOf = ({ host: folder, database, user }: PostgresLogOptions) =>
    `postgres://${user}@localhost/${database}?host=${encodeURIComponent(folder)}`;
  const migrate = async (database: PostgresLogOptions) => {
    const child = startChild('src/programs/belay.ts', { args: ['migrate', '--store', addressOf(database)] });
    expect(await child.ended(60_000), child.stderr()).toBe(0);
    return child.stdout();
  };

  test('of the version before is brought forward by a command while a host runs on it [store.schema]', async () => {
    const database = await server.newDatabase();
    await queryRows(database, versionOne);
    const log = await open(database);
    await log.startLease(host, 60_000);
    await write(log, 'a', opened('t1', 'ann', 'earlier words', 1), called('c1', 't1', 'shell'));
    await write(log, 'b', ...Array.from({ length: 2_100 }, (_, i) => opened(`t${i}`, 'bob', `number ${i}`, i)));
    expect(log.findSessions).toBeUndefined();
    expect(await log.listSessions?.(null, 9)).toEqual(['a', 'b']);
    expect(await queryRows(database, 'SELECT version FROM belay_schema')).toEqual([{ version: 1 }]);
    expect(await migrate(database)).toMatch(/has version 2 now, and had 1\. 2 sessions indexed\.\n/);
    await log.renewLease(host.id, 60_000);
    expect(await find(log, { words: ['earlier'] })).toEqual(['a']);
    expect(await find(log, { words: ['number', '2099'] })).toEqual(['b']);
    expect(await find(log, { speaker: 'ann', tool: 'shell' })).toEqual(['a']);
    await write(log, 'a', opened('t2', 'cem', 'later words', 5_000));
    expect(await find(log, { words: ['later'], speaker: 'cem' })).toEqual(['a']);
    expect(await migrate(database)).toMatch(/has version 2 already\.\n/);
  });

  test('is gone on with where a migration was ended, also after its first step [store.schema]', async () => {
    const database = await server.newDatabase();
    await queryRows(database, versionOne);
    const log = await open(database);
    for (const session of ['a', 'b', 'c']) await write(log, session, opened('t', 'ann', `words of ${session}`, 1));
    const blocked = new pg.Client({ ...database });
    await blocked.connect();
    onTestFinished(() => blocked.end());
    await blocked.query("BEGIN; SELECT 1 FROM sessions WHERE session = 'b' FOR UPDATE");
    const args = ['migrate', '--store', addressOf(database)];
    const child = startChild('src/programs/belay.ts', { args });
    const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE%'";
    await expect.poll(() => queryRows(database, waits), { timeout: 60_000 }).toHaveLength(1);
    child.signal('SIGKILL');
    await child.ended();
    await blocked.query('ROLLBACK');
    expect(await queryRows(database, 'SELECT session FROM unindexed ORDER BY session')).toEqual([
      { session: 'b' },
      { session: 'c' },
    ]);
    await write(log, 'c', opened('u', 'ben', 'between both', 2));
    await write(log, 'new', opened('t', 'ben', 'between both', 3));
    await migrate(database);
    const later = await open(database);
    expect(await find(later, { words: ['words'] })).toEqual(['a', 'b', 'c']);
    expect(await find(later, { words: ['between'] })).toEqual(['c', 'new']);
  });

  test('of the version after is opened, and one that is further away is refused by name [store.schema]', async () => {
    const database = await server.newDatabase();
    await (await createPostgresLog(database)).close();
    await queryRows(database, 'UPDATE belay_schema SET version = 3');
    const log = await open(database);
    await write(log, 'a', opened('t', 'ann', 'words', 1));
    expect(await find(log, { words: ['words'] })).toEqual(['a']);
    for (const [version, advice] of [
      [4, 'Use a newer version of Belay'],
      [0, 'belay migrate'],
    ] as const) {
      await queryRows(database, `UPDATE belay_schema SET version = ${version}`);
      await expect(createPostgresLog(database)).rejects.toThrow(
        new RegExp(`has version ${version}; this version of Belay opens 1 to 3\\. .*${advice}`),
      );
    }
  });

  test('has an index that refuses no event: what it cannot have is not found [list.find]', async () => {
    const log = await open(await server.newDatabase());
    const texts = [
      'nul \0 here',
      'lone \ud800 there',
      'path C:\\u0000 \\\\ud800 "quoted"',
      `${'long'.repeat(5_000)}`,
      `a${'𐍈'.repeat(300)}`,
    ];
    for (const [i, text] of texts.entries()) await write(log, `s${i}`, opened('t', 'ann', text, i + 1));
    const deep = JSON.parse(`${'['.repeat(2_000)}1${']'.repeat(2_000)}`);
    await write(log, 'deep', { type: 'turn_opened', turn: 't', owner: 'ann', text: 'deep', deep, at: 9 } as LogBody);
    await write(log, 'odd', { type: 'turn_opened', turn: { no: 'id' }, text: 7, at: 'noon' } as never);
    await write(log, 'named', opened('t', 'ann', 'x', 20), called('c', 't', 'n'.repeat(9_000)), {
      type: 'tool_call',
      node: 'd',
    } as LogBody);
    expect(await find(log, { words: ['nul', 'here'] })).toEqual(['s0']);
    expect(await find(log, { words: ['lone', 'there'] })).toEqual(['s1']);
    expect(await find(log, { words: ['path', 'quoted'] })).toEqual(['s2']);
    expect(await find(log, { words: ['longlong'] })).toEqual(['s3']);
    expect(await find(log, { words: [`a${'𐍈'.repeat(300)}`] })).toEqual(['s4']);
    expect(await find(log, { words: ['deep'] })).toEqual(['deep']);
    expect(await find(log, { tool: 'n'.repeat(9_000) })).toEqual(['named']);
    expect((await log.head('odd')).last).toBe(1);
    expect(await find(log, { words: ['\u0301'] })).toEqual([]);
    expect(await find(log, { words: ['\u0301', 'deep'], speaker: 'ann' })).toEqual(['deep']);
    expect(await find(log, { tool: 'nul \0' })).toEqual([]);
    expect(log.failures).toBe(0);
  });
});
