// Prints blocks of lines above the live region of a terminal, with a blank line between different ones.
import { makePrintable } from '../core/text/printable.ts';
import type { ChatScreen } from './chat-console.ts';
import { wrapNote } from './chat-lines/note-lines.ts';
import { lineOf, paint, plainText, type StyledLine, type TextStyle } from './chat-lines/styled-text.ts';
import type { DrawQueue } from './terminal/draw-queue.ts';
import type { TerminalView } from './terminal/terminal-view.ts';

/** What a block is. `said`: the words of a person; the terminal prints those that were typed here. */
export type BlockKind = 'said' | 'reasoning' | 'answer' | 'call' | 'receipt' | 'note';

/** Blocks of these kinds stand below each other without a blank line. */
const dense: ReadonlySet<BlockKind> = new Set(['call', 'note']);

export class LiveScreen implements ChatScreen {
  readonly #view: TerminalView;
  readonly #queue: DrawQueue;
  #last: BlockKind | null = null;

  constructor(view: TerminalView, queue: DrawQueue) {
    this.#view = view;
    this.#queue = queue;
  }

  /** What was printed last; null: nothing. */
  get last(): BlockKind | null {
    return this.#last;
  }

  writeLine(line: string): void {
    this.#queue.add(() => this.printBlock('note', this.#wrap(line, 'plain')));
  }

  writeBelowText(line: string): void {
    this.#printBelowText(this.#wrap(line, 'plain'));
  }

  writeProblem(sentence: string): void {
    this.#printBelowText(this.#wrap(`! ${sentence}`, 'bad'));
  }

  #printBelowText(lines: readonly StyledLine[]): void {
    const painted = lines.map((each) => paint(each, this.#view.hasColors));
    if (!this.#view.printBelowTail(painted)) this.printBlock('note', lines);
  }

  #wrap(line: string, style: TextStyle): readonly StyledLine[] {
    return makePrintable(line)
      .split('\n')
      .flatMap((each) => wrapNote(each, style, this.#view.columns));
  }

  /** Prints a block. `isContinued`: it goes on with the last one. */
  printBlock(kind: BlockKind, lines: readonly StyledLine[], isContinued = false): void {
    if (lines.length === 0) return;
    const goesOn = isContinued && this.#last === kind;
    const isDense = this.#last === kind && dense.has(kind);
    const needsGap = !goesOn && !isDense && this.#last !== null;
    const body = goesOn
      ? lines
      : lines.slice(
          Math.max(
            0,
            lines.findIndex((line) => plainText(line) !== ''),
          ),
        );
    const all = needsGap ? [lineOf(''), ...body] : body;
    this.#view.print(all.map((line) => paint(line, this.#view.hasColors)));
    this.#last = kind;
  }

  /** The terminal has printed words that were typed here. */
  onWordsTyped(): void {
    this.#last = 'said';
  }

  /** Every block ends its line. */
  endOutput(): void {}
}
