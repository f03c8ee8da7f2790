// The file of the transcripts: one gateway has it at a time, and what is wrong with it is told with its path.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Log } from '../transcript/log.ts';

const unusable = (path: string, why: string, cause: unknown) =>
  new Error(`The store ${path} cannot be used: ${why}. Another one: --store <file>.`, { cause });
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/**
 * Until this process ends, however it ends, nobody else holds the file: a second gateway would take the sessions of the first one from
 * it, and end their work. The lock lies beside it.
 */
export function holdStore(path: string, held: DisposableStack | AsyncDisposableStack): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const lock = new DatabaseSync(`${path}.lock`);
    held.defer(() => lock.close());
    lock.exec('pragma busy_timeout = 0; begin exclusive');
  } catch (error) {
    const why = /locked|busy/.test(messageOf(error)) ? 'a gateway that is running has it' : messageOf(error);
    throw unusable(path, why, error);
  }
}

/** Rejects where the file is no store, or cannot be opened. */
export async function assertStore(log: Log, path: string): Promise<void> {
  await log.held().catch((error: unknown) => {
    throw unusable(path, messageOf(error), error);
  });
}
