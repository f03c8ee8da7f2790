// Separates reasoning from text where a model writes its reasoning between `<think>` and `</think>`, at the start of its response.

const open = '<think>';
const close = '</think>';

export interface SeparatedText {
  readonly text: string;
  readonly reasoning: string;
}

/** Reads the pieces of a text. What may be the beginning of a tag is held back until the next piece. */
export class ThinkTags {
  #phase: 'start' | 'reasoning' | 'gap' | 'text' = 'start';
  #held = '';

  push(piece: string): SeparatedText {
    if (this.#phase === 'text') return { text: piece, reasoning: '' };
    this.#held += piece;
    this.#readStart();
    const reasoning = this.#readReasoning();
    return { text: this.#readText(), reasoning };
  }

  /** Returns what was held back: nothing follows. */
  release(): SeparatedText {
    const held = this.#held;
    this.#held = '';
    return this.#phase === 'reasoning' ? { text: '', reasoning: held } : { text: held, reasoning: '' };
  }

  #readStart(): void {
    if (this.#phase !== 'start') return;
    const start = this.#held.trimStart();
    if (start.startsWith(open)) {
      this.#phase = 'reasoning';
      this.#held = start.slice(open.length);
    } else if (!open.startsWith(start)) this.#phase = 'text';
  }

  #readReasoning(): string {
    if (this.#phase !== 'reasoning') return '';
    const end = this.#held.indexOf(close);
    if (end >= 0) {
      this.#phase = 'gap';
      const reasoning = this.#held.slice(0, end);
      this.#held = this.#held.slice(end + close.length);
      return reasoning;
    }
    const keep = [...close].findLastIndex((_, i) => this.#held.endsWith(close.slice(0, i + 1))) + 1;
    const reasoning = this.#held.slice(0, this.#held.length - keep);
    this.#held = this.#held.slice(this.#held.length - keep);
    return reasoning;
  }

  /** Leaves out the blank lines between the reasoning and the text. */
  #readText(): string {
    if (this.#phase === 'start' || this.#phase === 'reasoning') return '';
    const text = this.#phase === 'gap' ? this.#held.trimStart() : this.#held;
    this.#held = '';
    if (text !== '') this.#phase = 'text';
    return text;
  }
}
