// Looks, before a host joins the cluster, at the hosts that live on its store: one of its name, or whose sessions are configured otherwise, keeps it out.
//
// A lease says for a while that its host lives when it is dead. So a host counts as living when it renews its lease while it is watched.
import type { LeasedHost, Log } from '../contracts/log.ts';
import type { Processes } from '../contracts/processes.ts';
import { endLeasesOfDeadHosts } from '../session/dead-holders.ts';
import { pause } from '../sources/pause.ts';
import { keepingAlive, systemSources } from '../sources/system.ts';

const lookEveryMs = 250;
const { clock } = systemSources; // leases do not follow a fake clock

export interface JoiningHost {
  readonly log: Log;
  readonly processes: Processes;
  /** Its configured name; undefined: it has none. */
  readonly name: string | undefined;
  /** What its sessions are configured with; undefined: it does not say, and no other host is compared with it. */
  readonly configuration: string | undefined;
}

/** Resolves when no living host is in the way. Rejects with a `RangeError` that names those that are. Takes the time of a lease where a host has died that nobody has proven to be dead. */
export function assertNoRival(joining: JoiningHost): Promise<void> {
  return keepingAlive(clock, () => watchRivals(joining));
}

async function watchRivals({ log, processes, name, configuration }: JoiningHost): Promise<void> {
  const hasName = (host: LeasedHost) => name !== undefined && host.name === name;
  const isOther = (host: LeasedHost) =>
    configuration !== undefined && host.configuration !== undefined && host.configuration !== configuration;
  const seen = new Map<string, number>();
  for (;;) {
    await endLeasesOfDeadHosts(log, processes);
    const rivals = (await log.hosts()).filter((host) => hasName(host) || isOther(host));
    const living = rivals.filter(
      ({ id, remainingMs = 0 }) => remainingMs > 0 && remainingMs >= (seen.get(id) ?? Number.POSITIVE_INFINITY),
    );
    if (living.some(hasName)) throw new RangeError(nameTaken(String(name)));
    if (living.length > 0) throw new RangeError(configuredOtherwise(living));
    for (const { id, remainingMs = 0 } of rivals) seen.set(id, remainingMs);
    if (rivals.every(({ remainingMs = 0 }) => remainingMs <= 0)) return;
    await pause(clock, lookEveryMs);
  }
}

const nameTaken = (name: string): string =>
  `A living host of the cluster is named ${name}: two hosts of one name would take each other's sessions. Leave out host, or give each process a name of its own.`;

function configuredOtherwise(living: readonly LeasedHost[]): string {
  const names = living.map(({ label, name }) => label ?? name).join(', ');
  return `The sessions of living hosts are configured otherwise: ${names}. A session that moves would change. Give all hosts the same configuration of sessions, or allow another one for the time of an update.`;
}
