// Which calls are at work under a supersession key, in the order in which they came.
//
// Owner: the runtime's session. A call is forgotten when it has settled, abandoned or not: nobody takes the place of what is over.
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Tree } from './tree.ts';

export type Rivals = ReturnType<typeof createRivals>;

export function createRivals(tree: Tree) {
  const callsOf = new Map<string, Set<NodeId>>();
  const keyOf = new Map<NodeId, string>();
  tree.watch(({ id }) => {
    const key = keyOf.get(id);
    if (key === undefined) return;
    keyOf.delete(id);
    const calls = callsOf.get(key);
    calls?.delete(id);
    if (calls?.size === 0) callsOf.delete(key);
  });
  return {
    of: (key: string): readonly NodeId[] => [...(callsOf.get(key) ?? [])],
    enter(key: string, id: NodeId): void {
      keyOf.set(id, key);
      const calls = callsOf.get(key) ?? new Set();
      callsOf.set(key, calls.add(id));
    },
    /** Keys under which a call is at work. */
    get size() {
      return callsOf.size;
    },
  };
}
