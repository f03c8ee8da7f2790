// The process table, as far as terminating needs it: the contract. `procfs.ts` reads it on Linux, `ps.ts` elsewhere.

export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** With the pid an identity: a pid alone may be somebody else's by now. An opaque text. */
  readonly startTime: string;
  /** A zombie is dead, and holds its pid and its group's number until its parent has reaped it. */
  readonly state: 'alive' | 'zombie';
}

export interface Listing {
  readonly processes: readonly ProcessInfo[];
  /** False where something was gone before it could be read: what it forked meanwhile may be missing. */
  readonly steady: boolean;
}

/** Hears of each process in the tick in which it was read: later it may be gone, with a child in its place. */
export type ProcessVisitor = (process: ProcessInfo) => void;

export interface ProcessTable {
  /** Now, without waiting. Null: there is no such process. Throws where the system does not say (no descriptor is free). */
  read(pid: number): ProcessInfo | null;
  /** Now, without waiting: for the rare moment that cannot wait. Best effort, none where the system does not tell. */
  group(group: number): readonly ProcessInfo[];
  /** Now, without waiting: the children of a living process. Best effort, none where the system does not tell. */
  children(pid: number): readonly ProcessInfo[];
  /** Everything, read in slices that leave the event loop free in between. */
  list(visit?: ProcessVisitor): Promise<Listing>;
  /** Was `process` started at or after `startTime`? False also when that was before the last boot. True where nobody can say. */
  startedSince(process: ProcessInfo, startTime: string): boolean;
  /** Has it the marker in its environment? `unclear`: it is just being started, or just gone. */
  bears(process: ProcessInfo, marker: string): 'yes' | 'no' | 'unclear';
  /** How soon it is reasonable to look again, in milliseconds: the first time, and after many, each time twice as long. */
  readonly firstPollMs: number;
  readonly pollMs: number;
}

/** The variable that every process of a call has in its environment; its value is the id of the call's node. */
export const markerName = 'BELAY_NODE';
