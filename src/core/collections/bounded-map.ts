// Maps keys to values up to a capacity; the oldest entry is dropped for a new one.

/** A map that keeps its last `capacity` entries, in the order of their last `set`. */
export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #capacity: number;
  #dropped = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Entries that have been dropped so far; 0: a key that is not here was never set. */
  get dropped(): number {
    return this.#dropped;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  /** Sets the value as the newest entry. */
  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#capacity) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      break;
    }
    this.#dropped += 1;
  }

  delete(key: Key): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  keys(): IterableIterator<Key> {
    return this.#entries.keys();
  }

  values(): IterableIterator<Value> {
    return this.#entries.values();
  }
}
