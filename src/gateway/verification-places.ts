// Limits how many tokens are verified at a time, from all addresses together. One place is for stops only.

/** Tokens that are verified at once. */
const maxPlaces = 8;
/** Places, among these, that only a stop may take. */
const placesForStops = 1;
/** Requests that wait for a place; stops and others are counted apart. */
const maxWaiting = 256;

type Kind = 'stop' | 'other';

interface Waiting {
  readonly address: string;
  readonly proceed: () => void;
}

export class VerificationPlaces {
  /** The address of each place that is taken. */
  readonly #taken: string[] = [];
  readonly #waiting: Readonly<Record<Kind, Waiting[]>> = { stop: [], other: [] };

  /** Resolves with true when the caller has a place, which it has to free. Resolves with false at once if too many wait. */
  async occupy(kind: Kind, address: string): Promise<boolean> {
    if (this.#isFreeFor(kind)) {
      this.#taken.push(address);
      return true;
    }
    const waiting = this.#waiting[kind];
    if (waiting.length >= maxWaiting) return false;
    await new Promise<void>((proceed) => waiting.push({ address, proceed }));
    return true;
  }

  /** Frees a place of an address, and gives it to a stop that waits, else to another request. */
  free(address: string): void {
    this.#taken.splice(this.#taken.indexOf(address), 1);
    for (const kind of ['stop', 'other'] as const) {
      const next = this.#isFreeFor(kind) ? this.#removeNext(kind) : undefined;
      if (!next) continue;
      this.#taken.push(next.address);
      next.proceed();
      return;
    }
  }

  /** Removes the request that has waited longest of the address that has the fewest places: one address cannot hold up the others. */
  #removeNext(kind: Kind): Waiting | undefined {
    const waiting = this.#waiting[kind];
    const placesOf = ({ address }: Waiting) => this.#taken.filter((one) => one === address).length;
    const fewest = Math.min(...waiting.map(placesOf));
    const at = waiting.findIndex((one) => placesOf(one) === fewest);
    return at === -1 ? undefined : waiting.splice(at, 1)[0];
  }

  #isFreeFor(kind: Kind): boolean {
    return this.#taken.length < (kind === 'stop' ? maxPlaces : maxPlaces - placesForStops);
  }
}
