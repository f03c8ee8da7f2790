// Opens the file of the transcripts. One gateway holds it at a time; errors name its path.
import { DatabaseSync } from 'node:sqlite';
import { createPrivateFile } from '../adapters/stores/store-files.ts';
import type { Log } from '../core/contracts/log.ts';
import { errorText } from '../core/text/error-text.ts';

const unusable = (path: string, reason: string, cause: unknown) =>
  new Error(`The store ${path} cannot be used: ${reason}. Another one: --store <file>.`, { cause });

/**
 * Locks the file until the stack is disposed, or this process ends: a second gateway would take the sessions of the first one from
 * it, and end their work. The lock is a file of its own beside it. Throws if the file is locked, or its folder cannot be made.
 */
export function lockStore(path: string, stack: DisposableStack | AsyncDisposableStack): void {
  try {
    createPrivateFile(`${path}.lock`);
    const lock = new DatabaseSync(`${path}.lock`);
    stack.defer(() => lock.close());
    lock.exec('pragma busy_timeout = 0; begin exclusive');
  } catch (error) {
    const message = errorText(error);
    const isLocked = /locked|busy/.test(message);
    throw unusable(path, isLocked ? 'a gateway that is running has it' : message, error);
  }
}

/** Whether a gateway runs on the store: it holds the lock. */
export function isStoreLocked(path: string): boolean {
  try {
    using stack = new DisposableStack();
    lockStore(path, stack);
    return false;
  } catch {
    return true;
  }
}

/** Rejects if the file is no store, or cannot be opened. */
export async function assertStore(log: Log, path: string): Promise<void> {
  await log.orphaned().catch((error: unknown) => {
    throw unusable(path, errorText(error), error);
  });
}
