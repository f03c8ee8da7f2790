// The bytes of what was deleted are in no file of the store: not in its tables, indexes and blobs, not in free pages, not in the write-ahead log.
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RecordedFact } from '../../../machines/facts.ts';
import { createScriptedProvider } from '../../../src/adapters/models/scripted.ts';
import { systemProcesses } from '../../../src/adapters/processes/system-processes.ts';
import { createSqliteLog } from '../../../src/adapters/stores/sqlite.ts';
import { blobIdOf } from '../../../src/core/contracts/blobs.ts';
import type { Log, LogBody } from '../../../src/core/contracts/log.ts';
import { createLocalRuntime, type LocalRuntime } from '../../../src/core/runtime/runtime.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { startChild } from '../../support/child.ts';
import { Dice } from '../../support/dice.ts';
import { callerOf } from '../../support/harness.ts';
import { newStorePath } from '../../support/store-path.ts';
import { until } from '../../support/until.ts';

const fixtures = join(import.meta.dirname, '..', '..', 'fixtures', 'stores');
const whole = Number.MAX_SAFE_INTEGER;

function openLog(path = newStorePath()): { readonly path: string; readonly log: Log } {
  const log = createSqliteLog({ path });
  onTestFinished(() => log.close());
  return { path, log };
}

/** The number of times that the files of a store have these bytes. */
const countIn = (path: string, words: string): number =>
  ['', '-wal', '-shm', '-journal']
    .map((suffix) => path + suffix)
    .filter((file) => existsSync(file))
    .reduce((count, file) => count + readFileSync(file, 'latin1').split(words).length - 1, 0);

/** A reader of another process, as far as SQLite is concerned: it needs the pages of this moment until it is closed. */
function openReader(path: string): DatabaseSync {
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM events').get();
  return reader;
}

const sessions = ['one', 'two', 'three', 'four', 'five'];

const wordsOf = (session: string) => `words-of-${session}-`;
/** A word that is in the index of words alone in this form: the texts have it in capitals. Each has a first letter of its own, because the index leaves out what a word shares with the one before. */
const indexed = (session: string) => `${'bcdgh'[sessions.indexOf(session)]}indexed`;

/** Writes events of sizes from a line to several pages into sessions in turn, so that pages and index entries of all are mixed. */
async function fill(log: Log, sessions: readonly string[], seed: number): Promise<void> {
  const dice = new Dice(seed);
  const limits = { blobBytes: 1e9, sessionBlobBytes: 1e9, storeBlobBytes: 1e9 };
  const last = new Map<string, number>();
  for (const session of sessions) await log.claim(session, 0, 'host');
  for (let i = 0; i < 600; i++) {
    const session = dice.pick(sessions);
    const repeats = dice.int(10) === 0 ? 600 : dice.int(30);
    const body = {
      type: dice.int(2) === 0 ? 'turn_opened' : 'said',
      owner: `owner-${wordsOf(session)}`,
      ref: `ref-${wordsOf(session)}${i}`,
      text: `${indexed(session).toUpperCase()} ${wordsOf(session).repeat(repeats)}`,
    };
    const from = last.get(session) ?? 0;
    last.set(session, await log.append(session, 1, from, [body as LogBody]));
    if (i % 50 > 0) continue;
    const data = Buffer.from(wordsOf(session).repeat(repeats + i));
    await log.blobs?.put(session, [{ id: blobIdOf(data), data }], limits);
  }
  for (const session of sessions) await log.release(session, 1);
  const turn = { words: ['of'] }; // a search puts the last words into the index
  await log.findSessions?.({ order: 'newest', among: null, turn }, null, 1);
}

describe('a session that was deleted', () => {
  test.each([1, 2, 3])(
    'is in no file of the store, also when others are deleted after it (seed %i) [delete.bytes]',
    async (seed) => {
      const { path, log } = openLog();
      await fill(log, sessions, seed);
      const gone: string[] = [];
      for (const session of sessions.slice(0, 4)) {
        expect(countIn(path, wordsOf(session))).toBeGreaterThan(0);
        expect(countIn(path, indexed(session))).toBeGreaterThan(0);
        expect(await log.deleteSession?.(session)).toBe('deleted');
        expect(await log.deletions?.purge(whole)).toEqual({ remains: 'nothing', rewriteBytes: 0 });
        gone.push(session);
        for (const one of gone) expect(countIn(path, wordsOf(one)), one).toBe(0);
        for (const one of gone) expect(countIn(path, indexed(one)), one).toBe(0);
      }
      expect(countIn(path, wordsOf('five'))).toBeGreaterThan(0);
      expect(await log.read('five', 0)).not.toEqual([]);
    },
  );

  test('stays in the write-ahead log while a reader is open, which is said; after that it is gone [delete.bytes]', async () => {
    const { path, log } = openLog();
    await fill(log, sessions, 4);
    const reader = openReader(path);
    await log.deleteSession?.('one');
    expect(await log.deletions?.purge(whole)).toMatchObject({ remains: 'until_read' });
    expect(countIn(path, wordsOf('one'))).toBeGreaterThan(0);
    await log.claim('two', 1, 'host'); // writes go on meanwhile
    expect(await log.deletions?.purge(whole)).toMatchObject({ remains: 'until_read' });
    reader.close();
    expect(await log.deletions?.purge(whole)).toMatchObject({ remains: 'nothing' });
    expect(countIn(path, wordsOf('one'))).toBe(0);
  });

  test('stays where the file is too large to be rewritten now, which is said with its size [delete.bytes]', async () => {
    const { path, log } = openLog();
    await fill(log, sessions, 5);
    await log.deleteSession?.('one');
    const purged = await log.deletions?.purge(1_000);
    expect(purged).toMatchObject({ remains: 'until_rewritten' });
    expect(purged?.rewriteBytes).toBeGreaterThan(1_000);
    expect(await log.deletions?.purge(whole)).toMatchObject({ remains: 'nothing' });
    expect(countIn(path, wordsOf('one'))).toBe(0);
  });

  test.each(['e6741da', 'ee82db5'])(
    'in a store that %s wrote takes along what that version had deleted [delete.bytes]',
    async (commit) => {
      const path = newStorePath();
      copyFileSync(join(fixtures, commit, 'store.sqlite'), path);
      const old = new DatabaseSync(path);
      const words = 'words that an earlier version has deleted';
      old.exec('PRAGMA secure_delete = OFF');
      const insert = old.prepare("INSERT INTO events VALUES ('earlier', ?, 1, ?)");
      for (let seq = 1; seq <= 200; seq++) insert.run(seq, JSON.stringify({ type: 'said', text: words.repeat(seq) }));
      old.exec("DELETE FROM events WHERE session = 'earlier'");
      old.close();
      expect(countIn(path, words)).toBeGreaterThan(0);
      const { log } = openLog(path);
      expect(await log.deletions?.purge(whole)).toEqual({ remains: 'nothing', rewriteBytes: 0 }); // nothing was deleted by this version
      const [session = ''] = (await log.listSessions?.(null, 1)) ?? [];
      expect(await log.deleteSession?.(session)).toBe('deleted');
      expect(await log.deletions?.purge(whole)).toMatchObject({ remains: 'nothing' });
      expect(countIn(path, words)).toBe(0);
    },
  );
});

describe('a runtime', () => {
  const name = 'annabel-of-the-lake';
  const words = 'the words of a person';

  async function start(log: Log): Promise<LocalRuntime> {
    const provider = createScriptedProvider({
      clock: systemSources.clock,
      respond: () => ({ steps: [{ text: 'an answer' }] }),
    });
    const warn = (message: string, error: unknown) => expect([message, error]).toEqual([]);
    const runtime = await createLocalRuntime({ log, provider, acknowledge: 'off', processes: systemProcesses, warn });
    onTestFinished(() => runtime.close());
    return runtime;
  }

  async function sayIn(runtime: LocalRuntime, session: string, speaker: string, text: string): Promise<void> {
    const recorder = createRecorder();
    await runtime.join(session, callerOf(speaker), recorder.listener, null);
    const reply = await runtime.say(session, callerOf(speaker), { text, ref: text });
    const turn = 'turn' in reply ? reply.turn : expect.unreachable('it was refused');
    await until(() => recorder.of('turn_ended').some((fact) => fact.turn === turn), { what: 'the end of the turn' });
    await runtime.leave(session, callerOf(speaker).connection, 'left');
  }

  test('deletes a speaker from all files: words and name [delete.person] [delete.bytes]', async () => {
    const { path, log } = openLog();
    const runtime = await start(log);
    await sayIn(runtime, 'room', 'bob', 'hello');
    for (let i = 0; i < 30; i++) {
      await sayIn(runtime, 'room', name, `${words} ${i}`.repeat(i));
      await sayIn(runtime, 'alone', name, `${words} ${i}`);
    }
    const deletions = await runtime.deletions();
    const report = await deletions.deleteSpeaker(name, null, 'own');
    expect(report).toMatchObject({ deleted: ['alone'], redacted: [{ session: 'room' }], left: [], remains: 'nothing' });
    expect([countIn(path, words), countIn(path, name)]).toEqual([0, 0]);
    await sayIn(runtime, 'room', 'bob', 'and now?');
  });

  test('says that words remain while a reader is open, and removes them by itself when it is closed [delete.bytes]', async () => {
    const { path, log } = openLog();
    const runtime = await start(log);
    await sayIn(runtime, 'alone', name, words);
    const reader = openReader(path);
    expect(await runtime.deleteSession('alone', null)).toBe(true);
    expect(await (await runtime.deletions()).purge()).toBe('until_read');
    reader.close();
    await until(() => countIn(path, words) === 0, { what: 'files without the words' });
  });

  test('that is started on a store whose last process died before it had removed them, removes them [delete.person.crash]', async () => {
    const { path, log } = openLog();
    const first = await start(log);
    await sayIn(first, 'alone', name, words);
    await sayIn(first, 'room', 'bob', 'hello');
    await sayIn(first, 'room', name, words);
    await first.deleteSession('alone', null);
    await log.deletions?.startSpeaker({ speaker: name, pseudonym: 'deleted_1', quotes: 'own' });
    await first.close();
    expect(countIn(path, name)).toBeGreaterThan(0);
    await start(log);
    expect([countIn(path, words), countIn(path, name)]).toEqual([0, 0]);
  });

  test('whose process is killed in the middle of a deletion goes on with it at its next start [delete.person.crash]', async () => {
    const { path, log } = openLog();
    const first = await start(log);
    for (let i = 0; i < 10; i++) await sayIn(first, 'room', i % 2 === 0 ? 'bob' : name, `${words} ${i}`);
    await first.close();
    await log.close();
    const child = startChild('test/children/delete-speaker-until-killed.ts', { args: [path, name, '7'] });
    await until(() => child.stdout().split('\n').length > 7, { what: 'seven events that were redacted' });
    child.signal('SIGKILL');
    await child.ended();
    expect(countIn(path, name)).toBeGreaterThan(0);
    const { log: again } = openLog(path);
    await start(again);
    expect(countIn(path, name)).toBe(0);
    expect(await again.deletions?.listSpeakers()).toEqual([]);
    const facts = (await again.read('room', 0)).map(({ body }) => body as RecordedFact);
    const owners = facts.flatMap((fact) => (fact.type === 'turn_opened' ? [fact.owner] : []));
    expect(new Set(owners).size).toBe(2); // bob, and one pseudonym
  });
});
