// Waits for a promise, or until a signal fires.
import { addAbortListener } from 'node:events';

/**
 * Settles as `promise` does, or resolves with `aborted` as soon as the signal fires. Leaves no listener; a rejection of `promise` after the
 * abort is not unhandled.
 */
export async function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | 'aborted'> {
  const { promise: aborted, resolve } = Promise.withResolvers<'aborted'>();
  using _ = addAbortListener(signal, () => resolve('aborted'));
  return await Promise.race([promise, aborted]);
}
