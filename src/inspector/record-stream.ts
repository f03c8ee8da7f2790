// Keeps the last records of an inspector in a ring buffer, from which each reader reads at its own pace.
//
// 1. Readers are notified by `setImmediate`, not inside the step of an actor: none can delay the stop that follows a CANCEL.
// 2. A reader that is too slow for the ring misses the oldest records, and sees the gap in `n`.
import type { InspectionRecord } from '../wire/inspection.ts';
import type { FilteredRecord, KeptRecord } from './record-filter.ts';

/** How far somebody has read. */
export interface Cursor {
  /** The `n` of the last record that was read. */
  lastN: number;
  /** Returns a record as this cursor gets it. */
  filter(kept: KeptRecord): FilteredRecord;
  /** Called when there are records after `lastN`. */
  onMore(): void;
}

export interface RecordStreamOptions {
  /** The largest number of records in the ring. */
  readonly capacity: number;
  /** Called when nobody reads any more. */
  readonly onUnused: () => void;
}

export class RecordStream {
  readonly #options: RecordStreamOptions;
  readonly #cursors = new Set<Cursor>();
  readonly #ring: KeptRecord[] = [];
  #lastN = 0;
  #holds = 0;
  #notice: 'idle' | 'due' = 'idle';

  constructor(options: RecordStreamOptions) {
    this.#options = options;
  }

  get capacity(): number {
    return this.#options.capacity;
  }

  /** Whether somebody reads, or holds it. */
  get isUsed(): boolean {
    return this.#cursors.size > 0 || this.#holds > 0;
  }

  /** The `n` of the last record. */
  get lastN(): number {
    return this.#lastN;
  }

  /** The `n` of the oldest record that is kept; `lastN + 1`: there is none. */
  get firstN(): number {
    return this.#lastN - this.#ring.length + 1;
  }

  /** The records in the ring, the oldest first. */
  recent(): readonly InspectionRecord[] {
    return this.#ring.map(({ record }) => record);
  }

  /** Appends the record that `make` returns for the next `n`. It must be cheap, because it runs inside the step of an actor. */
  append(make: (n: number) => KeptRecord): void {
    this.#lastN += 1;
    this.#ring.push(make(this.#lastN));
    if (this.#ring.length > this.#options.capacity) this.#ring.shift();
    if (this.#notice === 'due') return;
    this.#notice = 'due';
    setImmediate(() => this.#notify());
  }

  /** Notifies the cursor of each record that is appended from now on. */
  open(cursor: Cursor): void {
    this.#cursors.add(cursor);
  }

  isOpen(cursor: Cursor): boolean {
    return this.#cursors.has(cursor);
  }

  close(cursor: Cursor): void {
    if (this.#cursors.delete(cursor)) this.#emptyIfUnused();
  }

  /** Keeps the records also while nobody reads, until the returned function is called. */
  hold(): () => void {
    this.#holds += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      this.#emptyIfUnused();
    };
  }

  /** Returns the next records for a cursor up to the `n` of `until`, at most `max`, and moves it after them. It stops before one of which nothing is known yet. */
  read(cursor: Cursor, max: number, until = this.#lastN): readonly InspectionRecord[] {
    const { firstN } = this;
    const found: InspectionRecord[] = [];
    cursor.lastN = Math.max(cursor.lastN, firstN - 1);
    while (cursor.lastN < until && found.length < max) {
      const kept = this.#ring[cursor.lastN + 1 - firstN];
      const filtered = kept ? cursor.filter(kept) : null;
      if (filtered?.verdict === 'unknown') break;
      cursor.lastN += 1;
      if (filtered?.record) found.push(filtered.record);
    }
    return found;
  }

  #notify(): void {
    this.#notice = 'idle';
    for (const cursor of [...this.#cursors]) if (this.#cursors.has(cursor)) cursor.onMore();
  }

  #emptyIfUnused(): void {
    if (this.isUsed) return;
    this.#ring.length = 0;
    this.#options.onUnused();
  }
}
