// A SQLite that does not sync each commit, whatever it was told: a store refuses to work with it.
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

test('what `PRAGMA synchronous` says is read back, and another value than FULL is refused by name [store.durable]', () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-unsynced-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const open = () => new SqliteStore(join(folder, 'store.sqlite'), 'log');
  expect(open).toThrow(StoreFailed);
  expect(open).toThrow('PRAGMA synchronous is 1, not 2 (FULL)');
});
