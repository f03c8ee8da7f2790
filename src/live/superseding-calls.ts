// The calls that are at work under a supersession key, in the order in which they came.
//
// A call that has settled, abandoned or not, is none of them: there is nothing of it to supersede.
import type { NodeId } from '../../machines/vocabulary.ts';
import type { LiveTree } from './tree.ts';

/** Calls that are at work under the key. */
export function callsUnderKey(tree: LiveTree, key: string): readonly NodeId[] {
  return tree
    .entries()
    .flatMap(({ id, supersessionKey, state }) => (supersessionKey === key && state !== 'settled' ? id : []));
}
