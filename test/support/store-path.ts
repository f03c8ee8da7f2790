// A folder for a test's SQLite files, removed with the test.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The path of a store that does not exist yet. */
export function newStorePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'belay-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'sessions.db');
}
