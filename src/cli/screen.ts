// Writes lines and streaming text to a terminal with a prompt, and makes all of it printable. Holds the output back while a person types, so that
// the typed line stays whole.

import { clearLine, cursorTo } from 'node:readline';
import { styleText } from 'node:util';
import { makePrintable } from '../text/printable.ts';

export interface Prompt {
  /** Whether the prompt has to be shown after the output. */
  readonly isWanted: boolean;
  /** Whether something has been typed after the prompt. */
  readonly hasInput: boolean;
  show(): void;
}

/** Limit of writes that are held back while a person types. Above it all of them are written, above the typed line. */
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
  writeLine(line: string): void {
    this.#write(() => {
      this.#startLine();
      this.#output.write(`${makePrintable(line)}\n`);
      if (this.#prompt.isWanted) this.#showPrompt();
    });
  }

  /** Starts a new line if the last text has not ended its own: the next text belongs to another answer. */
  startText(): void {
    this.#write(() => {
      this.#hidePrompt();
      this.#startLine();
    });
  }

  /** Writes text, starting where the last text ended. */
  writeText(text: string): void {
    this.#writeSafely(makePrintable(text));
  }

  /** Writes what is beside the answer, starting where the last text ended: dim where the terminal has colors. */
  writeAside(text: string): void {
    this.#writeSafely(styleText('dim', makePrintable(text), { stream: this.#output }));
  }

  #writeSafely(text: string): void {
    this.#write(() => {
      this.#hidePrompt();
      this.#output.write(text);
      if (text !== '') this.#isAtLineStart = text.endsWith('\n');
    });
  }

  /** Ends the current output: starts a new line, and shows the prompt if it is wanted. */
  endOutput(): void {
    this.#write(() => {
      this.#startLine();
      if (this.#prompt.isWanted) this.#showPrompt();
    });
  }

  /** Called before the first key is echoed: shows the prompt on a line of its own, even while text streams. */
  onFirstKey(): void {
    if (this.#state !== 'plain') return;
    this.#startLine();
    this.#showPrompt();
  }

  /** Called when a line has been entered: keeps it on the screen, and writes the output that was held back. A line from a pipe is not on the screen. */
  onLineTyped(): void {
    if (this.#state === 'prompted') {
      this.#state = 'plain';
      this.#isAtLineStart = true;
    }
    this.#flush();
  }

  /** Removes the prompt for good, and writes the output that was held back. */
  close(): void {
    this.#hidePrompt();
    this.#state = 'closed';
    this.#flush();
  }

  /** Writes now, or after the line that is being typed. */
  #write(write: () => void): void {
    const mustHold = this.#state === 'prompted' && this.#prompt.hasInput;
    if (mustHold && this.#heldWrites.length < maxHeldWrites) return void this.#heldWrites.push(write);
    this.#hidePrompt();
    this.#flush();
    write();
    if (mustHold) this.#showPrompt();
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
