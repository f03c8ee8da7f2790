// Ends what the processes of a dead host have left running: only what bears a call's marker, or is its first process by start time.
import { findDescendants, readOrNull, systemTable } from './process-family.ts';
import { type TerminateOptions, type TerminateResult, terminateFamily } from './terminate.ts';

/** As `process_started` has recorded it; a host that died between the start and its record has left null. */
export interface Leftover {
  readonly node: string;
  readonly group: number | null;
  readonly startTime: string | null;
}

export interface EndedLeftover extends Leftover, TerminateResult {}

/** Resolves with those of which something was still alive, when nothing of them is. */
export async function terminateLeftovers(
  leftovers: readonly Leftover[],
  options: TerminateOptions,
): Promise<readonly EndedLeftover[]> {
  const { table = systemTable } = options;
  const ended = await Promise.all(
    leftovers.map(async (leftover) => {
      const { node, group, startTime } = leftover;
      const leader = group === null ? null : readOrNull(group, table);
      const first = leader && leader.startTime === startTime ? findDescendants(leader, table) : [];
      return { ...leftover, ...(await terminateFamily({ marker: node, group, startTime }, first, options)) };
    }),
  );
  return ended.filter((leftover) => leftover.ended > 0);
}
