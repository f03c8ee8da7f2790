// The shutdown of a runtime: closes its sessions; and the error of requests that come meanwhile.
import { HeldElsewhere } from '../contracts/log.ts';
import type { Clock } from '../sources/sources.ts';
import type { LeaseLoss } from './host-lease.ts';

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

/** The members of a session that is lost. */
interface LostSession {
  readonly id: string;
  demolish(reason: LeaseLoss, error: unknown): void;
}

/** Demolishes all sessions: this host does not hold them any more, or cannot know that it does. */
export function loseSessions(
  lost: readonly LostSession[],
  reason: LeaseLoss,
  error: unknown,
  warn: (message: string, error: unknown) => void,
): void {
  if (lost.length > 0)
    warn(`This host has lost its lease (${reason}). Sessions that were stopped: ${lost.length}.`, error);
  for (const session of lost) session.demolish(reason, reason === 'fenced' ? new HeldElsewhere(session.id) : error);
}
