// `belay backup FILE`: a copy of the whole store as of one moment, while a gateway runs on it.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createPrivateFile } from '../adapters/stores/store-files.ts';
import { printJson, printLine } from '../core/text/print-line.ts';
import { countText } from '../core/words/count-text.ts';
import { ConfigError } from './config-error.ts';
import { openStore, readCommandArguments, storeUsage } from './read-store.ts';
import { runAsProgram } from './run-as-program.ts';

const usage = `belay backup FILE     copies the whole store into a new file, as of one moment; a gateway may be running on it

${storeUsage}

Restore: stop the gateway, remove the store with its -wal and -shm files, put the copy in its place.
`;

/** Writes the copy. Rejects if the file exists. */
export async function backupCommand(args: readonly string[]): Promise<void> {
  const read = readCommandArguments(args, { usage, least: 1, most: 1 });
  if (!read) return;
  const path = resolve(read.positionals[0] ?? '');
  if (existsSync(path)) throw new ConfigError(`The file ${path} exists. Name one that does not.`);
  const store = openStore(read.values);
  try {
    createPrivateFile(path); // with its permissions: a copy is as private as the store
    store.copyTo(path);
    const sessions = store.sessions().length;
    if (read.values['json'] === true) printJson({ file: path, sessions });
    else printLine(`${path} has ${countText(sessions, 'session')}.`);
  } finally {
    store.close();
  }
}

if (import.meta.main) await runAsProgram(backupCommand);
