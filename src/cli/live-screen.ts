// Prints lines and streaming text above the live region of a terminal: a line of text moves into the scrollback as soon as it has ended.
import { makePrintable } from '../text/printable.ts';
import type { ChatScreen } from './chat-console.ts';
import { wrapLine } from './terminal/display-width.ts';
import type { TerminalView } from './terminal/terminal-view.ts';

export class LiveScreen implements ChatScreen {
  readonly #view: TerminalView;
  /** The line that has not ended. */
  #line = '';

  constructor(view: TerminalView) {
    this.#view = view;
  }

  writeLine(line: string): void {
    this.startText();
    this.#view.print([makePrintable(line)]);
  }

  startText(): void {
    if (this.#line !== '') this.#view.print([this.#line]);
    this.#setLine('');
  }

  writeText(text: string): void {
    this.#append(makePrintable(text).split('\n'));
  }

  writeAside(text: string): void {
    this.#append(
      makePrintable(text)
        .split('\n')
        .map((line) => this.#view.style('dim', line)),
    );
  }

  endOutput(): void {
    this.startText();
  }

  #append([first = '', ...others]: readonly string[]): void {
    const lines = [this.#line + first, ...others];
    const rest = lines.pop() ?? '';
    if (lines.length > 0) this.#view.print(lines);
    this.#setLine(rest);
  }

  #setLine(line: string): void {
    this.#line = line;
    this.#view.setTail(line === '' ? null : ({ columns }) => wrapLine(line, columns));
  }
}
