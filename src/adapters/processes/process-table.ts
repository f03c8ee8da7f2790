// Process table of the system, as far as terminating needs it: the contract. `procfs.ts` implements it on Linux, `ps.ts` elsewhere.

export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Identifies a process together with the pid: a pid alone may be another process's by now. An opaque text. */
  readonly startTime: string;
  /** A zombie is dead, and holds its pid and its group's number until its parent has reaped it. */
  readonly state: 'alive' | 'zombie';
}

export interface Listing {
  readonly processes: readonly ProcessInfo[];
  /** Whether each process could be read before it was gone; if not, what one forked meanwhile may be missing. */
  readonly steady: boolean;
}

/** Receives each process in the tick in which it was read: later it may be gone, with a child in its place. */
export type ProcessVisitor = (process: ProcessInfo) => void;

export interface ProcessTable {
  /** Reads one process at once. Null: there is no such process. Throws if the system does not say (no descriptor is free). */
  read(pid: number): ProcessInfo | null;
  /** Reads a group at once: for the rare moment that cannot wait. Best effort, none if the system does not say. */
  group(group: number): readonly ProcessInfo[];
  /** Reads the children of a living process at once. Best effort, none if the system does not say. */
  children(pid: number): readonly ProcessInfo[];
  /** Reads everything, in slices that leave the event loop free in between. */
  list(visit?: ProcessVisitor): Promise<Listing>;
  /** Was `process` started at or after `startTime`? False also when that was before the last boot. True if the system does not say. */
  startedSince(process: ProcessInfo, startTime: string): boolean;
  /** Has it the marker in its environment? `unclear`: it is just being started, or just gone. */
  bears(process: ProcessInfo, marker: string): 'yes' | 'no' | 'unclear';
  /** Milliseconds after which it is reasonable to read again for the first time. Each later pause is twice as long, up to `pollMs`. */
  readonly firstPollMs: number;
  /** The longest such pause, in milliseconds. */
  readonly pollMs: number;
}

/** The variable that every process of a node has in its environment; its value is the node's id. */
export const markerName = 'BELAY_NODE';
