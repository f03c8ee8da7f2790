// The records of an inspector on their way to its listeners: a ring, read by each listener at its own pace.
//
// 1. Records are delivered in a turn of the loop of their own: no listener stands between a CANCEL and the work that it stops.
// 2. A listener that falls behind the ring loses the oldest records, and sees the gap in `n`.
// 3. A listener that throws is removed; the others go on.
import type { InspectionRecord } from './inspection-record.ts';

/** Must not throw. */
export type InspectionListener = (record: InspectionRecord) => void;

/** A listener, and how far it has read. */
export interface Subscriber {
  readonly listener: InspectionListener;
  /** The `n` of the last record that it received. */
  lastN: number;
}

export interface RecordStreamOptions {
  /** Records in the ring. */
  readonly capacity: number;
  /** Takes the exception of a listener. */
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

  recent(): readonly InspectionRecord[] {
    return [...this.#ring];
  }

  /** Adds a record, which `make` gives its number. Cheap: it is called inside an actor's step. */
  append(make: (n: number) => InspectionRecord): void {
    this.#lastN += 1;
    this.#ring.push(make(this.#lastN));
    if (this.#ring.length > this.#options.capacity) this.#ring.shift();
    if (this.#delivery === 'due') return;
    this.#delivery = 'due';
    setImmediate(() => this.#deliver());
  }

  /** Adds a listener for the records after the last one. */
  subscribe(listener: InspectionListener): Subscriber {
    const subscriber: Subscriber = { listener, lastN: this.#lastN };
    this.#subscribers.add(subscriber);
    return subscriber;
  }

  unsubscribe(subscriber: Subscriber): void {
    if (!this.#subscribers.delete(subscriber) || this.hasSubscribers) return;
    this.#ring.length = 0;
    this.#options.onUnused();
  }

  /** Calls the listener, unless it was removed. */
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
