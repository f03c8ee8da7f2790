// Terminates the processes that a dead host has left running: those that bear a node's marker, or are its first process by start time.
import type { Leftover } from '../../core/contracts/processes.ts';
import { findFamilyNow, readLeader, systemTable } from './process-family.ts';
import { type TerminateOptions, type TerminateResult, terminateFamily } from './terminate.ts';

export interface EndedLeftover extends Leftover, TerminateResult {}

/** Terminates leftovers. Resolves, when nothing of them is alive, with those of which something was. */
export async function terminateLeftovers(
  leftovers: readonly Leftover[],
  options: TerminateOptions,
): Promise<readonly EndedLeftover[]> {
  const { table = systemTable } = options;
  const ended = await Promise.all(
    leftovers.map(async (leftover) => {
      const { node: marker, group, startTime } = leftover;
      const family = { marker, group, startTime };
      const leader = readLeader(family, table);
      const known = leader ? findFamilyNow(leader, table) : [];
      return { ...leftover, ...(await terminateFamily(family, known, options)) };
    }),
  );
  return ended.filter((leftover) => leftover.ended > 0);
}
