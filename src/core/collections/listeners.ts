// Calls the listeners of events by type. A listener that throws stops neither the other listeners nor the caller of `emit`.

/** Listeners by event type; those of `*` receive every event. */
export class Listeners<Event> {
  readonly #listeners = new Map<string, Set<(event: Event) => void>>();

  /** Adds a listener. The returned function removes it. */
  on(type: string, listener: (event: never) => void): () => void {
    // a wrapper for each call, so that the same listener may be added twice
    // the cast: the caller knows which shape the events of this type have
    const wrapper = (event: Event) => listener(event as never);
    const ofType = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, ofType.add(wrapper));
    return () => void ofType.delete(wrapper);
  }

  /** Calls the listeners of the type, then those of `*`. */
  emit(type: string, event: Event): void {
    for (const listener of [...(this.#listeners.get(type) ?? []), ...(this.#listeners.get('*') ?? [])]) {
      try {
        listener(event);
      } catch (error) {
        // a bug in the listener: reported as an uncaught error, as an EventTarget does
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
