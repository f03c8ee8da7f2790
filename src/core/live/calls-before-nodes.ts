// The calls of a turn that are no nodes of the live tree yet, as the tree and the session use them.
import type { Call } from '../../../machines/contracts.ts';

/** The calls of a turn that are no nodes yet: their response is being written, or their round is not opened. */
export interface CallsBeforeNodes {
  /** Adds the calls that are whole to the live tree, for a CANCEL. */
  enterTree(): void;
  /** Returns the calls of the response after its end. A call in the live tree keeps its id. */
  finish(made: readonly Call[]): readonly Call[];
  /** Ends the calls in the live tree: they are never opened. */
  drop(): void;
}
