// Limits how many tokens are verified at a time, from all addresses together. One place is for stops only.

/** Tokens that are verified at once. */
const maxPlaces = 8;
/** Of these, those that only a stop may take. */
const placesForStops = 1;
/** Requests that wait for a place; stops and others are counted apart. */
const maxWaiting = 256;

type Kind = 'stop' | 'other';

export class VerificationPlaces {
  #taken = 0;
  readonly #waiting: Readonly<Record<Kind, (() => void)[]>> = { stop: [], other: [] };

  /** Resolves with true when the caller has a place, which it has to free. Resolves with false at once if too many wait. */
  async occupy(kind: Kind): Promise<boolean> {
    if (this.#isFreeFor(kind)) {
      this.#taken += 1;
      return true;
    }
    const waiting = this.#waiting[kind];
    if (waiting.length >= maxWaiting) return false;
    await new Promise<void>((resolve) => waiting.push(resolve));
    return true;
  }

  /** Frees a place, and gives it to the stop that has waited longest, else to the request that has. */
  free(): void {
    this.#taken -= 1;
    for (const kind of ['stop', 'other'] as const) {
      const next = this.#isFreeFor(kind) ? this.#waiting[kind].shift() : undefined;
      if (!next) continue;
      this.#taken += 1;
      next();
      return;
    }
  }

  #isFreeFor(kind: Kind): boolean {
    return this.#taken < (kind === 'stop' ? maxPlaces : maxPlaces - placesForStops);
  }
}
