// Ends the leases of hosts whose process is dead: their sessions can be claimed at once, without a wait for the end of the lease.
import type { Log } from '../contracts/log.ts';
import type { Processes } from '../contracts/processes.ts';

/** Resolves with whether there was such a host. */
export async function endLeasesOfDeadHosts(log: Log, processes: Processes): Promise<boolean> {
  const dead = (await log.hosts()).filter(({ process }) => process && processes.isProvenDead(process));
  for (const { id } of dead) await log.endLease(id);
  return dead.length > 0;
}
