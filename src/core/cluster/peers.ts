// The other hosts of the cluster: each says on the bus, twice a second, that it lives, and how far its links have come.
import { BoundedMap } from '../collections/bounded-map.ts';
import type { Bus } from '../contracts/bus.ts';
import type { HostProcess } from '../contracts/log.ts';
import { addMs, msSince } from '../sources/monotonic-time.ts';
import type { Clock, Disarm, MonotonicTime } from '../sources/sources.ts';
import type { LinkPlace } from './event-links.ts';
import { hostsSubject } from './subjects.ts';

const beaconMs = 500;
/** A host that has said nothing for so long is gone, in milliseconds. */
const goneMs = 2_500;
/** For how long a host that is gone without having said so is missing in lists, in milliseconds. */
const missingMs = 60_000;
const maxMissing = 100;

interface Beacon {
  readonly host: string;
  readonly name: string;
  /** The places of its links, by the host at the other end. */
  readonly links: Readonly<Record<string, LinkPlace>>;
  readonly process?: HostProcess | null;
  /** It has just come, and knows nobody yet. */
  readonly isNew?: boolean;
  /** It opens no session any more. */
  readonly drains?: boolean;
  /** It leaves. */
  readonly leaves?: boolean;
}

export interface OtherHost {
  readonly host: string;
  readonly name: string;
  /** Whether it opens no session any more. */
  readonly drains: boolean;
}

interface KnownPeer extends OtherHost {
  readonly process: HostProcess | null;
  seenAt: MonotonicTime;
}

export interface PeersParts {
  readonly bus: Bus;
  readonly clock: Clock;
  /** The id of this host. */
  readonly host: string;
  /** What this host is called. */
  readonly name: string;
  /** The process of this host; null: unknown. */
  readonly process: HostProcess | null;
  /** The links of this host. */
  places(): Readonly<Record<string, LinkPlace>>;
  /** Called for each beacon of a host. `place`: of its link to this one; null: it has none. */
  onPlace(host: string, place: LinkPlace | null): void;
  /** Called when a host is gone. */
  onGone(host: string): void;
}

export class Peers {
  readonly #parts: PeersParts;
  readonly #peers = new Map<string, KnownPeer>();
  /** The hosts that went without a word, by id, and when they are forgotten. */
  readonly #missing = new BoundedMap<string, { readonly name: string; readonly until: MonotonicTime }>(maxMissing);
  #state: { readonly disarm: Disarm; readonly unsubscribe: () => void } | null = null;
  #drains = false;

  constructor(parts: PeersParts) {
    this.#parts = parts;
  }

  get all(): readonly OtherHost[] {
    return [...this.#peers.values()];
  }

  /** The names of the hosts that went without a word a short time ago. */
  get missing(): readonly string[] {
    const { clock } = this.#parts;
    for (const host of this.#missing.keys()) {
      const until = this.#missing.get(host)?.until;
      if (until && msSince(clock, until) >= 0) this.#missing.delete(host);
    }
    return [...this.#missing.values()].map(({ name }) => name);
  }

  start(): void {
    const { bus } = this.#parts;
    const unsubscribe = bus.subscribe(hostsSubject, (text) => this.#onBeacon(JSON.parse(text) as Beacon)); // sealed by a host of the cluster
    this.#state = { disarm: () => {}, unsubscribe };
    this.#publish({ isNew: true });
    this.#arm();
  }

  /** This host opens no session any more: the others know it at once. */
  drain(): void {
    this.#drains = true;
    this.#publish({});
  }

  /** A process of this system has died. Its sessions are recovered at once, so that its host is not missing. */
  dropProcess(pid: number): void {
    for (const { host, process } of this.#peers.values()) {
      if (process?.pid !== pid || process.system !== this.#parts.process?.system) continue;
      this.#peers.delete(host);
      this.#parts.onGone(host);
    }
  }

  stop(): void {
    this.#state?.disarm();
    this.#state?.unsubscribe();
    if (this.#state) this.#publish({ leaves: true });
    this.#state = null;
  }

  #arm(): void {
    if (!this.#state) return;
    const { unsubscribe } = this.#state;
    const disarm = this.#parts.clock.after(beaconMs, () => {
      this.#publish({});
      this.#sweep();
      this.#arm();
    });
    this.#state = { disarm, unsubscribe };
  }

  #publish(about: Pick<Beacon, 'isNew' | 'leaves'>): void {
    const { bus, host, name, process, places } = this.#parts;
    const beacon: Beacon = { host, name, links: places(), process, drains: this.#drains, ...about };
    bus.publish(hostsSubject, JSON.stringify(beacon));
  }

  #onBeacon({ host, name, links, process = null, isNew, drains = false, leaves }: Beacon): void {
    const { clock, host: own, onPlace, onGone } = this.#parts;
    if (host === own) return;
    this.#missing.delete(host);
    if (leaves) {
      if (this.#peers.delete(host)) onGone(host);
      return;
    }
    this.#peers.set(host, { host, name, process, drains, seenAt: clock.elapsed() });
    if (isNew) this.#publish({});
    onPlace(host, links[own] ?? null);
  }

  #sweep(): void {
    const { clock, onGone } = this.#parts;
    for (const { host, name, seenAt } of this.#peers.values()) {
      if (msSince(clock, seenAt) < goneMs) continue;
      this.#peers.delete(host);
      this.#missing.set(host, { name, until: addMs(clock.elapsed(), missingMs) });
      onGone(host);
    }
  }
}
