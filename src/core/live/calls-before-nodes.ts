// The calls of a turn that are no nodes of the live tree yet, as the tree and the session use them.
import type { Call } from '../../../machines/contracts.ts';

/** The calls of a turn that are no nodes yet: their response is being written, or their round is not opened. */
export interface CallsBeforeNodes {
  /** Gives those that are whole places in the live tree, for a CANCEL. */
  enterTree(): void;
  /** Returns the calls of the response, which has ended, with the ids that they have. */
  finish(made: readonly Call[]): readonly Call[];
  /** Ends those that have places in the live tree: they are never opened. */
  drop(): void;
}
