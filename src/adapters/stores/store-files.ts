// The files of a store: their names, and how one is created that only this user may read, in a folder that only this user may enter.
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates the file, and the folders above it that are missing. What exists stays as it is. The files that SQLite puts beside a store get its
 * permissions.
 */
export function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

/** Returns the paths of a store's files: its own, those that SQLite puts beside it, and that of a gateway's lock. */
export const storeFiles = (path: string): readonly string[] =>
  ['', '-wal', '-shm', '-journal', '.lock'].map((suffix) => resolve(path) + suffix);
