// The text that a person types: lines, a cursor, and the changes that keys make. Knows no screen.
import { charactersOf, firstCharacter } from '../../core/text/graphemes.ts';

const lastCharacter = (text: string): string => charactersOf(text.slice(-64)).at(-1) ?? '';

export class LineEditor {
  #text = '';
  #cursor = 0;
  /** What the last deletion of a word or a line has removed. */
  #killed = '';

  get text(): string {
    return this.#text;
  }

  /** An index of the text, between two characters. */
  get cursor(): number {
    return this.#cursor;
  }

  /** Replaces the text; the cursor is at its end. */
  set(text: string): void {
    this.#text = text;
    this.#cursor = text.length;
  }

  /** Empties the text. `insertKilled` brings it back. */
  clear(): void {
    if (this.#text !== '') this.#killed = this.#text;
    this.set('');
  }

  insert(text: string): void {
    this.replace(this.#cursor, text);
  }

  /** Replaces what is between the index and the cursor. */
  replace(from: number, text: string): void {
    this.#text = this.#text.slice(0, from) + text + this.#text.slice(this.#cursor);
    this.#cursor = from + text.length;
  }

  moveLeft(): void {
    this.#cursor -= lastCharacter(this.#before).length;
  }

  moveRight(): void {
    this.#cursor += firstCharacter(this.#after).length;
  }

  moveWordLeft(): void {
    this.#cursor = this.#wordStart();
  }

  moveWordRight(): void {
    this.#cursor = this.#wordEnd();
  }

  moveToLineStart(): void {
    this.#cursor = this.#lineStart();
  }

  moveToLineEnd(): void {
    this.#cursor = this.#lineEnd();
  }

  /** Moves to the same column of the line above. Returns whether there is one. */
  moveUp(): boolean {
    const start = this.#lineStart();
    if (start === 0) return false;
    const column = charactersOf(this.#text.slice(start, this.#cursor)).length;
    this.#cursor = start - 1;
    this.#moveToColumn(this.#lineStart(), column);
    return true;
  }

  /** Moves to the same column of the line below. Returns whether there is one. */
  moveDown(): boolean {
    const end = this.#lineEnd();
    if (end === this.#text.length) return false;
    const column = charactersOf(this.#text.slice(this.#lineStart(), this.#cursor)).length;
    this.#moveToColumn(end + 1, column);
    return true;
  }

  deleteBackward(): void {
    this.replace(this.#cursor - lastCharacter(this.#before).length, '');
  }

  deleteForward(): void {
    this.#cut(this.#cursor, this.#cursor + firstCharacter(this.#after).length);
  }

  killWordBackward(): void {
    this.#kill(this.#wordStart(), this.#cursor);
  }

  killWordForward(): void {
    this.#kill(this.#cursor, this.#wordEnd());
  }

  killToLineStart(): void {
    const start = this.#lineStart();
    this.#kill(start === this.#cursor ? Math.max(0, start - 1) : start, this.#cursor);
  }

  killToLineEnd(): void {
    const end = this.#lineEnd();
    this.#kill(this.#cursor, end === this.#cursor ? Math.min(this.#text.length, end + 1) : end);
  }

  /** Inserts what was deleted last by one of the methods `kill…`, or by `clear`. */
  insertKilled(): void {
    this.insert(this.#killed);
  }

  get #before(): string {
    return this.#text.slice(0, this.#cursor);
  }

  get #after(): string {
    return this.#text.slice(this.#cursor);
  }

  #lineStart(): number {
    return this.#before.lastIndexOf('\n') + 1;
  }

  #lineEnd(): number {
    const end = this.#text.indexOf('\n', this.#cursor);
    return end === -1 ? this.#text.length : end;
  }

  #moveToColumn(start: number, column: number): void {
    this.#cursor = start;
    const line = charactersOf(this.#text.slice(start, this.#lineEnd()));
    this.#cursor += line.slice(0, column).join('').length;
  }

  #wordStart(): number {
    return this.#before.search(/[\p{L}\p{N}\p{M}_]*[^\p{L}\p{N}\p{M}_]*$/u);
  }

  #wordEnd(): number {
    const [word = ''] = /^[^\p{L}\p{N}\p{M}_]*[\p{L}\p{N}\p{M}_]*/u.exec(this.#after) ?? [];
    return this.#cursor + word.length;
  }

  #kill(from: number, to: number): void {
    if (from < to) this.#killed = this.#text.slice(from, to);
    this.#cut(from, to);
  }

  #cut(from: number, to: number): void {
    this.#text = this.#text.slice(0, from) + this.#text.slice(to);
    this.#cursor = from;
  }
}
