// Describes the hosts that share a store: by their leases, and by what they say of themselves over the bus.
import type { LeasedHost, Log } from '../contracts/log.ts';
import type { DescribedHost, HostReport } from '../session/directory-api.ts';

/** Resolves with the hosts whose lease was not ended. `reports`: that of this host first; undefined: there is no bus. */
export async function describeHosts(
  log: Pick<Log, 'hosts' | 'countHeld'>,
  reports: readonly HostReport[] | undefined,
): Promise<readonly DescribedHost[]> {
  const held = await log.countHeld?.();
  const byHost = new Map(reports?.map((report) => [report.host, report]));
  return (await log.hosts()).map((leased) => {
    const { id, name, label, process } = leased;
    const report = byHost.get(id);
    return {
      host: id,
      name: label ?? name,
      pid: process?.pid ?? null,
      state: stateOf(leased, reports && (report ?? null)),
      isAsked: id === reports?.[0]?.host,
      sessions: held ? (held.get(id) ?? 0) : (report?.sessions ?? null),
      activeTurns: report?.activeTurns ?? null,
      lease: leaseOf(leased),
    };
  });
}

/** `report`: null: it did not reply; undefined: there is no bus. */
function stateOf({ remainingMs }: LeasedHost, report: HostReport | null | undefined): DescribedHost['state'] {
  if (remainingMs === 0) return 'gone';
  if (report === null) return 'unreachable';
  return report?.drains ? 'draining' : 'living';
}

const leaseOf = ({ leaseMs, remainingMs }: LeasedHost): DescribedHost['lease'] =>
  leaseMs === undefined || remainingMs === undefined ? null : { ms: leaseMs, ageMs: Math.round(leaseMs - remainingMs) };
