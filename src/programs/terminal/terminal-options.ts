// The ends of a terminal that a chat uses, and its calls for what a person does.
import type { Clock } from '../../core/sources/sources.ts';
import type { InputHistory } from './input-history.ts';
import type { KeyInput } from './terminal-modes.ts';

/** The part of a terminal's output that is needed. */
export interface TerminalOutput extends NodeJS.WritableStream {
  readonly columns: number;
  readonly rows: number;
  hasColors?(): boolean;
}

export interface LiveTerminalOptions {
  readonly input: KeyInput;
  readonly output: TerminalOutput;
  readonly clock: Clock;
  readonly history: InputHistory;
  readonly prompt: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface TerminalHandlers {
  /** Enter: a text to say, or a command. False: it stays in the input. */
  onSubmit(text: string): boolean;
  /** Ctrl-C. False: there is nothing to stop, and a typed text may be cleared instead. */
  onInterrupt(hasText: boolean): void;
  /** Escape, while nothing else is open that it closes. */
  onEscape(): void;
  /** Ctrl-D, while nothing is typed. */
  onEndOfInput(): void;
  /** The terminal is gone. */
  onClosed(): void;
}
