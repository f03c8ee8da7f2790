// Deletes sessions in which nothing has happened for a number of days: at the start, and once a day.
import type { RecordedFact } from '../../../machines/facts.ts';
import type { Log } from '../contracts/log.ts';
import { readSessionIds } from '../session/read-log.ts';
import { SessionInUse } from '../session/session-archive.ts';
import type { Clock, Disarm } from '../sources/sources.ts';

const dayMs = 86_400_000;

export interface RetentionOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** The days for which a session is kept; 0: all are kept. */
  readonly days: number;
  /** Deletes a session. Rejects with `SessionInUse`. */
  readonly deleteSession: (session: string) => Promise<boolean>;
  /** Called after sessions were deleted: removes what remains of them. */
  readonly purge: () => Promise<unknown>;
  readonly warn: (message: string, error?: unknown) => void;
}

export class Retention {
  readonly #options: RetentionOptions;
  #state: 'on' | 'off' = 'off';
  #disarm: Disarm | null = null;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Looks at all sessions now, and again every day until it is stopped. */
  start(): void {
    const { days, clock, warn } = this.#options;
    if (days === 0) return;
    this.#state = 'on';
    this.#disarm = clock.after(dayMs, () => this.start());
    this.#sweep().catch((error: unknown) => {
      if (this.#state === 'on') warn('Old sessions could not be deleted: it is tried again in a day.', error);
    });
  }

  stop(): void {
    this.#state = 'off';
    this.#disarm?.();
  }

  async #sweep(): Promise<void> {
    const { log, deleteSession, purge } = this.#options;
    let deleted = 0;
    for await (const session of readSessionIds(log)) {
      if (this.#state === 'off') return;
      if ((await this.#isOld(session)) && (await deleteSession(session).catch(ignoreInUse))) deleted += 1;
    }
    if (deleted > 0) await purge();
  }

  async #isOld(session: string): Promise<boolean> {
    const { log, clock, days } = this.#options;
    const { last } = await log.head(session);
    // a fork begins with facts that are older than itself
    for (const seq of [last, 1]) {
      const [event] = await log.read(session, seq - 1, 1);
      if (!event) return false; // it was deleted meanwhile
      const { at } = event.body as RecordedFact; // only journals and forks write events
      if (clock.now() - at <= days * dayMs) return false;
    }
    return true;
  }
}

/** Ignores the error for a session in which something runs: the sweep of the next day decides on it. */
function ignoreInUse(error: unknown): false {
  if (!(error instanceof SessionInUse)) throw error;
  return false;
}
