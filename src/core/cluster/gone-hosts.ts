// Closes what hosts have left whose lease has run out, although nobody asks for it: the machine of such a host is gone, or cut off.
//
// The living host with the smallest id does it. What it has not done, because it fails, the next one does a lease later.
import { HeldElsewhere, type Log } from '../contracts/log.ts';
import { msSince } from '../sources/monotonic-time.ts';
import type { Clock, Disarm, MonotonicTime } from '../sources/sources.ts';

/** Looks in the time of a lease. */
const looks = 4;

export interface GoneHostsParts {
  readonly log: Pick<Log, 'hosts' | 'orphaned'>;
  /** That of the machine: leases do not follow a fake one. */
  readonly clock: Pick<Clock, 'elapsed' | 'after'>;
  readonly leaseMs: number;
  /** The id under which this host has its lease; null: it has none. */
  host(): string | null;
  /** Opens a session, which recovers it. */
  open(session: string): Promise<unknown>;
  /** Reports a session that could not be opened. */
  warn(message: string, error?: unknown): void;
}

export class GoneHosts {
  readonly #parts: GoneHostsParts;
  /** The hosts whose lease has run out, and since when this host knows it. */
  readonly #gone = new Map<string, MonotonicTime>();
  /** Those of them that have left nothing more. */
  readonly #done = new Set<string>();
  #state: { readonly disarm: Disarm } | 'new' | 'stopped' = 'new';

  constructor(parts: GoneHostsParts) {
    this.#parts = parts;
  }

  start(): void {
    const { clock, leaseMs } = this.#parts;
    const disarm = clock.after(Math.ceil(leaseMs / looks), () => {
      void this.closeDue()
        .catch(() => {}) // the store failed: nobody is judged
        .then(() => this.#state !== 'stopped' && this.start());
    });
    this.#state = { disarm };
  }

  stop(): void {
    if (typeof this.#state === 'object') this.#state.disarm();
    this.#state = 'stopped';
  }

  /** Closes what was left, as far as it is for this host to do. Rejects when the store fails. */
  async closeDue(): Promise<void> {
    const { log, clock, leaseMs, host } = this.#parts;
    const hosts = await log.hosts();
    const own = host();
    const gone = new Set(hosts.filter(({ remainingMs }) => remainingMs === 0).map(({ id }) => id));
    if (own === null || gone.has(own)) return; // who has not renewed its own lease may not judge others
    for (const id of this.#gone.keys()) if (!gone.has(id)) this.#gone.delete(id);
    for (const id of this.#done) if (!gone.has(id)) this.#done.delete(id);
    for (const id of gone) if (!this.#gone.has(id)) this.#gone.set(id, clock.elapsed());
    const earlier = hosts.filter(({ id }) => !gone.has(id) && id < own).length;
    const due = [...this.#gone].filter(
      ([id, since]) => !this.#done.has(id) && msSince(clock, since) >= earlier * leaseMs,
    );
    if (due.length > 0 && (await this.#closeLeft())) for (const [id] of due) this.#done.add(id);
  }

  /** Resolves with whether all could be opened, here or elsewhere. */
  async #closeLeft(): Promise<boolean> {
    const { log, open, warn } = this.#parts;
    let isDone = true;
    for (const session of await log.orphaned()) {
      if (this.#state === 'stopped') return false;
      try {
        await open(session);
      } catch (error) {
        if (error instanceof HeldElsewhere) continue; // another host was faster
        isDone = false;
        warn(`The session ${session}, which a dead host has left, could not be opened.`, error);
      }
    }
    return isDone;
  }
}
