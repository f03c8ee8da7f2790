// What has been told so far, to be read from its beginning by any number of readers, each at its own pace.
//
// 1. A reader gets everything that stays, in order. Of what passes (text, output: their durable ends stay) the oldest goes when there is too much,
//    so that a long stream that nobody reads costs no memory without end.

export interface Recording<Event> {
  add(event: Event): void;
  /** Nothing more comes; readers end, or throw. */
  end(error: Error | null): void;
  readonly isOver: boolean;
  read(): AsyncGenerator<Event, void, void>;
}

/** Events of those that pass that are kept. */
const keptPassing = 20_000;

export function createRecord<Event>(passes: (event: Event) => boolean, kept = keptPassing): Recording<Event> {
  const events: (Event | null)[] = [];
  let passing = 0;
  let oldest = 0; // where to look for the next one that goes
  let end: { readonly error: Error | null } | null = null;
  let more = Promise.withResolvers<void>();

  function wake(): void {
    more.resolve();
    more = Promise.withResolvers<void>();
  }
  function drop(): void {
    for (; ; oldest++) {
      const event = events[oldest];
      if (event === undefined) return;
      if (event === null || !passes(event)) continue;
      events[oldest] = null;
      passing -= 1;
      return;
    }
  }

  return {
    add(event) {
      events.push(event);
      if (passes(event)) passing += 1;
      if (passing > kept) drop();
      wake();
    },
    end(error) {
      end ??= { error };
      wake();
    },
    get isOver() {
      return end !== null;
    },
    async *read() {
      for (let next = 0; ; ) {
        const event = events[next];
        if (event !== undefined) {
          next += 1;
          if (event !== null) yield event;
        } else if (end) {
          if (end.error) throw end.error;
          return;
        } else await more.promise;
      }
    },
  };
}
