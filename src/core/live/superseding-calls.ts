// Finds the running calls with a supersession key, in the order in which they were opened. Settled calls, abandoned ones included, are not superseded.
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { LiveTree } from './tree.ts';

/** Returns the calls with the key that have not settled. */
export function callsUnderKey(tree: LiveTree, key: string): readonly NodeId[] {
  return tree
    .entries()
    .flatMap(({ id, supersessionKey, isSettled }) => (supersessionKey === key && !isSettled ? id : []));
}
