// The calls of a turn that are no nodes of the live tree yet, as the tree and the session use them: those of a response that is being written, and of a round that
// is not opened. workers/response-calls.ts implements it.

export interface UnopenedCalls {
  /** Adds the calls that are whole to the live tree, for a CANCEL. */
  enterTree(): void;
  /** Ends the calls in the live tree: they are never opened. */
  drop(): void;
}
