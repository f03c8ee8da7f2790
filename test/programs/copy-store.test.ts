// `belay copy`: from a file into another file and into PostgreSQL, with a program of its own, and what it does with sessions that it cannot copy.
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { createPostgresLog, type PostgresLogOptions } from '../../src/adapters/stores/postgres/postgres.ts';
import { createSqliteLog } from '../../src/adapters/stores/sqlite.ts';
import { StoreReader } from '../../src/adapters/stores/store-reader.ts';
import { connect } from '../../src/client/index.ts';
import type { Log } from '../../src/core/contracts/log.ts';
import { createLocalRuntime } from '../../src/core/runtime/runtime.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { parseStoreAddress } from '../../src/programs/store-address.ts';
import { createRecorder } from '../../src/testing/recorder.ts';
import { startChild } from '../support/child.ts';
import { hasPostgres, usePostgres } from '../support/postgres.ts';
import { newStorePath } from '../support/store-path.ts';
import { until } from '../support/until.ts';

const ann = { speaker: { id: 'ann', roles: ['member'] }, connection: 'connection-of-ann' } as const;
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Opens a runtime on the log, lets ann say something in each session, and closes it. */
async function speakIn(log: Log, sessions: readonly string[]): Promise<void> {
  const provider = createScriptedProvider({
    clock: systemSources.clock,
    respond: () => ({ steps: [{ text: 'Well.' }] }),
  });
  const runtime = await createLocalRuntime({ log, provider, acknowledge: 'off' });
  for (const session of sessions) {
    const recorder = createRecorder();
    await runtime.join(session, ann, recorder.listener, 0);
    const before = recorder.of('turn_ended').length;
    const [blob = ''] = await runtime.storeBlobs(session, [picture]);
    await runtime.say(session, ann, {
      text: `hello ${session}`,
      parts: [{ type: 'image', mediaType: 'image/png', blob, bytes: picture.length }],
    });
    await until(() => recorder.of('turn_ended').length > before, { what: 'the end of the turn' });
  }
  await runtime.close();
  await log.close();
}

/** A store with these sessions. */
async function writeStore(sessions: readonly string[]): Promise<string> {
  const path = newStorePath();
  await speakIn(createSqliteLog({ path }), sessions);
  return path;
}

async function copy(from: string, to: string) {
  const child = startChild('src/programs/belay.ts', { args: ['copy', to, '--store', from] });
  const code = await child.ended(20_000);
  return { code, out: child.stdout(), error: child.stderr() };
}

async function readAll(log: Log, session: string) {
  const events = await log.read(session, 0);
  return { head: await log.head(session), events };
}

function contentOf(path: string) {
  const store = new StoreReader(path);
  try {
    return store
      .sessions()
      .map(({ session }) => ({ session, facts: [...store.facts(session)], blobs: [...store.blobs(session)] }));
  } finally {
    store.close();
  }
}

test('a copy has the same facts and files, and is compared when it is run again [copy.exact] [copy.again]', async () => {
  const from = await writeStore(['one', 'two']);
  const to = join(newStorePath(), 'copy.sqlite');
  const first = await copy(from, to);
  expect(first).toMatchObject({ code: 0, error: '' });
  expect(first.out).toMatch(/copy\.sqlite has 2 new sessions with \d+ events and 2 files\.\n/);
  expect(contentOf(to)).toEqual(contentOf(from));
  expect(contentOf(to)[0]?.blobs).toHaveLength(1);
  await speakIn(createSqliteLog({ path: from }), ['three']);
  const second = await copy(from, to);
  expect(second.out).toMatch(/has 1 new session with \d+ events and 1 file; 2 had been copied before\.\n/);
  expect(contentOf(to)).toEqual(contentOf(from));
});

test('a session that is open or another one is named, and neither is changed [copy.again]', async () => {
  const from = await writeStore(['held', 'free', 'other']);
  const to = await writeStore(['other']);
  const log = createSqliteLog({ path: from });
  onTestFinished(() => log.close());
  await log.startLease({ id: 'a gateway', name: 'a gateway', process: null }, 60_000);
  await log.claim('held', (await log.head('held')).epoch, 'a gateway');
  const before = contentOf(to);
  const { code, out } = await copy(from, to);
  expect(code).toBe(2);
  expect(out).toContain('held: not copied, because a gateway has it open');
  expect(out).toContain('other: not copied, because the other store has another session of this name');
  expect(contentOf(to).filter(({ session }) => session === 'other')).toEqual(before);
  expect(contentOf(to).map(({ session }) => session)).toEqual(['free', 'other']);
  expect((await log.head('held')).holder).toBe('a gateway');
});

test('a copy that is killed is whole after it is run again [copy.again]', async () => {
  const from = newStorePath();
  const log = createSqliteLog({ path: from });
  const sessions = Array.from({ length: 60 }, (_, i) => `room-${String(i).padStart(2, '0')}`);
  const facts = Array.from({ length: 200 }, (_, i) => ({ type: 'said', text: `words ${i}` }));
  const blobs = { from: 'none', ids: [], limits: { blobBytes: 1, sessionBlobBytes: 1, storeBlobBytes: 1 } };
  for (const session of sessions) await log.createSession?.(session, facts, blobs);
  await log.close();
  const to = join(newStorePath(), 'copy.sqlite');
  const child = startChild('src/programs/belay.ts', { args: ['copy', to, '--store', from, '--json'] });
  await until(() => child.stdout().split('\n').length > 4, { what: 'the first copies' });
  child.signal('SIGKILL');
  await child.ended(20_000);
  expect(contentOf(to).length).toBeLessThan(sessions.length);
  for (const { facts: copied } of contentOf(to)) expect(copied).toHaveLength(facts.length);
  expect(await copy(from, to)).toMatchObject({ code: 0 });
  expect(contentOf(to)).toEqual(contentOf(from));
});

test('a store that cannot be copied is refused by name [store.address]', async () => {
  const path = newStorePath();
  expect(await copy(path, 'memory')).toMatchObject({ code: 1, error: expect.stringContaining('A store in memory') });
  expect(await copy(path, `${path}.copy`)).toMatchObject({ code: 1, error: expect.stringContaining(path) });
});

test.each([
  ['postgres://ann:secret@db/belay', 'PGPASSFILE'],
  ['postgres://ann@db', 'names no database'],
  ['postgres:///belay', 'names no host'],
  ['postgres://ann@db/belay?sslmode=prefer', 'sslmode is prefer'],
  ['postgres://ann@db/belay?password=secret', 'the parameter password'],
  ['postgres://ann@db/belay?sslmode=verify-full&sslrootcert=/nowhere/ca.pem', '/nowhere/ca.pem'],
  ['mysql://ann:secret@db/belay', 'mysql://, and must be a file, memory, or a database'],
])('the address %s is refused, and no password is repeated [store.address]', (address, why) => {
  const refused = expect.objectContaining({ message: expect.stringContaining(why) });
  expect(() => parseStoreAddress(address)).toThrow(refused);
  expect(() => parseStoreAddress(address)).toThrow(
    expect.not.objectContaining({ message: expect.stringContaining('secret') }),
  );
});

describe.runIf(hasPostgres)('into PostgreSQL', () => {
  const server = usePostgres();
  const addressOf = ({ host, database, user }: PostgresLogOptions) =>
    `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`;

  test('and back, and a host there goes on with the sessions [copy.exact] [store.address]', async () => {
    const from = await writeStore(['one', 'two']);
    const database = await server.newDatabase();
    expect(await copy(from, addressOf(database))).toMatchObject({ code: 0, error: '' });
    const back = join(newStorePath(), 'back.sqlite');
    expect(await copy(addressOf(database), back)).toMatchObject({ code: 0, error: '' });
    expect(contentOf(back)).toEqual(contentOf(from));
    const source = createSqliteLog({ path: from });
    onTestFinished(() => source.close());
    const there = await createPostgresLog(database);
    const [original, copied] = [await readAll(source, 'one'), await readAll(there, 'one')];
    expect(copied.events).toEqual(original.events);
    expect(copied.head.epoch).toBeGreaterThan(original.head.epoch);
    await speakIn(there, ['one']);
    const after = await createPostgresLog(database);
    onTestFinished(() => after.close());
    expect((await after.head('one')).last).toBeGreaterThan(original.head.last);
  });

  test('a gateway runs on it, and what was said is there after a kill -9 [store.address] [store.durable]', async () => {
    const store = addressOf(await server.newDatabase());
    const start = async () => {
      const args = ['serve', '--port', '0', '--demo', '--no-key', '--store', store];
      const gateway = startChild('src/programs/belay.ts', { args, cwd: dirname(newStorePath()) });
      const [, url = ''] = await gateway.untilPrinted(/listens at (\S+)/, 30_000);
      const client = await connect({ url, reconnect: false });
      onTestFinished(() => client.close());
      return { gateway, room: client.session('room', { after: 0 }) };
    };
    const first = await start();
    expect(first.gateway.stdout()).toMatch(/transcripts {2}postgres:\/\/belay@localhost\/belay\d+\n/);
    const turn = await first.room.say('hello').opened;
    first.gateway.signal('SIGKILL');
    await first.gateway.ended();
    const second = await start();
    const ends: string[] = [];
    second.room.on('turn_ended', (fact) => ends.push(fact.turn));
    await until(() => ends.includes(turn), { what: 'the end of the turn', ms: 20_000 });
  });
});
