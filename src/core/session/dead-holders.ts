// Ends the leases of hosts whose process is dead: their sessions can be claimed at once, without a wait for the end of the lease.
import { isProvenDead } from '../../adapters/processes/host-process.ts';
import type { Log } from '../contracts/log.ts';

/** Resolves with whether there was such a host. */
export async function endLeasesOfDeadHosts(log: Log): Promise<boolean> {
  const dead = (await log.hosts()).filter(({ process }) => process && isProvenDead(process));
  for (const { id } of dead) await log.endLease(id);
  return dead.length > 0;
}
