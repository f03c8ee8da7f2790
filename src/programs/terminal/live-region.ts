// Draws rows at the end of a terminal's output again and again in place, and prints finished lines above them.
//
// 1. A row never wraps: the terminal's wrapping is off while rows are drawn, so that a row is one row whatever its characters are as wide as.
// 2. Only rows that have changed are written, all in one write, in a synchronized update where the terminal knows that.
// 3. After a change of the width a terminal has wrapped the rows that were too wide; `onResize` finds the first row all the same. It leaves rather a row
//    of its own on the screen than it erases a finished line.
import { displayWidth } from '../../core/text/display-width.ts';

export interface Frame {
  readonly rows: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

const up = (rows: number) => (rows > 0 ? `\u001b[${rows}A` : '');
const right = (columns: number) => (columns > 0 ? `\u001b[${columns}C` : '');
const begin = '\u001b[?2026h\u001b[?25l';
const end = '\u001b[?25h\u001b[?2026l';
const wrapOff = '\u001b[?7l';
const wrapOn = '\u001b[?7h';
const eraseBelow = '\u001b[J';
const eraseRest = '\u001b[K';
const eraseRow = '\u001b[2K';
const plain = '\u001b[0m';

const nothing: Frame = { rows: [], cursor: { row: 0, column: 0 } };

export class LiveRegion {
  readonly #write: (text: string) => void;
  /** Whether the terminal wraps rows again when it becomes narrower. */
  readonly #wrapsAgain: boolean;
  #drawn: Frame = nothing;

  constructor(write: (text: string) => void, wrapsAgain: boolean) {
    this.#write = write;
    this.#wrapsAgain = wrapsAgain;
  }

  /** Prints the lines above the region, and draws the frame. Writes nothing if there is no line and the frame is on the screen already. */
  update(lines: readonly string[], frame: Frame, columns: number): void {
    if (lines.length === 0 && isSame(frame, this.#drawn)) return;
    const printed = lines.length === 0 ? '' : this.#toTop() + eraseBelow + lines.map((line) => `${line}\r\n`).join('');
    if (lines.length > 0) this.#drawn = nothing;
    this.#write(begin + printed + wrapOff + this.#frameText(frame, columns) + wrapOn + end);
    this.#drawn = frame;
  }

  /** Removes the region from the screen. The next `update` draws it where the cursor is. */
  erase(): void {
    if (this.#drawn.rows.length > 0) this.#write(this.#toTop() + eraseBelow);
    this.#drawn = nothing;
  }

  /** Erases the region on a terminal that has this width now. */
  onResize(columns: number): void {
    const { rows, cursor } = this.#drawn;
    if (rows.length === 0) return;
    const above = rows.slice(0, cursor.row);
    const height = above.reduce((sum, row) => sum + this.#heightOf(row, columns), 0);
    this.#write(`${up(height)}\r${eraseBelow}`);
    this.#drawn = nothing;
  }

  /** Something else has written to the screen: the next `update` draws all rows, where the cursor is. */
  forget(): void {
    this.#drawn = nothing;
  }

  #heightOf(row: string, columns: number): number {
    return this.#wrapsAgain ? Math.max(1, Math.ceil(displayWidth(row) / Math.max(1, columns))) : 1;
  }

  #toTop(): string {
    return `${up(this.#drawn.cursor.row)}\r`;
  }

  #frameText({ rows, cursor }: Frame, columns: number): string {
    const { rows: old } = this.#drawn;
    const texts = rows.map((row, i) => {
      const start = i === 0 ? this.#toTop() : i < old.length ? '\r\u001b[B' : '\r\n';
      if (row === old[i]) return start;
      return displayWidth(row) < columns ? `${start}${row}${plain}${eraseRest}` : `${start}${eraseRow}${row}${plain}`;
    });
    const isShorter = rows.length < old.length;
    const below = isShorter ? `\r\u001b[B${eraseBelow}${up(1)}` : '';
    return `${texts.join('')}${below}${up(rows.length - 1 - cursor.row)}\r${right(cursor.column)}`;
  }
}

const isSame = (one: Frame, other: Frame): boolean =>
  one.cursor.row === other.cursor.row &&
  one.cursor.column === other.cursor.column &&
  one.rows.length === other.rows.length &&
  one.rows.every((row, i) => row === other.rows[i]);

/** Whether the terminal wraps its lines again at a change of its width: all do but xterm, the Linux console and GNU screen. */
export function wrapsAgain({ TERM = '', TMUX, XTERM_VERSION }: Readonly<Record<string, string | undefined>>): boolean {
  if (TMUX) return true;
  return XTERM_VERSION === undefined && TERM !== 'linux' && !TERM.startsWith('screen');
}
