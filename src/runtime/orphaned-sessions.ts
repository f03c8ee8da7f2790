// Recovers the sessions that dead hosts have left in the store: all at the start, and those of a host that dies meanwhile.
import { endLeasesOfDeadHosts } from '../session/dead-holders.ts';
import { HeldElsewhere, type Log } from '../transcript/log.ts';

export class OrphanedSessions {
  readonly #log: Log;
  readonly #open: (session: string) => Promise<unknown>;
  /** `found`: a host has died, and its sessions are not recovered yet. */
  #state: 'none' | 'found' | 'recovering' = 'none';

  /** `open` opens a session, which recovers it. */
  constructor(log: Log, open: (session: string) => Promise<unknown>) {
    this.#log = log;
    this.#open = open;
  }

  /** Recovers the sessions that no living host holds. Those of living hosts stay where they are. Rejects when the store fails. */
  async recover(): Promise<void> {
    await endLeasesOfDeadHosts(this.#log);
    this.#state = 'recovering';
    try {
      for (const session of await this.#log.orphaned()) await this.#open(session).catch(ignoreHeldElsewhere);
      this.#state = 'none';
    } finally {
      if (this.#state === 'recovering') this.#state = 'found';
    }
  }

  /** Recovers them if a host has died. If none has, it reads the few hosts of the store and nothing else. Rejects when the store fails. */
  async recoverIfHostDied(): Promise<void> {
    if (this.#state === 'recovering') return;
    if (this.#state === 'found' || (await endLeasesOfDeadHosts(this.#log))) await this.recover();
  }
}

/** Another host has been faster. */
function ignoreHeldElsewhere(error: unknown): void {
  if (!(error instanceof HeldElsewhere)) throw error;
}
