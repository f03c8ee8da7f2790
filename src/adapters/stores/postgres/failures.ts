// The errors of a PostgreSQL server, as those of a log.
import { BlobTooLarge } from '../../../core/contracts/blobs.ts';
import { Fenced, HeldElsewhere, StoreFailed } from '../../../core/contracts/log.ts';
import { errorText } from '../../../core/text/error-text.ts';

/** Classes of SQLSTATE in which the server, or the way to it, has failed: of all others only the statement has. */
const serverClasses = ['08', '53', '57', '58', 'XX'];

const sqlStateOf = (error: unknown): string | null => {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null;
};

/** Whether the server has refused this statement alone: nothing of it was written, and others may succeed. */
export function isStatementError(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== null && !serverClasses.includes(state.slice(0, 2));
}

/** Returns the error of a log: those of the contract as they are, and any other as `StoreFailed`. */
export function logError(error: unknown): Error {
  if (error instanceof Fenced || error instanceof HeldElsewhere || error instanceof BlobTooLarge) return error;
  if (error instanceof StoreFailed) return error;
  return new StoreFailed(errorText(error), { cause: error });
}
