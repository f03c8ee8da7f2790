// The prompt of the line editor: wanted while a person may type and no turn of this terminal is running.
import type { Interface } from 'node:readline';
import type { InterruptibleTurns } from './interruptible-turns.ts';
import type { Prompt } from './screen.ts';

export class LinePrompt implements Prompt {
  readonly #lines: Interface;
  readonly #turns: InterruptibleTurns;
  #state: 'open' | 'closed';

  constructor(lines: Interface, turns: InterruptibleTurns, isTerminal: boolean) {
    this.#lines = lines;
    this.#turns = turns;
    this.#state = isTerminal ? 'open' : 'closed';
  }

  get isWanted(): boolean {
    return this.#state === 'open' && !this.#turns.isBusy;
  }

  get hasInput(): boolean {
    return this.#lines.line !== undefined && this.#lines.line.length > 0;
  }

  show(): void {
    this.#lines.prompt(true);
  }

  close(): void {
    this.#state = 'closed';
  }
}
