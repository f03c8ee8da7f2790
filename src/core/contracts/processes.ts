// The processes of the system, as the core needs them: whose host is dead, what it has left running, and the end of that.
import type { Clock } from '../sources/sources.ts';
import type { HostProcess } from './log.ts';

/** As `process_started` has recorded it; a host that died between the start and its record has left null. */
export interface Leftover {
  /** The marker of its processes: the id of the call that has started it, or of what several calls share. */
  readonly node: string;
  /** The group that its first process leads. */
  readonly group: number | null;
  /** The start time of its first process. */
  readonly startTime: string | null;
}

export interface TerminationOptions {
  /** The clock of the system: real processes do not follow a fake one. */
  readonly clock: Clock;
  /** From TERM to KILL, in milliseconds. */
  readonly termGraceMs: number;
}

export interface DeadHostsOptions extends TerminationOptions {
  /** How much longer than the grace to wait, in milliseconds. */
  readonly waitMs: number;
  /** `host`: the processes that belong to no call, such as idle MCP servers. The rest is left to a later call, and so are the records that name any of it. */
  readonly only?: 'host';
  warn(message: string): void;
}

export interface HostDeath {
  readonly pid: number;
  /** Whether this host recovers what the dead one has left: of those that are notified, one does. */
  readonly isRecoveredHere: boolean;
}

export interface Processes {
  /** The environment variable that marks the processes of a node, for messages. */
  readonly markerName: string;
  /** Identifies this process for other hosts. Null: the system does not say when it has started, so another one could be taken for it. */
  readThisProcess(): HostProcess | null;
  /** Whether the process of a host is proven to be dead. False as well if it cannot be seen from here. */
  isProvenDead(host: HostProcess): boolean;
  /** Calls the listener as soon as a host of this system is seen to be dead, and never again for it. Left out: nobody sees that at once. */
  readonly onHostDeath?: ((listener: (death: HostDeath) => void) => void) | undefined;
  /** Returns the state of a process of this system. `unknown`: it cannot be read. */
  stateOf(process: Pick<HostProcess, 'pid' | 'startTime'>): 'alive' | 'dead' | 'unknown';
  /**
   * Records from now on what this host runs, for the case that it is killed. `hasStore`: a store on disk records the calls too, and the next start on that
   * store ends the processes of calls.
   */
  record(hasStore: boolean): void;
  /**
   * Resolves with whether processes of this host run under the marker, and each of them is dead, though its end has not been read yet, or has got its TERM so
   * lately that it still has its grace. Never rejects.
   */
  areEnding(marker: string): Promise<boolean>;
  /** Terminates what is alive of a leftover. Resolves, when nothing of it is alive, with how many processes have ended. */
  terminateLeftover(leftover: Leftover, options: TerminationOptions): Promise<number>;
  /**
   * Terminates what dead hosts have recorded and left. Resolves as soon as all has ended, or after the grace and `waitMs`, with how many processes have
   * ended. Never rejects, and never touches a process of a host that is or may be alive.
   */
  terminateLeftoversOfDeadHosts(options: DeadHostsOptions): Promise<number>;
}
