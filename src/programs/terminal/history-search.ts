// The search in the history: Ctrl-R finds the newest text with the typed words, again the one before it.
import type { InputHistory } from './input-history.ts';
import type { TerminalInput } from './key-decoder.ts';

export class HistorySearch {
  readonly #history: InputHistory;
  #words = '';
  #found: readonly string[] = [];
  #place = 0;

  constructor(history: InputHistory) {
    this.#history = history;
    this.#find('');
  }

  /** The text that is found; empty: none. */
  get found(): string {
    return this.#found[this.#place] ?? '';
  }

  get label(): string {
    const problem = this.#words !== '' && this.found === '' ? ': not found' : '';
    return `search the history: ${this.#words}${problem}  (Ctrl-R older, Enter takes it, Esc closes)`;
  }

  /** Handles a key of the search: `taken` ends it with the text that is found, `closed` without. */
  press(input: TerminalInput): 'open' | 'taken' | 'closed' {
    if (input.kind !== 'key') {
      this.#find(this.#words + input.text);
      return 'open';
    }
    if (input.name === 'backspace') this.#find(this.#words.slice(0, -1));
    else if (input.ctrl && input.name === 'r') this.#place = Math.min(this.#place + 1, this.#found.length);
    else return input.name === 'escape' || (input.ctrl && /^[cg]$/.test(input.name)) ? 'closed' : 'taken';
    return 'open';
  }

  #find(words: string): void {
    this.#words = words;
    this.#found = words === '' ? [] : this.#history.find(words);
    this.#place = 0;
  }
}
