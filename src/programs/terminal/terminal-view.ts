// The interface of the terminal of a chat: finished output goes into the scrollback, and below it lies a live region that is redrawn in place.
//
// From top to bottom the live region has: the tail (the text that still grows), the status, the open question, the notice, and the input with its
// completions. Each part is a function that returns its lines for a size and a time. The view calls it again after `refresh`, and ten times a
// second as long as the tail, the status or the notice has lines; it writes only rows that have changed.
//
// Lines may hold styles (`view.style`, or other SGR sequences); everything else that steers a terminal is removed. Text from outside must go through
// `makePrintable` before it is styled: otherwise it could bring styles of its own. Where there are no colors, all styles are removed.

import type { MonotonicTime } from '../../core/sources/sources.ts';

/** How much room a part of the live region has. */
export interface LiveSize {
  readonly columns: number;
  /** Rows that are left for this part: more lines are cut off, of the tail at its top, of everything else at its bottom. */
  readonly rows: number;
}

/** Returns the lines of a part of the live region. Each is clipped to the columns: a caller that wants whole texts wraps them. */
export type RenderLines = (size: LiveSize) => readonly string[];

/** A question that is answered by one key while nothing is typed. With text after the prompt the keys are text. */
export interface KeyQuestion {
  readonly render: RenderLines;
  /** What each key does: a character like `y`, in lower case. False: the key is text. */
  readonly keys: Readonly<Record<string, () => boolean>>;
  /** Called when a text is entered. `since`: when it was begun. False: it is no answer, but said. */
  readonly onText?: (text: string, since: MonotonicTime) => boolean;
  /** What Ctrl-O prints while the question is shown. */
  readonly expand?: () => readonly string[];
}

/** A text that can stand in place of what was typed, and some words about it. */
export interface Candidate {
  readonly text: string;
  readonly about?: string | undefined;
}

/** Texts that can stand in place of what was typed from `from` to the cursor. */
export interface Completion {
  readonly from: number;
  readonly candidates: readonly Candidate[];
}

/** Finds completions of the text before the cursor (an index of the text). Called when Tab is pressed; null: there are none. */
export type Complete = (text: string, cursor: number) => Completion | null | Promise<Completion | null>;

export type Style = 'bold' | 'dim' | 'italic' | 'underline' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan';

export interface TerminalView {
  /** The width of the terminal now. */
  readonly columns: number;
  readonly hasColors: boolean;
  /** Returns the text in these styles; unchanged where there are no colors. */
  style(styles: Style | readonly Style[], text: string): string;
  /** Prints finished lines into the scrollback, above the live region. They are not wrapped: the terminal would do that, also within words. */
  print(lines: readonly string[]): void;
  /** Prints finished lines below the tail as soon as that has ended. False: there is no tail, and nothing is printed. */
  printBelowTail(lines: readonly string[]): boolean;
  /** The end of an answer that still streams. Its finished lines are printed. */
  setTail(render: RenderLines | null): void;
  /** What runs now. Not shown while the connection is lost. */
  setStatus(render: RenderLines | null): void;
  /** Draws the live region again, at the next of its at most twelve redraws a second. Call it when a part has other lines than before. */
  refresh(): void;
  /** Opens a question below the status. The first open one is shown and gets the keys. Returns a function that closes it. */
  openQuestion(question: KeyQuestion): () => void;
  /** What Ctrl-O prints: the whole of the last result. */
  setExpansion(expand: () => readonly string[]): void;
  /** What Tab completes. */
  setCompletion(complete: Complete): void;
}
