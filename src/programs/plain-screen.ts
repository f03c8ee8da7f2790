// Writes lines and streaming text to an output without a live region, and makes all of it printable.
import { makePrintable } from '../core/text/printable.ts';
import type { ChatScreen } from './chat-console.ts';

export class PlainScreen implements ChatScreen {
  readonly #output: NodeJS.WritableStream;
  #isAtLineStart = true;

  constructor(output: NodeJS.WritableStream) {
    this.#output = output;
  }

  writeLine(line: string): void {
    this.startText();
    this.#output.write(`${makePrintable(line)}\n`);
  }

  writeBelowText(line: string): void {
    this.writeLine(line);
  }

  writeProblem(sentence: string): void {
    this.writeLine(`! ${sentence}`);
  }

  /** Starts a new line if the last text has not ended its own: the next text belongs to another response. */
  startText(): void {
    if (!this.#isAtLineStart) this.#output.write('\n');
    this.#isAtLineStart = true;
  }

  /** Writes text, starting where the last text ended. */
  writeText(text: string): void {
    const safe = makePrintable(text);
    this.#output.write(safe);
    if (safe !== '') this.#isAtLineStart = safe.endsWith('\n');
  }

  endOutput(): void {
    this.startText();
  }
}
