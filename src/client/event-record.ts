// The events of a turn from the first on, for any number of readers, each at its own pace.
//
// 1. A reader gets every lasting event, in order. Of the passing ones (text and output, whose lasting ends follow) the oldest are dropped past a limit,
//    so that a long stream that nobody reads does not fill the memory.

/** The limit of passing events that are kept. */
const maxPassing = 20_000;

export class RecordedEvents<Event> {
  readonly #events: (Event | null)[] = [];
  readonly #isPassing: (event: Event) => boolean;
  readonly #maxPassing: number;
  #passing = 0;
  /** The index below which all passing events have been dropped. */
  #oldest = 0;
  #state: { readonly kind: 'open' } | { readonly kind: 'closed'; readonly error: Error | null } = { kind: 'open' };
  #changed = Promise.withResolvers<void>();

  /** `limit`: passing events that are kept. */
  constructor(isPassing: (event: Event) => boolean, limit = maxPassing) {
    this.#isPassing = isPassing;
    this.#maxPassing = limit;
  }

  get isClosed(): boolean {
    return this.#state.kind === 'closed';
  }

  /** The error that its readers end with; null: it is open, or was closed without one. */
  get failure(): Error | null {
    return this.#state.kind === 'closed' ? this.#state.error : null;
  }

  add(event: Event): void {
    this.#events.push(event);
    if (this.#isPassing(event)) this.#passing += 1;
    if (this.#passing > this.#maxPassing) this.#dropOldest();
    this.#wakeReaders();
  }

  /** No event follows: readers end after the last one, or throw the error. */
  close(error: Error | null): void {
    if (this.#state.kind === 'open') this.#state = { kind: 'closed', error };
    this.#wakeReaders();
  }

  async *read(): AsyncGenerator<Event, void, void> {
    for (let next = 0; ; ) {
      const event = this.#events[next];
      if (event !== undefined) {
        next += 1;
        if (event !== null) yield event;
      } else if (this.#state.kind === 'closed') {
        if (this.#state.error) throw this.#state.error;
        return;
      } else await this.#changed.promise;
    }
  }

  #wakeReaders(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  #dropOldest(): void {
    for (; ; this.#oldest++) {
      const event = this.#events[this.#oldest];
      if (event === undefined) return;
      if (event === null || !this.#isPassing(event)) continue;
      this.#events[this.#oldest] = null;
      this.#passing -= 1;
      return;
    }
  }
}
