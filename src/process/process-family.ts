// Which processes are a call's: those that bear its marker, those of its group, and what descends from them.

import type { ProcessInfo, ProcessTable } from './process-table.ts';
import { procfs } from './procfs.ts';
import { ps } from './ps.ts';

/** What was started for one call. */
export interface ProcessFamily {
  /** The id of the call's node. */
  readonly marker: string;
  /** The group that its first process leads: that process's pid. Null: not known, after the death of a host; then only the marker counts. */
  readonly group: number | null;
  /** The first process's. */
  readonly startTime: string | null;
  /** True while its first process is a child of this host that has not been reaped: its number, and its group's, cannot be another's. */
  isHeld?(): boolean;
}

export const systemTable: ProcessTable = process.platform === 'linux' ? procfs : ps;

/** A call that forks more than this is found by its marker and its group. */
const maxDescendants = 256;

type Identity = Pick<ProcessInfo, 'pid' | 'startTime'>;

export const isSame = (a: Identity, b: Identity | null | undefined): boolean =>
  b?.pid === a.pid && b.startTime === a.startTime;

/** Null also where the system does not say. */
export function readOrNull(pid: number, table: ProcessTable): ProcessInfo | null {
  try {
    return table.read(pid);
  } catch {
    return null;
  }
}

/** The same process, as it is now. Null: it is gone. `unread`: the system does not say, so it is not dead, and not proven to be there. */
export function readAgain(process: Identity, table: ProcessTable): ProcessInfo | 'unread' | null {
  try {
    const now = table.read(process.pid);
    return isSame(process, now) ? now : null;
  } catch {
    return 'unread';
  }
}

/** What descends from a living process, itself included. */
function descendantsOf(first: ProcessInfo, table: ProcessTable): readonly ProcessInfo[] {
  const found = [first];
  for (const process of found) {
    if (found.length >= maxDescendants) break;
    found.push(...table.children(process.pid));
  }
  return found;
}

/**
 * Those of a family that are found in no time, by a leader that is proven to be it: before a signal makes orphans of them. A dead
 * leader that has not been reaped still proves that the group is its own.
 */
export function findDescendants(leader: ProcessInfo, table: ProcessTable): readonly ProcessInfo[] {
  return leader.state === 'alive' ? descendantsOf(leader, table) : table.group(leader.group);
}

/** Nothing follows from what was not found, unless the look was steady and nothing in it unclear. */
export interface FamilySearch {
  /** All that were found alive. */
  readonly alive: readonly ProcessInfo[];
  /** False where one may have been missed. */
  readonly steady: boolean;
  /** Those that do not show whether they are the family's: in the middle of an exec, or of an end that may take long. */
  readonly unclear: readonly ProcessInfo[];
}

/**
 * One look at the whole table. `known`: processes that are the family's for sure, dead ones among them. A group's number may be
 * another group's by now: it counts only as long as a process in it is proven, by being known or by its marker. `meet` hears of
 * each living one that is not known; of one that bears the marker in the tick in which it was read, and of what descends from it.
 */
export async function findFamily(
  family: ProcessFamily,
  known: ReadonlyMap<number, ProcessInfo>,
  table: ProcessTable,
  meet: (stranger: ProcessInfo) => void = () => {},
): Promise<FamilySearch> {
  const isKnown = (process: ProcessInfo) => isSame(process, known.get(process.pid));
  const candidates: ProcessInfo[] = [];
  const ours = new Map<number, ProcessInfo>();
  const unclear: ProcessInfo[] = [];
  const take = (process: ProcessInfo) => {
    ours.set(process.pid, process);
    if (process.state === 'alive' && !isKnown(process)) meet(process);
  };
  const { steady } = await table.list((process) => {
    if (process.pid === globalThis.process.pid) return;
    if (family.startTime !== null && !table.startedSince(process, family.startTime)) return;
    candidates.push(process);
    if (isKnown(process)) return take(process);
    if (process.state === 'zombie') return; // it has no environment any more, and no children
    const proof = table.bears(process, family.marker);
    if (proof === 'yes') descendantsOf(process, table).forEach(take); // before a signal makes orphans of them
    if (proof === 'unclear') unclear.push(process);
  });
  if (candidates.some(({ pid, group }) => group === family.group && ours.has(pid))) {
    for (const process of candidates) if (process.group === family.group && !ours.has(process.pid)) take(process);
  }
  const isOrphaned = (process: ProcessInfo) => {
    const parent = ours.get(process.parent);
    return parent !== undefined && !ours.has(process.pid) && table.startedSince(process, parent.startTime);
  };
  for (let children = candidates.filter(isOrphaned); children.length > 0; children = candidates.filter(isOrphaned)) {
    children.forEach(take);
  }
  return {
    alive: [...ours.values()].filter(({ state }) => state === 'alive'),
    steady,
    unclear,
  };
}
