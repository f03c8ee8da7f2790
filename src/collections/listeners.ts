// Listeners of events by type; those of `*` receive every event. One that throws stops neither the others nor who emits.

/** Listeners of events by type. */
export class Listeners<Event> {
  readonly #listeners = new Map<string, Set<(event: Event) => void>>();

  /** Adds a listener until the returned function is called. */
  on(type: string, listener: (event: never) => void): () => void {
    // its own function, so that a listener may be added twice; an event of a type has that type's shape
    const own = (event: Event) => listener(event as never);
    const ofType = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, ofType.add(own));
    return () => void ofType.delete(own);
  }

  /** Calls the listeners of the type, then those of `*`. */
  emit(type: string, event: Event): void {
    for (const listener of [...(this.#listeners.get(type) ?? []), ...(this.#listeners.get('*') ?? [])]) {
      try {
        listener(event);
      } catch (error) {
        // a bug in the listener: it is reported as an uncaught error, as with an EventTarget
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
