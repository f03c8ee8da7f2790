// A SQLite that does not sync each commit, although the store has set `synchronous=FULL`: the store refuses to open.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SqliteStore } from '../../../src/adapters/stores/sqlite-store.ts';
import { StoreFailed } from '../../../src/core/contracts/log.ts';

vi.mock('node:sqlite', async (load) => {
  const original = await load<typeof import('node:sqlite')>();
  class Unsynced extends original.DatabaseSync {
    override prepare(sql: string) {
      return super.prepare(sql === 'PRAGMA synchronous' ? 'SELECT 1 AS synchronous' : sql);
    }
  }
  return { ...original, DatabaseSync: Unsynced };
});

test('a store reads `PRAGMA synchronous` back, and refuses another value than FULL by name [store.durable]', () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-unsynced-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const open = () => new SqliteStore(join(folder, 'store.sqlite'), 'log');
  expect(open).toThrow(StoreFailed);
  expect(open).toThrow('PRAGMA synchronous is 1, not 2 (FULL)');
});
