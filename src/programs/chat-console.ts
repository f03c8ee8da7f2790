// The two ends of a chat: a terminal with keys and a live region, or plain lines of a pipe.
import type { ClientState } from '../client/reconnecting-link.ts';
import type { SessionSnapshot } from '../client/view/snapshot.ts';
import type { ServerFrame } from '../wire/server-frames.ts';
import type { TerminalView } from './terminal/terminal-view.ts';
import type { Viewer } from './viewer.ts';

/** Prints lines. */
export interface ChatScreen {
  /** Prints a whole line. */
  writeLine(line: string): void;
  /** Prints a whole line; at a terminal below the text that streams, as soon as that has ended. */
  writeBelowText(line: string): void;
  /** Prints a sentence about what went wrong, below the text that streams. */
  writeProblem(sentence: string): void;
  /** Ends the current output: what follows starts on a new line. */
  endOutput(): void;
}

/** Prints what happens in a session. */
export interface FramePrinter {
  /** `snapshot`: the session after the frame. */
  print(frame: ServerFrame, snapshot: SessionSnapshot): void;
}

/** Calls of a console for what a person does. */
export interface ConsoleHandlers {
  /** A text was entered. False: it could not be said now, and stays in the input where there is one. */
  onText(text: string): boolean;
  /** Ctrl-C as a key. `hasText`: something is typed. */
  onInterrupt(hasText: boolean): void;
  /** Escape as a key. */
  onEscape(): void;
  /** The input has ended: Ctrl-D, or the end of a pipe. */
  onEnd(): void;
  /** The terminal is gone. */
  onGone(): void;
}

export interface ChatConsole {
  readonly screen: ChatScreen;
  /** The live region and the keys of a terminal; null: there are only lines. */
  readonly view: TerminalView | null;
  /** Returns the printer for a person at this console. `getSnapshot`: the session now. `ageMs`: how long a node has run, in milliseconds; null: that is not known. */
  createPrinter(
    viewer: Viewer,
    getSnapshot: () => SessionSnapshot,
    ageMs: (node: string) => number | null,
  ): FramePrinter;
  /** Reads the input from now on. */
  listen(handlers: ConsoleHandlers): void;
  /** Says that the connection is lost, and when it is back. */
  showConnection(state: ClientState): void;
  /** Shows a line about the next key; a terminal only until that key is pressed. */
  showNotice(line: string): void;
  /** Empties the input. */
  clearInput(): void;
  /** Puts words back into the input of a terminal, before what is typed there. */
  returnWords(text: string): void;
  /** Empties the screen of a terminal; what scrolled off it stays. */
  clearScreen(): void;
  close(): void;
}
