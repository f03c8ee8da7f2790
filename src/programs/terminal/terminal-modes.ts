// The modes of a terminal while a program reads its keys: raw input, pastes that are marked as such, keys with all their modifiers.
// They are set back at every end of the process except `kill -9`, and while it is suspended.
/** The part of a terminal's input that is needed. */
export interface KeyInput extends NodeJS.ReadableStream {
  setRawMode?(isRaw: boolean): unknown;
}

/** Marks pastes; asks for keys by their number, where the terminal knows kitty's protocol. */
const setSequence = '\u001b[?2004h\u001b[>1u';
const resetSequence = '\u001b[<u\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[0m';

export class TerminalModes {
  readonly #input: KeyInput;
  readonly #output: NodeJS.WritableStream;
  #state: 'off' | 'on' = 'off';

  constructor(input: KeyInput, output: NodeJS.WritableStream) {
    this.#input = input;
    this.#output = output;
  }

  /** Sets the modes; sets them again if somebody else has changed them. */
  set(): void {
    if (this.#state === 'off') process.on('exit', this.reset);
    else this.#setRaw(false); // Node does nothing for a mode that it has set before
    this.#setRaw(true);
    if (this.#state === 'off') this.#output.write(setSequence);
    this.#state = 'on';
  }

  readonly reset = (): void => {
    if (this.#state === 'off') return;
    this.#state = 'off';
    process.off('exit', this.reset);
    this.#output.write(resetSequence);
    this.#setRaw(false);
  };

  /** Suspends all processes of this job, as Ctrl-Z does: npm, which has started this one, too. The caller sets the modes again at SIGCONT. */
  suspend(): void {
    this.reset();
    process.kill(0, 'SIGTSTP');
  }

  #setRaw(isRaw: boolean): void {
    try {
      this.#input.setRawMode?.(isRaw);
    } catch {
      // the terminal is gone
    }
  }
}
