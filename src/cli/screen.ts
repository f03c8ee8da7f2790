// Writes lines and streaming text to an output without a live region, and makes all of it printable.
import { styleText } from 'node:util';
import { makePrintable } from '../text/printable.ts';
import type { ChatScreen } from './chat-console.ts';

export class Screen implements ChatScreen {
  readonly #output: NodeJS.WritableStream;
  #isAtLineStart = true;

  constructor(output: NodeJS.WritableStream) {
    this.#output = output;
  }

  writeLine(line: string): void {
    this.startText();
    this.#output.write(`${makePrintable(line)}\n`);
  }

  startText(): void {
    if (!this.#isAtLineStart) this.#output.write('\n');
    this.#isAtLineStart = true;
  }

  writeText(text: string): void {
    this.#writeSafely(makePrintable(text));
  }

  writeAside(text: string): void {
    this.#writeSafely(styleText('dim', makePrintable(text), { stream: this.#output }));
  }

  endOutput(): void {
    this.startText();
  }

  #writeSafely(text: string): void {
    this.#output.write(text);
    if (text !== '') this.#isAtLineStart = text.endsWith('\n');
  }
}
