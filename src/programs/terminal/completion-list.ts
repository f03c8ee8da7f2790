// The completions of what is typed: Tab inserts what all of them have in common, and then one after the other.
import { clipText, displayWidth } from '../../core/text/display-width.ts';
import type { LineEditor } from './line-editor.ts';
import type { Candidate, Complete, Completion, Style } from './terminal-view.ts';

const maxShown = 8;

export class CompletionList {
  readonly #editor: LineEditor;
  readonly #onChange: () => void;
  #complete: Complete = () => null;
  #open: Completion | null = null;
  /** The candidate that stands in the text; -1: none of them. */
  #chosen = -1;

  /** `onChange` is called when completions have come later than the key that asked for them. */
  constructor(editor: LineEditor, onChange: () => void) {
    this.#editor = editor;
    this.#onChange = onChange;
  }

  get isOpen(): boolean {
    return this.#open !== null;
  }

  setCompletion(complete: Complete): void {
    this.#complete = complete;
  }

  close(): void {
    this.#open = null;
    this.#chosen = -1;
  }

  /** Tab: finds the completions, or goes to the next of those that are shown; with `backward` to the one before. */
  next(backward = false): void {
    if (this.#open !== null) return this.#choose(this.#open, backward);
    const { text, cursor } = this.#editor;
    const found = this.#complete(text, cursor);
    if (!(found instanceof Promise)) return this.#show(found);
    found.then(
      (completion) => {
        if (this.#editor.text !== text || this.#editor.cursor !== cursor) return; // more has been typed
        this.#show(completion);
        this.#onChange();
      },
      () => {}, // nothing to complete
    );
  }

  /** Returns a row for each candidate, eight at most, and one that counts the others. */
  rows(columns: number, style: (styles: Style, text: string) => string): readonly string[] {
    const candidates = this.#open?.candidates ?? [];
    const first = Math.max(0, Math.min(this.#chosen - maxShown + 1, candidates.length - maxShown));
    const shown = candidates.slice(first, first + maxShown);
    const width = Math.min(columns, Math.max(0, ...shown.map(({ text }) => displayWidth(text))));
    const rows = shown.map(({ text, about = '' }, i) => {
      const isChosen = first + i === this.#chosen;
      const row = `${isChosen ? '> ' : '  '}${text}${' '.repeat(Math.max(0, width - displayWidth(text)))}  `;
      return clipText(`${isChosen ? style('bold', row) : row}${style('dim', about)}`.trimEnd(), columns);
    });
    const others = candidates.length - shown.length;
    return others > 0 ? [...rows, style('dim', `  ${others} more`)] : rows;
  }

  #show(completion: Completion | null): void {
    const [first, ...others] = completion?.candidates ?? [];
    if (!completion || !first) return;
    this.#editor.replace(completion.from, others.length === 0 ? first.text : this.#commonStart(completion));
    if (others.length > 0) this.#open = completion;
  }

  /** What all candidates begin with, if it is more than what is typed. */
  #commonStart({ from, candidates }: Completion): string {
    const typed = this.#editor.text.slice(from, this.#editor.cursor);
    const common = candidates.map(({ text }) => text).reduce(commonPrefix);
    return common.length > typed.length ? common : typed;
  }

  #choose({ from, candidates }: Completion, backward: boolean): void {
    const start = backward && this.#chosen === -1 ? 0 : this.#chosen;
    this.#chosen = (start + (backward ? -1 : 1) + candidates.length) % candidates.length;
    const chosen: Candidate | undefined = candidates[this.#chosen];
    if (chosen) this.#editor.replace(from, chosen.text);
  }
}

function commonPrefix(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return one.slice(0, length);
}
