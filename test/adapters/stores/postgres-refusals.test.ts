// A PostgreSQL server, or a pooler before it, that cannot keep a log is refused at the start, by name.
import { describe, expect, onTestFinished, test } from 'vitest';
import { createPostgresLog, type PostgresLogOptions } from '../../../src/adapters/stores/postgres/postgres.ts';
import { StoreFailed } from '../../../src/core/contracts/log.ts';
import { hasPgBouncer, startPgBouncer } from '../../support/pgbouncer.ts';
import { hasPostgres, queryRows, usePostgres } from '../../support/postgres.ts';

/** Whether the log is refused, and nothing was made in the database. */
async function expectRefusal(database: PostgresLogOptions, why: RegExp): Promise<void> {
  const refused = await createPostgresLog(database).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StoreFailed);
  expect(refused).toMatchObject({ message: expect.stringMatching(why) });
}

describe.runIf(hasPostgres)('a server [store.server]', () => {
  const server = usePostgres();

  test('that does not wait for its commits', async () => {
    const database = await server.newDatabase();
    await queryRows(database, `ALTER DATABASE ${database.database} SET synchronous_commit = off`);
    await expectRefusal(database, /^synchronous_commit is off/);
    expect(await queryRows(database, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  });

  test('that is a replica', async () => {
    const database = await server.newDatabase();
    await (await createPostgresLog(database)).close();
    await expectRefusal(await server.startReplica(database), /^The server is a replica/);
  }, 60_000);

  test('that is older, as it says itself', async () => {
    const database = await server.newDatabase();
    await queryRows(
      database,
      `CREATE SCHEMA older; CREATE FUNCTION older.current_setting(name text) RETURNS text LANGUAGE sql AS $$
         SELECT CASE name WHEN 'server_version_num' THEN '140023' WHEN 'server_version' THEN '14.23' ELSE pg_catalog.current_setting(name) END
       $$; ALTER DATABASE ${database.database} SET search_path = older, pg_catalog, public`,
    );
    await expectRefusal(database, /^PostgreSQL 14\.23 is too old: a log needs 15 or newer/);
  });

  test('that gives one connection alone', async () => {
    const database = await server.newDatabase();
    await queryRows(database, 'CREATE ROLE narrow LOGIN CONNECTION LIMIT 1');
    await expectRefusal({ ...database, user: 'narrow' }, /too many connections for role "narrow"/);
  });

  test('that is not there, or has no such database', async () => {
    const database = await server.newDatabase();
    await expectRefusal({ ...database, host: `${database.host}/none` }, /ENOENT/);
    await expectRefusal({ ...database, database: 'none' }, /"none" does not exist/);
  });
});

describe.runIf(hasPostgres)('a server that may lose what it has written [store.server]', () => {
  const server = usePostgres(['full_page_writes=off']);
  test('with full_page_writes off', async () => {
    await expectRefusal(await server.newDatabase(), /^full_page_writes is off/);
  });
});

describe.runIf(hasPgBouncer)('PgBouncer [store.server]', () => {
  const server = usePostgres();
  const accepting = { ignore_startup_parameters: 'statement_timeout,extra_float_digits' };

  test.each([
    ['last used', {}],
    ['in turn', { server_round_robin: '1' }],
    ['one for all', { default_pool_size: '1' }],
  ])('in transaction mode, with its connections %s', async (_, settings) => {
    const pooled = await startPgBouncer(await server.newDatabase(), {
      pool_mode: 'transaction',
      ...accepting,
      ...settings,
    });
    // statements at once: the pooler has several connections to the server afterwards, if it may
    await Promise.all([1, 2, 3].map(() => queryRows(pooled, 'SELECT pg_sleep(0.1)')));
    await expectRefusal(
      pooled,
      /after each transaction \(pool_mode = transaction\)\. A log needs connections of its own/,
    );
  });

  test('in statement mode, and with settings that refuse what a log asks for', async () => {
    const database = await server.newDatabase();
    const refused = /^A pooler between Belay and PostgreSQL/;
    await expectRefusal(await startPgBouncer(database, { pool_mode: 'statement', ...accepting }), refused);
    await expectRefusal(await startPgBouncer(database, { pool_mode: 'session' }), refused);
  });

  test('in session mode keeps a log', async () => {
    const pooled = await startPgBouncer(await server.newDatabase(), { pool_mode: 'session', ...accepting });
    const log = await createPostgresLog(pooled);
    onTestFinished(() => log.close());
    await log.claim('s', 0, 'host');
    expect(await log.append('s', 1, 0, [{ type: 'said' }])).toBe(1);
  });
});
