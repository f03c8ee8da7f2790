// Says typed lines in their order. One that names resources or prompts of MCP servers is said when they have been read.
import type { ClientSession } from '../client/joined-session.ts';
import type { ContentPart } from '../protocol/said-parts.ts';
import type { InterruptibleTurns } from './interruptible-turns.ts';
import { findNamedOffers } from './named-offers.ts';

export interface TypedLinesOptions {
  readonly session: Pick<ClientSession, 'read'>;
  readonly turns: Pick<InterruptibleTurns, 'say'>;
  /** Called when a line is not said, because something that it names could not be read. */
  readonly onUnread: (error: unknown) => void;
}

export class TypedLines {
  readonly #options: TypedLinesOptions;
  #queue: Promise<void> = Promise.resolve();
  /** Lines that wait to be said. */
  #waiting = 0;
  /** The number of interrupts: a line that was typed before the last one is dropped. */
  #interrupts = 0;

  constructor(options: TypedLinesOptions) {
    this.#options = options;
  }

  /** Resolves when no line waits. */
  get said(): Promise<void> {
    return this.#queue;
  }

  /** Whether a line waits until something that it names has been read. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  say(line: string): void {
    const { session, turns } = this.#options;
    const { text, reads } = findNamedOffers(line);
    if (reads.length === 0 && this.#waiting === 0) return void turns.say(text);
    this.#waiting++;
    const reading = Promise.all(reads.map((one) => session.read(one)));
    reading.catch(() => {}); // it is awaited in its turn
    const interrupts = this.#interrupts;
    this.#queue = this.#queue.then(async () => {
      try {
        const found = await reading;
        if (interrupts === this.#interrupts)
          this.#sayWith(
            text,
            found.flatMap(({ parts = [] }) => parts),
          );
      } catch (error) {
        if (interrupts === this.#interrupts) this.#options.onUnread(error);
      } finally {
        this.#waiting--;
      }
    });
  }

  /** Drops the lines that wait. Returns whether there were any. */
  interrupt(): boolean {
    this.#interrupts++;
    return this.#waiting > 0;
  }

  #sayWith(text: string, read: readonly ContentPart[]): void {
    const { turns } = this.#options;
    if (read.length === 0) turns.say(text);
    else turns.say(text, { parts: [{ type: 'text', text }, ...read] });
  }
}
