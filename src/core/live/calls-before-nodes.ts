// The calls of a turn that are no nodes of the live tree yet, as the tree and the session use them: their response is being written, or their round is not opened.

export interface CallsBeforeNodes {
  /** Adds the calls that are whole to the live tree, for a CANCEL. */
  enterTree(): void;
  /** Ends the calls in the live tree: they are never opened. */
  drop(): void;
}
