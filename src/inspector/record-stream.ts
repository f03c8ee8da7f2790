// Delivers the records of an inspector to its listeners, from a ring buffer that each listener reads at its own pace.
//
// 1. Records are delivered by `setImmediate`, not inside the step of an actor: no listener can delay the stop that follows a CANCEL.
// 2. A listener that is too slow for the ring misses the oldest records, and sees the gap in `n`.
// 3. A listener that throws is removed; the others still receive records.
import type { InspectionRecord } from '../protocol/inspection.ts';

/** Receives each record. A listener that throws is removed. */
export type InspectionListener = (record: InspectionRecord) => void;

/** A listener, and how far it has read. */
export interface Subscriber {
  readonly listener: InspectionListener;
  /** The `n` of the last record that it received. */
  lastN: number;
}

export interface RecordStreamOptions {
  /** The largest number of records in the ring. */
  readonly capacity: number;
  /** Called with the exception that a listener threw. */
  readonly onListenerError: (error: unknown) => void;
  /** Called when the last listener has been removed. */
  readonly onUnused: () => void;
}

export class RecordStream {
  readonly #options: RecordStreamOptions;
  readonly #subscribers = new Set<Subscriber>();
  readonly #ring: InspectionRecord[] = [];
  #lastN = 0;
  #delivery: 'idle' | 'due' = 'idle';

  constructor(options: RecordStreamOptions) {
    this.#options = options;
  }

  get hasSubscribers(): boolean {
    return this.#subscribers.size > 0;
  }

  /** The `n` of the last record. */
  get lastN(): number {
    return this.#lastN;
  }

  /** The records in the ring, the oldest first. */
  recent(): readonly InspectionRecord[] {
    return [...this.#ring];
  }

  /** Appends the record that `make` returns for the next `n`. It must be cheap, because it runs inside the step of an actor. */
  append(make: (n: number) => InspectionRecord): void {
    this.#lastN += 1;
    this.#ring.push(make(this.#lastN));
    if (this.#ring.length > this.#options.capacity) this.#ring.shift();
    if (this.#delivery === 'due') return;
    this.#delivery = 'due';
    setImmediate(() => this.#deliver());
  }

  /** Adds a listener, which receives the records that are appended from now on. */
  subscribe(listener: InspectionListener): Subscriber {
    const subscriber: Subscriber = { listener, lastN: this.#lastN };
    this.#subscribers.add(subscriber);
    return subscriber;
  }

  /** Removes a listener. Empties the ring after the last one. */
  unsubscribe(subscriber: Subscriber): void {
    if (!this.#subscribers.delete(subscriber) || this.hasSubscribers) return;
    this.#ring.length = 0;
    this.#options.onUnused();
  }

  /** Calls the listener with a record, unless it was removed. */
  deliverTo(subscriber: Subscriber, record: InspectionRecord): void {
    if (!this.#subscribers.has(subscriber)) return;
    try {
      subscriber.listener(record);
    } catch (error) {
      this.unsubscribe(subscriber);
      this.#options.onListenerError(error);
    }
  }

  #deliver(): void {
    this.#delivery = 'idle';
    const until = this.#lastN;
    for (const subscriber of [...this.#subscribers]) {
      while (subscriber.lastN < until && this.#subscribers.has(subscriber)) {
        const dropped = this.#lastN - this.#ring.length;
        subscriber.lastN = Math.max(subscriber.lastN, dropped) + 1;
        const record = this.#ring[subscriber.lastN - dropped - 1];
        if (record) this.deliverTo(subscriber, record);
      }
    }
  }
}
