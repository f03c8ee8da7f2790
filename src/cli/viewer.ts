// The person at a terminal.

/** The person who reads the lines. */
export interface Viewer {
  readonly speaker: string;
  /** Whether the ref is of a command of this terminal. */
  isMine(ref: string | null): boolean;
}
