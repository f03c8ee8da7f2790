// Finds the processes of a node: those that bear its marker, those of its group, and their descendants.

import type { ProcessInfo, ProcessTable } from './process-table.ts';
import { procfs } from './procfs.ts';
import { ps } from './ps.ts';

/** The processes that were started for one node. */
export interface ProcessFamily {
  /** The node's id. */
  readonly marker: string;
  /** The group that its first process leads: that process's pid. Null: not known, after the death of a host; then only the marker counts. */
  readonly group: number | null;
  /** The start time of its first process. */
  readonly startTime: string | null;
  /** Whether its first process is a child of this host that has not been reaped: then its number, and its group's, cannot be another's. */
  isHeld?(): boolean;
  /** Whether it has got TERM, and the grace after it is not over. */
  isInGrace?(): boolean;
}

export const systemTable: ProcessTable = process.platform === 'linux' ? procfs : ps;

/** A family that forks more than this is found by its marker and its group. */
const maxDescendants = 256;

type Identity = Pick<ProcessInfo, 'pid' | 'startTime'>;

/** Compares processes by pid and start time. */
export const isSame = (a: Identity, b: Identity | null | undefined): boolean =>
  b?.pid === a.pid && b.startTime === a.startTime;

/** Reads a process. Null also if the system does not say. */
export function readOrNull(pid: number, table: ProcessTable): ProcessInfo | null {
  try {
    return table.read(pid);
  } catch {
    return null;
  }
}

/**
 * Reads the same process as it is now. Null: it is gone. `unread`: the system does not say, so it is not dead, and not proven to be there.
 */
export function readAgain(process: Identity, table: ProcessTable): ProcessInfo | 'unread' | null {
  try {
    const now = table.read(process.pid);
    return isSame(process, now) ? now : null;
  } catch {
    return 'unread';
  }
}

/** Reads the first process of a family. Null: it is gone, or the system does not say. */
export function readLeader({ group, startTime }: ProcessFamily, table: ProcessTable): ProcessInfo | null {
  const found = group === null ? null : readOrNull(group, table);
  return found?.startTime === startTime ? found : null;
}

/** Returns a living process and its descendants. */
function descendantsOf(first: ProcessInfo, table: ProcessTable): readonly ProcessInfo[] {
  const found = [first];
  for (const process of found) {
    if (found.length >= maxDescendants) break;
    found.push(...table.children(process.pid));
  }
  return found;
}

/**
 * Finds without waiting the processes of a family, before a signal makes orphans of them: the descendants of its leader, or the group
 * of a dead leader that has not been reaped.
 * @param leader Proven to be the family's.
 */
export function findFamilyNow(leader: ProcessInfo, table: ProcessTable): readonly ProcessInfo[] {
  return leader.state === 'alive' ? descendantsOf(leader, table) : table.group(leader.group);
}

/** A process that is not in `alive` may live all the same, unless the search was steady and nothing in it unclear. */
export interface FamilySearch {
  readonly alive: readonly ProcessInfo[];
  /** Whether the search can have missed no process. */
  readonly steady: boolean;
  /** Those that do not show whether they are the family's: in the middle of an exec, or of an end that may take long. */
  readonly unclear: readonly ProcessInfo[];
}

/**
 * Searches the whole table once. The number of a group may be another group's by now: it counts only while a process in it is proven to
 * be the family's, by being known or by its marker.
 * @param known Processes that are the family's for sure, dead ones among them.
 * @param onFound Receives each living process that is not known: one that bears the marker, and its descendants, in the tick in which
 * it was read.
 */
export async function findFamily(
  family: ProcessFamily,
  known: ReadonlyMap<number, ProcessInfo>,
  table: ProcessTable,
  onFound: (process: ProcessInfo) => void = () => {},
): Promise<FamilySearch> {
  const isKnown = (process: ProcessInfo) => isSame(process, known.get(process.pid));
  const candidates: ProcessInfo[] = [];
  const ours = new Map<number, ProcessInfo>();
  const unclear: ProcessInfo[] = [];
  const add = (process: ProcessInfo) => {
    ours.set(process.pid, process);
    if (process.state === 'alive' && !isKnown(process)) onFound(process);
  };
  const { steady } = await table.list((process) => {
    if (process.pid === globalThis.process.pid) return;
    if (family.startTime !== null && !table.startedSince(process, family.startTime)) return;
    candidates.push(process);
    if (isKnown(process)) return add(process);
    if (process.state === 'zombie') return; // it has no environment any more, and no children
    const proof = table.bears(process, family.marker);
    if (proof === 'yes') descendantsOf(process, table).forEach(add); // before a signal makes orphans of them
    if (proof === 'unclear') unclear.push(process);
  });
  if (candidates.some(({ pid, group }) => group === family.group && ours.has(pid))) {
    for (const process of candidates) if (process.group === family.group && !ours.has(process.pid)) add(process);
  }
  const isChildOfOurs = (process: ProcessInfo) => {
    const parent = ours.get(process.parent);
    return parent !== undefined && !ours.has(process.pid) && table.startedSince(process, parent.startTime);
  };
  for (let found = candidates.filter(isChildOfOurs); found.length > 0; found = candidates.filter(isChildOfOurs)) {
    found.forEach(add);
  }
  return {
    alive: [...ours.values()].filter(({ state }) => state === 'alive'),
    steady,
    unclear,
  };
}

/** Kills at once what can be found of a family without waiting: for a host that exits. Each process is proven to be the family's. */
export function killFamilyNow(family: ProcessFamily, table: ProcessTable): void {
  if (family.group === null) return;
  const leader = readLeader(family, table);
  const isHeld = leader !== null && (family.isHeld?.() ?? false);
  const members = table.group(family.group).filter((member) => isHeld || table.bears(member, family.marker) === 'yes');
  for (const { pid } of [...members, ...(leader ? findFamilyNow(leader, table) : [])]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // gone in between
    }
  }
}
