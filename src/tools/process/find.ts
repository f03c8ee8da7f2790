// Which processes are a call's: those that bear its marker, those of its group, and what descends from them.
import { procfs } from './procfs.ts';
import { ps } from './ps.ts';
import type { Process, Table } from './table.ts';

/** What was started for one call. */
export interface Family {
  /** The id of the call's node. */
  readonly marker: string;
  /** The group that its first process leads: that process's pid. Null: not known, after the death of a host; then only the marker counts. */
  readonly group: number | null;
  /** The first process's. */
  readonly startTime: string | null;
}

export const systemTable: Table = process.platform === 'linux' ? procfs : ps;

/** A call that forks more than this is found by its marker and its group. */
const maxDescendants = 256;

export const isSame = (a: Process, b: Process | null | undefined): boolean =>
  b?.pid === a.pid && b.startTime === a.startTime;

/** What descends from a living process, itself included. */
function descendantsOf(first: Process, table: Table): readonly Process[] {
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
export function firstOf(leader: Process, table: Table): readonly Process[] {
  return leader.state === 'alive' ? descendantsOf(leader, table) : table.group(leader.group);
}

export interface Found {
  /** All that were found alive. */
  readonly alive: readonly Process[];
  /** False where one may have been missed: look again. */
  readonly certain: boolean;
}

/**
 * One look at the whole table. `known`: processes that are the family's for sure, dead ones among them. A group's number may be
 * another group's by now: it counts only as long as a process in it is proven, by being known or by its marker.
 */
export async function findFamily(family: Family, known: ReadonlyMap<number, Process>, table: Table): Promise<Found> {
  const { processes, steady } = await table.list();
  const candidates = processes.filter(
    (process) =>
      process.pid !== globalThis.process.pid &&
      (family.startTime === null || table.startedSince(process, family.startTime)),
  );
  const proofs = new Map(
    candidates.map((process) => {
      if (isSame(process, known.get(process.pid))) return [process, 'yes'];
      return [process, process.state === 'zombie' ? 'unclear' : table.bears(process, family.marker)];
    }),
  );
  const isProven = (process: Process) => proofs.get(process) === 'yes';
  const groupIsOurs = candidates.some((process) => process.group === family.group && isProven(process));
  const ours = new Map(
    candidates
      .filter((process) => isProven(process) || (groupIsOurs && process.group === family.group))
      .map((process) => [process.pid, process]),
  );
  const isOrphaned = (process: Process) => {
    const parent = ours.get(process.parent);
    return parent !== undefined && !ours.has(process.pid) && table.startedSince(process, parent.startTime);
  };
  for (let children = candidates.filter(isOrphaned); children.length > 0; children = candidates.filter(isOrphaned)) {
    for (const child of children) ours.set(child.pid, child);
  }
  const isUnclear = (process: Process) => proofs.get(process) === 'unclear' && !ours.has(process.pid);
  return {
    alive: [...ours.values()].filter(({ state }) => state === 'alive'),
    certain: steady && !candidates.some(isUnclear),
  };
}
