// Recovers what dead hosts have left: their sessions in the store, and processes that still run. Counts it for the observers.
import { HeldElsewhere, type Log } from '../contracts/log.ts';
import type { Processes } from '../contracts/processes.ts';
import { endLeasesOfDeadHosts } from '../session/dead-holders.ts';
import type { Recovered } from '../session/session-spec.ts';
import { systemSources } from '../sources/system.ts';
import type { RuntimeServices } from '../workers/services.ts';

const nothing: Recovered = { sessions: 0, turns: 0, processes: 0 };

/** Sums what was recovered, and notifies the observers once: for all that is recovered together, or for a session that was opened alone. */
export class RecoveryCount {
  readonly #notify: (recovered: Recovered) => void;
  #sum = nothing;
  #together = 0;

  constructor(notify: (recovered: Recovered) => void) {
    this.#notify = notify;
  }

  addProcesses(processes: number): void {
    this.#sum = { ...this.#sum, processes: this.#sum.processes + processes };
  }

  /** Called for each session that is opened, after its recovery. `turns`: those that it has closed; null: nothing was open. */
  onOpened(turns: number | null): void {
    const { sessions, turns: before, processes } = this.#sum;
    if (turns !== null) this.#sum = { sessions: sessions + 1, turns: before + turns, processes };
    if (this.#together === 0) this.#flush();
  }

  /** Counts together what the work recovers. */
  async together<T>(work: () => Promise<T>): Promise<T> {
    this.#together += 1;
    try {
      return await work();
    } finally {
      this.#together -= 1;
      if (this.#together === 0) this.#flush();
    }
  }

  #flush(): void {
    const sum = this.#sum;
    this.#sum = nothing;
    if (sum.sessions > 0 || sum.processes > 0) this.#notify(sum);
  }
}

/** The sessions that dead hosts have left in the store. */
export class OrphanedSessions {
  readonly #log: Log;
  readonly #processes: Processes;
  readonly #open: (session: string) => Promise<unknown>;
  /** `found`: a host has died, and its sessions are not recovered yet. */
  #state: 'none' | 'found' | 'recovering' = 'none';

  /** `open` opens a session, which recovers it. */
  constructor(log: Log, processes: Processes, open: (session: string) => Promise<unknown>) {
    this.#log = log;
    this.#processes = processes;
    this.#open = open;
  }

  /** Recovers the sessions that no living host holds. Those of living hosts stay where they are. Rejects when the store fails. */
  async recover(): Promise<void> {
    await endLeasesOfDeadHosts(this.#log, this.#processes);
    this.#state = 'recovering';
    try {
      for (const session of await this.#log.orphaned()) await this.#open(session).catch(ignoreHeldElsewhere);
      this.#state = 'none';
    } finally {
      if (this.#state === 'recovering') this.#state = 'found';
    }
  }

  /** Recovers them if a host has died. If none has, it reads the few hosts of the store and nothing else. Resolves with whether one has. Rejects when the store fails. */
  async recoverIfHostDied(): Promise<boolean> {
    if (this.#state === 'recovering') return false;
    if (this.#state !== 'found' && !(await endLeasesOfDeadHosts(this.#log, this.#processes))) return false;
    await this.recover();
    return true;
  }
}

/** Another host has been faster. */
function ignoreHeldElsewhere(error: unknown): void {
  if (!(error instanceof HeldElsewhere)) throw error;
}

export interface HostRecoveryOptions {
  readonly orphaned: OrphanedSessions;
  readonly processes: Processes;
  readonly services: Pick<RuntimeServices, 'limits' | 'warn'>;
  readonly count: RecoveryCount;
  /** Resolves when this host has a lease. */
  readonly holdLease: () => Promise<unknown>;
  /** Whether the runtime is open; false: it is closing. */
  readonly isOpen: () => boolean;
}

export class HostRecovery {
  readonly #options: HostRecoveryOptions;

  constructor(options: HostRecoveryOptions) {
    this.#options = options;
    options.processes.onHostDeath?.(({ isRecoveredHere }) => {
      if (isRecoveredHere && options.isOpen()) this.recoverIfHostDied();
    });
  }

  /**
   * Recovers the sessions that dead hosts have left in the store, then ends what their records name, idle MCP servers and the processes of hosts
   * without a store: after the recovery, which records the end of those that it knows.
   */
  recoverAtStart(): Promise<void> {
    const { orphaned, count, holdLease } = this.#options;
    return count.together(async () => {
      await holdLease();
      await orphaned.recover();
      await this.#terminateLeftovers();
    });
  }

  async #terminateLeftovers(): Promise<void> {
    const { processes, services, count } = this.#options;
    const { limits, warn } = services;
    const { termGraceMs, toolCancelMs: waitMs } = limits;
    const { clock } = systemSources; // real processes do not follow a fake clock
    count.addProcesses(await processes.terminateLeftoversOfDeadHosts({ clock, termGraceMs, waitMs, warn }));
  }

  /** Takes over from a host that shares the store and was killed: its processes still run. */
  recoverIfHostDied(): void {
    const { orphaned, services, count, isOpen } = this.#options;
    const report = (error: unknown) => {
      if (isOpen()) services.warn('The sessions of a dead host could not be recovered.', error);
    };
    const recover = async () => {
      if (await orphaned.recoverIfHostDied()) await this.#terminateLeftovers();
    };
    count.together(recover).catch(report);
  }
}
