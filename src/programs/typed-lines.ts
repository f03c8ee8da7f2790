// Says typed lines in their order. One that names files, or resources or prompts of MCP servers, is said when they have been read.
import type { ClientSession } from '../client/joined-session.ts';
import { BoundedMap } from '../core/collections/bounded-map.ts';
import type { ContentPart } from '../wire/said-parts.ts';
import type { InterruptibleTurns } from './interruptible-turns.ts';
import type { ModelChoice } from './model-choice.ts';
import { type FileReader, fileWords, readNamedFiles } from './named-files.ts';
import { findNamedOffers } from './named-offers.ts';

export interface TypedLinesOptions {
  readonly session: Pick<ClientSession, 'read'>;
  readonly turns: Pick<InterruptibleTurns, 'say' | 'steer'>;
  /** Reads the files that lines name. */
  readonly files: FileReader;
  readonly model: Pick<ModelChoice, 'options'>;
  /** Called before a line is said with files, with some words about each. */
  readonly onAttached: (files: readonly string[]) => void;
  /** Called when a line is not said, because something that it names could not be read. */
  readonly onUnread: (error: unknown) => void;
}

/** `steer`: to the turn that runs. */
type Manner = 'say' | 'steer';

/** More lines than may wait in a lane. */
const maxSaid = 64;

export class TypedLines {
  readonly #options: TypedLinesOptions;
  #queue: Promise<void> = Promise.resolve();
  /** The last lines that were said, by the refs of their commands. */
  readonly #said = new BoundedMap<string, string>(maxSaid);
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

  say(line: string, manner: Manner = 'say'): void {
    const { session, files } = this.#options;
    const { text, reads } = findNamedOffers(line);
    const namesFiles = fileWords(line).length > 0;
    if (reads.length === 0 && !namesFiles && this.#waiting === 0) return this.#sayWith(line, text, [], manner);
    this.#waiting++;
    const reading = Promise.all([
      Promise.all(reads.map((one) => session.read(one))),
      namesFiles ? readNamedFiles(line, files) : [],
    ]);
    reading.catch(() => {}); // it is awaited in its turn
    const interrupts = this.#interrupts;
    this.#queue = this.#queue.then(async () => {
      try {
        const [offers, attached] = await reading;
        if (interrupts !== this.#interrupts) return;
        if (attached.length > 0) this.#options.onAttached(attached.map(({ about }) => about));
        const parts = [...offers.flatMap(({ parts = [] }) => parts), ...attached.map(({ part }) => part)];
        this.#sayWith(line, text, parts, manner);
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

  /** Returns a line that was said under this ref, once; null: none was, or it was long ago. */
  takeLine(ref: string | null): string | null {
    const line = ref === null ? undefined : this.#said.get(ref);
    if (ref === null || line === undefined) return null;
    this.#said.delete(ref);
    return line;
  }

  #sayWith(line: string, text: string, read: readonly ContentPart[], manner: Manner): void {
    const { turns, model } = this.#options;
    const parts = read.length > 0 && { parts: [{ type: 'text' as const, text }, ...read] };
    const turn = turns[manner](text, { ...model.options, ...parts });
    this.#said.set(turn.ref, line);
  }
}
