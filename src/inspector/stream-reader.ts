// Reads the records of an inspector as the events of a stream: the start, what was kept, who is alive, and what comes.
//
// A reader that has missed records continues at the present, with the actors that are alive: from the rest of the ring it could not
// tell which actors there are.
import type { ActorRecord, InspectionEvent, InspectionStart } from '../wire/inspection.ts';
import type { InspectionReader, ReaderOptions } from '../wire/inspection-source.ts';
import type { Cursor, RecordStream } from './record-stream.ts';

export interface StreamReaderOptions extends ReaderOptions {
  readonly stream: RecordStream;
  readonly start: Pick<InspectionStart, 'inspector' | 'at'>;
  /** Returns a record for each actor that is alive. */
  listAlive(): readonly ActorRecord[];
  onClose(): void;
}

export class StreamReader implements InspectionReader, Cursor {
  readonly session: string | null;
  lastN: number;
  readonly #options: StreamReaderOptions;
  /** Events that come before the record after `lastN`. */
  #next: readonly InspectionEvent[];
  /** Who was alive when the reader came, until it has read what was kept by then. */
  #alive: { readonly afterN: number; readonly records: readonly ActorRecord[] } | null;

  constructor(options: StreamReaderOptions) {
    const { stream, start, session, after, listAlive } = options;
    const { firstN: from, lastN: to, capacity: keep } = stream;
    this.#options = options;
    this.session = session;
    // above `to`: it counts the records of another inspector
    const known = after !== null && after <= to ? after : 0;
    this.lastN = Math.max(known, from - 1);
    const missed = known > 0 && known < from - 1 ? [gapEvent(known + 1, from - 1)] : [];
    this.#next = [{ type: 'start', data: { ...start, keep, from, to } }, ...missed];
    this.#alive = { afterN: to, records: listAlive() };
    stream.open(this);
  }

  onMore(): void {
    this.#options.onMore();
  }

  read(max: number): readonly InspectionEvent[] {
    const { stream } = this.#options;
    if (!stream.isOpen(this)) return [];
    if (this.#next.length > 0) return this.#readNext(max);
    if (this.lastN < stream.firstN - 1) {
      this.#skipToPresent();
      return this.#readNext(max);
    }
    const records = stream.read(this, max, this.#alive?.afterN);
    if (this.#alive && this.lastN >= this.#alive.afterN) {
      this.#next = this.#alive.records.map((data) => ({ type: 'alive', data }));
      this.#alive = null;
    }
    if (records.length === 0) return this.#readNext(max);
    return records.map((data) => ({ type: 'record', data }));
  }

  close(): void {
    const { stream, onClose } = this.#options;
    if (!stream.isOpen(this)) return;
    onClose();
    stream.close(this);
  }

  #readNext(max: number): readonly InspectionEvent[] {
    const read = this.#next.slice(0, max);
    this.#next = this.#next.slice(max);
    return read;
  }

  #skipToPresent(): void {
    const { stream, listAlive } = this.#options;
    const alive = listAlive().map((data): InspectionEvent => ({ type: 'alive', data }));
    this.#next = [gapEvent(this.lastN + 1, stream.lastN), ...alive];
    this.#alive = null;
    this.lastN = stream.lastN;
  }
}

const gapEvent = (from: number, to: number): InspectionEvent => ({ type: 'gap', data: { from, to } });
