// Reads the records of an inspector as the events of a stream: the start, what was kept, who is alive, and what comes.
//
// A reader that has missed records continues at the present, with the actors that are alive: from the rest of the ring it could not
// tell which actors there are.
import type { InspectionEvent, InspectionStart } from '../wire/inspection.ts';
import type { InspectionReader, ReaderOptions } from '../wire/inspection-source.ts';
import { type FilteredRecord, type KeptRecord, RecordFilter } from './record-filter.ts';
import type { Cursor, RecordStream } from './record-stream.ts';

export interface StreamReaderOptions extends ReaderOptions {
  readonly stream: RecordStream;
  readonly start: Pick<InspectionStart, 'inspector' | 'at'>;
  /** Returns a record for each actor that is alive. */
  listAlive(): readonly KeptRecord[];
  onClose(): void;
}

/** What comes before the next record of the stream. */
type Announcement = Exclude<InspectionEvent, { readonly type: 'record' | 'alive' }> | KeptRecord;

export class StreamReader implements InspectionReader, Cursor {
  lastN: number;
  readonly #options: StreamReaderOptions;
  readonly #filter: RecordFilter;
  /** What comes before the record after `lastN`. */
  #next: readonly Announcement[];
  /** Who was alive when the reader came, until it has read what was kept by then. */
  #alive: { readonly afterN: number; readonly records: readonly KeptRecord[] } | null;

  constructor(options: StreamReaderOptions) {
    const { stream, start, session, access, after, listAlive } = options;
    const { firstN: from, lastN: to, capacity: keep } = stream;
    this.#options = options;
    this.#filter = new RecordFilter(session, access);
    // above `to`: it counts the records of another inspector
    const known = after !== null && after <= to ? after : 0;
    this.lastN = Math.max(known, from - 1);
    const missed = known > 0 && known < from - 1 ? [gapEvent(known + 1, from - 1)] : [];
    this.#next = [{ type: 'start', data: { ...start, keep, from, to } }, ...missed];
    this.#alive = { afterN: to, records: listAlive() };
    stream.open(this);
  }

  filter(kept: KeptRecord): FilteredRecord {
    return this.#filter.apply(kept);
  }

  onMore(): void {
    this.#options.onMore();
  }

  read(max: number): readonly InspectionEvent[] {
    const { stream } = this.#options;
    if (!stream.isOpen(this)) return [];
    if (this.lastN < stream.firstN - 1 && this.#next.length === 0) this.#skipToPresent();
    if (this.#next.length > 0) {
      const events = this.#readNext(max);
      if (events.length > 0 || this.#next.length > 0) return events;
    }
    const records = stream.read(this, max, this.#alive?.afterN);
    if (this.#alive && this.lastN >= this.#alive.afterN) {
      this.#next = this.#alive.records;
      this.#alive = null;
      if (records.length === 0) return this.read(max);
    }
    return records.map((data) => ({ type: 'record', data }));
  }

  close(): void {
    const { stream, onClose } = this.#options;
    if (!stream.isOpen(this)) return;
    onClose();
    stream.close(this);
  }

  /** Stops before an actor of which nothing is known yet. */
  #readNext(max: number): readonly InspectionEvent[] {
    const events: InspectionEvent[] = [];
    let read = 0;
    for (const next of this.#next) {
      if (events.length === max) break;
      const event = 'type' in next ? next : this.#aliveEvent(next);
      if (event === 'unknown') break;
      if (event) events.push(event);
      read += 1;
    }
    this.#next = this.#next.slice(read);
    return events;
  }

  #aliveEvent(kept: KeptRecord): InspectionEvent | 'unknown' | null {
    const filtered = this.#filter.apply(kept);
    if (filtered.verdict === 'unknown') return 'unknown';
    const { record } = filtered;
    return record?.type === 'actor' ? { type: 'alive', data: record } : null;
  }

  #skipToPresent(): void {
    const { stream, listAlive } = this.#options;
    this.#next = [gapEvent(this.lastN + 1, stream.lastN), ...listAlive()];
    this.#alive = null;
    this.lastN = stream.lastN;
  }
}

const gapEvent = (from: number, to: number): Announcement => ({ type: 'gap', data: { from, to } });
