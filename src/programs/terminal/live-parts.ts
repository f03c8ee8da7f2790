// The parts of the live region, put together to rows that fit on the screen.
import { clipText } from '../../core/text/display-width.ts';
import type { InputLayout } from './input-rows.ts';
import type { Frame } from './live-region.ts';
import type { PrintedLines } from './printed-lines.ts';
import { safeLine, singleRow } from './safe-line.ts';
import type { KeyQuestion, LiveSize, RenderLines, Style } from './terminal-view.ts';

/** `override`: it is shown in place of the status. */
export type Part = 'tail' | 'status' | 'override';

export interface LaidOutInput {
  layOut(columns: number, maxRows: number): InputLayout;
}

export class LiveParts {
  readonly #style: (styles: Style, text: string) => string;
  readonly #keepsStyles: () => boolean;
  readonly #parts = new Map<Part, RenderLines>();
  readonly #questions: KeyQuestion[] = [];
  #notice: string | null = null;

  constructor(style: (styles: Style, text: string) => string, keepsStyles: () => boolean) {
    this.#style = style;
    this.#keepsStyles = keepsStyles;
  }

  /** The open question that is shown. */
  get question(): KeyQuestion | undefined {
    return this.#questions[0];
  }

  set(part: Part, render: RenderLines | null): void {
    if (render) this.#parts.set(part, render);
    else this.#parts.delete(part);
  }

  has(part: Part): boolean {
    return this.#parts.has(part);
  }

  setNotice(line: string | null): void {
    this.#notice = line;
  }

  /** Returns a function that closes the question. */
  openQuestion(question: KeyQuestion): () => void {
    this.#questions.push(question);
    return () => {
      const at = this.#questions.indexOf(question);
      if (at !== -1) this.#questions.splice(at, 1);
    };
  }

  /**
   * Returns the rows for a screen of that size. The input has the first claim on them, then the question, the notice, the status and the tail.
   * Between what is printed, or the tail, and the rest there is an empty row, unless the last line of `printed` is one.
   * `isMoving`: there are lines that may change with the time.
   */
  compose(
    input: LaidOutInput,
    { columns, rows: screenRows }: LiveSize,
    printed: Pick<PrintedLines, 'waitingWords' | 'endsEmpty'>,
  ): { frame: Frame; isMoving: boolean } {
    const all = Math.max(2, screenRows - 2); // one row is left above the region, and one between the answer and what is below it
    const { rows: inputRows, cursor } = input.layOut(columns, Math.max(1, Math.floor(all / 2)));
    let rows = all - inputRows.length;
    const render = (lines: RenderLines | undefined, cutsTop = false) => {
      const rendered = rows > 0 ? (lines?.({ columns, rows }) ?? []) : [];
      const kept = rendered.length <= rows ? rendered : cutsTop ? rendered.slice(-rows) : rendered.slice(0, rows);
      rows -= kept.length;
      return kept;
    };
    const question = render(this.question?.render);
    const notice = render(() => (this.#notice === null ? [] : [this.#style('dim', this.#notice)]));
    const words = render(() => printed.waitingWords);
    const status = render(this.#parts.get('override') ?? this.#parts.get('status'));
    const tail = render(this.#parts.get('tail'), true);
    const keepsStyles = this.#keepsStyles();
    const gap = printed.endsEmpty && tail.length === 0 ? [] : [''];
    const parts = [...words, ...status, ...question, ...notice];
    const below = parts[0] === '' ? parts.slice(1) : parts;
    const above = [...tail, ...gap, ...below].map((line) => clipText(singleRow(safeLine(line, keepsStyles)), columns));
    return {
      frame: { rows: [...above, ...inputRows], cursor: { ...cursor, row: cursor.row + above.length } },
      isMoving: tail.length + status.length + question.length > 0,
    };
  }
}
