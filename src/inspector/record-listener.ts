// Calls a function with each record of a stream. A function that throws is removed; the others still receive records.
import type { InspectionRecord } from '../wire/inspection.ts';
import type { FilteredRecord, KeptRecord } from './record-filter.ts';
import type { Cursor, RecordStream } from './record-stream.ts';

/** Receives each record. A listener that throws is removed. */
export type InspectionListener = (record: InspectionRecord) => void;

export class RecordListener implements Cursor {
  lastN: number;
  readonly #stream: RecordStream;
  readonly #listener: InspectionListener;
  readonly #onError: (error: unknown) => void;

  /** `onError`: called with what the listener threw. */
  constructor(stream: RecordStream, listener: InspectionListener, onError: (error: unknown) => void) {
    this.#stream = stream;
    this.#listener = listener;
    this.#onError = onError;
    this.lastN = stream.lastN;
  }

  /** A program of this process gets everything. */
  filter({ record }: KeptRecord): FilteredRecord {
    return { verdict: 'known', record };
  }

  /** Delivers the records that are there now. */
  onMore(): void {
    const until = this.#stream.lastN;
    while (this.lastN < until && this.#stream.isOpen(this))
      for (const record of this.#stream.read(this, 1, until)) this.deliver(record);
  }

  /** Calls the listener with a record, unless it was removed. */
  deliver(record: InspectionRecord): void {
    if (!this.#stream.isOpen(this)) return;
    try {
      this.#listener(record);
    } catch (error) {
      this.#stream.close(this);
      this.#onError(error);
    }
  }
}
