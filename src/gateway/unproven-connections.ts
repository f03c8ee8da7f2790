// The connections whose speaker is not known yet: few in all, and few of one address. A new one takes the place of an old one.
//
// A client that says HELLO at once is proven long before it is the oldest, so those that stay silent only push out each other.

export interface UnprovenLimits {
  readonly total: number;
  readonly perAddress: number;
}

export class UnprovenConnections {
  readonly #limits: UnprovenLimits;
  /** The ids of connections by address, the oldest first. */
  readonly #byAddress = new Map<string, Set<string>>();
  readonly #addresses = new Map<string, string>();

  constructor(limits: UnprovenLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#addresses.size;
  }

  /** Adds a connection. If there is no room, removes another one and returns its id; null: there is room. */
  add(id: string, address: string): string | null {
    const evicted = this.#oldestToGo(address);
    if (evicted !== null) this.delete(evicted);
    const ids = this.#byAddress.get(address) ?? new Set();
    this.#byAddress.set(address, ids.add(id));
    this.#addresses.set(id, address);
    return evicted;
  }

  /** Removes a connection that is proven or gone; no effect if it is not here. */
  delete(id: string): void {
    const address = this.#addresses.get(id);
    if (address === undefined) return;
    this.#addresses.delete(id);
    const ids = this.#byAddress.get(address);
    ids?.delete(id);
    if (ids?.size === 0) this.#byAddress.delete(address);
  }

  #oldestToGo(address: string): string | null {
    const own = this.#byAddress.get(address);
    if (own && own.size >= this.#limits.perAddress) return first(own);
    return this.size >= this.#limits.total ? first(this.#largest()) : null;
  }

  /** The connections of the address that has most. */
  #largest(): ReadonlySet<string> {
    let largest: ReadonlySet<string> = new Set();
    for (const ids of this.#byAddress.values()) if (ids.size > largest.size) largest = ids;
    return largest;
  }
}

const first = (ids: ReadonlySet<string>): string | null => ids.values().next().value ?? null;
