// The queue of what is drawn at a terminal: between two blocks the event loop turns once, in which a key that was pressed is handled.

/** Draws; a generator draws its next block at each step. */
export type Drawing = () => Iterator<void> | void;

export class DrawQueue {
  readonly #afterTurn: (step: () => void) => void;
  readonly #waiting: Drawing[] = [];
  /** What is being drawn; null: nothing. */
  #current: Iterator<void> | null = null;
  /** `drawn`: a block was drawn in this turn of the event loop. */
  #state: 'idle' | 'drawn' = 'idle';

  /** @param afterTurn calls the function after the event loop has turned once */
  constructor(afterTurn: (step: () => void) => void = setImmediate) {
    this.#afterTurn = afterTurn;
  }

  /** Draws at once if nothing was drawn in this turn of the event loop; otherwise after all that was added before. */
  add(drawing: Drawing): void {
    this.#waiting.push(drawing);
    if (this.#state === 'idle') this.#next();
  }

  /** Draws all that waits, at once. */
  flush(): void {
    while (this.#step());
  }

  #next(): void {
    this.#state = this.#step() ? 'drawn' : 'idle';
    if (this.#state === 'drawn') this.#afterTurn(() => this.#next());
  }

  /** Draws the next block. False: there is none. */
  #step(): boolean {
    for (;;) {
      if (this.#current && !this.#current.next().done) return true;
      this.#current = null;
      const drawing = this.#waiting.shift();
      if (!drawing) return false;
      this.#current = drawing() ?? null;
      if (!this.#current) return true;
    }
  }
}
