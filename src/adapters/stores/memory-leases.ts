// The leases of the hosts that share a log in memory.

import { Fenced, HeldElsewhere, type Host, type LeasedHost } from '../../core/contracts/log.ts';
import { readMachineTime } from '../../core/sources/machine-clock.ts';

/** `until`: by the clock of the machine. */
interface Lease {
  readonly host: Host;
  leaseMs: number;
  until: number;
}

export class MemoryLeases {
  readonly #leases = new Map<string, Lease>();

  start(host: Host, leaseMs: number): void {
    for (const { host: earlier } of this.#leases.values()) if (earlier.name === host.name) this.endLease(earlier.id);
    this.#leases.set(host.id, { host: structuredClone(host), leaseMs, until: readMachineTime().now + leaseMs });
  }

  /** Throws `Fenced` if the lease was ended. */
  renew(host: string, leaseMs: number): void {
    const lease = this.#leases.get(host);
    if (!lease) throw new Fenced(`The lease of the host ${host} has been ended.`);
    lease.leaseMs = leaseMs;
    lease.until = readMachineTime().now + leaseMs;
  }

  endLease(host: string): void {
    this.#leases.delete(host);
  }

  isRunning(host: string): boolean {
    return (this.#leases.get(host)?.until ?? Number.NEGATIVE_INFINITY) > readMachineTime().now;
  }

  /** Throws `HeldElsewhere` while the lease of the holder of a session runs. */
  assertOver(session: string, holder: string | null): void {
    if (holder !== null && this.isRunning(holder)) throw new HeldElsewhere(session);
  }

  list(): readonly LeasedHost[] {
    const { now } = readMachineTime();
    return [...this.#leases.values()].map(({ host, leaseMs, until }) => ({
      ...structuredClone(host),
      leaseMs,
      remainingMs: Math.max(0, until - now),
    }));
  }
}
