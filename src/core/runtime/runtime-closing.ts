// Closes the sessions of a runtime that shuts down, and refuses what comes meanwhile.
import type { Clock } from '../sources/sources.ts';

/** The runtime is closing, and opens no session any more. */
export class RuntimeClosing extends Error {
  override readonly name = 'RuntimeClosing';
}

/** A session, as far as its end is concerned. */
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

/** Resolves when all have ended: at once after `shutdownMs`, when those that are left are demolished. */
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
  for (const session of sessions) session.demolish('shutdown');
  await allEnded;
}
