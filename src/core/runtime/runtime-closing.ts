// The shutdown of a runtime: closes its sessions; and the error of requests that come meanwhile.
import type { Clock } from '../sources/sources.ts';

/** The runtime is closing, and opens no session any more. */
export class RuntimeClosing extends Error {
  override readonly name = 'RuntimeClosing';
}

/** The members of a session that its shutdown needs. */
interface EndingSession {
  readonly ended: Promise<void>;
  close(options: { readonly force: boolean }): void;
  demolish(reason: 'shutdown'): void;
}

export interface CloseOptions {
  /** Skips the grace of what runs. */
  readonly force: boolean;
  readonly clock: Clock;
  /** How long the sessions may take, in milliseconds. */
  readonly shutdownMs: number;
}

/** Closes the sessions, and demolishes those that have not ended after `shutdownMs`. Resolves when all have ended. */
export async function closeSessions(
  sessions: readonly EndingSession[],
  { force, clock, shutdownMs }: CloseOptions,
): Promise<void> {
  for (const session of sessions) session.close({ force });
  const allEnded = Promise.all(sessions.map(({ ended }) => ended));
  const { promise: overdue, resolve } = Promise.withResolvers<void>();
  const disarm = clock.after(shutdownMs, resolve);
  await Promise.race([allEnded, overdue]);
  disarm();
  for (const session of sessions) session.demolish('shutdown'); // does nothing to a session that has ended
  await allEnded;
}
