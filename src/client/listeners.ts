// Who listens to what. One that throws stops neither the others nor what is told.

export interface Listeners<Event> {
  /** Until the returned function is called. */
  on(type: string, hear: (event: never) => void): () => void;
  tell(type: string, event: Event): void;
}

export function createListeners<Event>(): Listeners<Event> {
  const all = new Map<string, Set<(event: Event) => void>>();
  return {
    on(type, hear) {
      const one = (event: Event) => hear(event as never); // its own, so that a listener may be added twice
      const heard = all.get(type) ?? new Set();
      all.set(type, heard.add(one));
      return () => void heard.delete(one);
    },
    tell(type, event) {
      for (const hear of [...(all.get(type) ?? []), ...(all.get('*') ?? [])]) {
        try {
          hear(event);
        } catch (error) {
          // a bug of the one who listens: it comes out as what nobody has caught, as with an EventTarget
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    },
  };
}
