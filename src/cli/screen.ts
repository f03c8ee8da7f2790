// A screen of lines and streaming text with a prompt. While a person types, output waits, so that the typed line stays whole.
import { clearLine, cursorTo } from 'node:readline';

export interface Prompt {
  /** Whether it is to be shown now. */
  readonly isWanted: boolean;
  /** Whether something has been typed after it. */
  readonly hasInput: boolean;
  show(): void;
}

/** Pieces of output that wait while a person types. Past it the older ones are written above the typed line. */
const maxHeldWrites = 1_000;

export class Screen {
  readonly #output: NodeJS.WritableStream;
  readonly #prompt: Prompt;
  readonly #heldWrites: (() => void)[] = [];
  #isAtLineStart = true;
  #state: 'plain' | 'prompted' | 'closed' = 'plain';

  constructor(output: NodeJS.WritableStream, prompt: Prompt) {
    this.#output = output;
    this.#prompt = prompt;
  }

  /** Writes a whole line. */
  writeLine(writeText: string): void {
    this.#write(() => {
      this.#startLine();
      this.#output.write(`${writeText}\n`);
      if (this.#prompt.isWanted) this.#showPrompt();
    });
  }

  /** Continues where the last text ended. */
  text(text: string): void {
    this.#write(() => {
      this.#hidePrompt();
      this.#output.write(text);
      if (text !== '') this.#isAtLineStart = text.endsWith('\n');
    });
  }

  /** No more output comes for now: the prompt is shown where it is wanted. */
  endOutput(): void {
    this.#write(() => {
      this.#startLine();
      if (this.#prompt.isWanted) this.#showPrompt();
    });
  }

  /** A person begins to type: the prompt is shown, whatever streams. */
  onFirstKey(): void {
    if (this.#state !== 'plain') return;
    this.#startLine();
    this.#showPrompt();
  }

  /** A line has been typed, and stays on the screen: the output that has waited is written. */
  onLineTyped(): void {
    if (this.#state === 'prompted') this.#state = 'plain';
    this.#isAtLineStart = true;
    this.#flush();
  }

  /** Removes the prompt for good, and writes the output that has waited. */
  close(): void {
    this.#hidePrompt();
    this.#state = 'closed';
    this.#flush();
  }

  /** Writes now, or when nobody types any more. */
  #write(write: () => void): void {
    const mustWait = this.#state === 'prompted' && this.#prompt.hasInput;
    if (mustWait && this.#heldWrites.length < maxHeldWrites) return void this.#heldWrites.push(write);
    this.#hidePrompt();
    this.#flush();
    write();
    if (mustWait) this.#showPrompt();
  }

  #flush(): void {
    for (const write of this.#heldWrites.splice(0)) write();
  }

  #startLine(): void {
    if (!this.#isAtLineStart) this.#output.write('\n');
    this.#isAtLineStart = true;
  }

  #showPrompt(): void {
    if (this.#state === 'closed') return;
    this.#state = 'prompted';
    this.#prompt.show();
  }

  #hidePrompt(): void {
    if (this.#state !== 'prompted') return;
    clearLine(this.#output, 0);
    cursorTo(this.#output, 0);
    this.#state = 'plain';
  }
}
