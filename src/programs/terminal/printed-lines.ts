// The lines that are to be printed above the live region, in their order: finished output, and the words that a person has entered.
//
// Words that are entered while an answer streams would stand in the middle of it. They wait in the live region until it pauses, unless something is
// printed on them at once, as by a command.

export class PrintedLines {
  #lines: string[] = [];
  #waitingWords: string[] = [];
  #last: string | null = null;

  /** How many lines are to be printed. */
  get count(): number {
    return this.#lines.length;
  }

  /** Words that wait for the end of an answer. */
  get waitingWords(): readonly string[] {
    return this.#waitingWords;
  }

  /** Whether the last line of all that was added is empty. */
  get endsEmpty(): boolean {
    return (this.#lines.at(-1) ?? this.#last) === '';
  }

  add(lines: readonly string[]): void {
    this.#lines.push(...lines);
  }

  /** Adds words, with an empty line before them. `at`: how many lines were to be printed before they were entered. */
  addWords(words: readonly string[], at: number): void {
    const before = at > 0 ? this.#lines[at - 1] : this.#last;
    const isFirst = before === undefined || before === null || before === '';
    this.#lines.splice(at, 0, ...(isFirst ? [] : ['']), ...words);
  }

  /** Adds words that wait until `endWait`. */
  addWaitingWords(words: readonly string[]): void {
    this.#waitingWords.push(...words);
  }

  endWait(): void {
    const words = this.#waitingWords;
    this.#waitingWords = [];
    if (words.length > 0) this.addWords(words, this.#lines.length);
  }

  /** Returns the lines, which are printed now. */
  takeLines(): readonly string[] {
    const lines = this.#lines;
    this.#lines = [];
    this.#last = lines.at(-1) ?? this.#last;
    return lines;
  }
}
