// Nodes for tests of the live tree, which differ in a few fields.
import type { NewNode } from '../../src/core/live/node-entry.ts';
import { monotonicTime } from '../../src/core/sources/monotonic-time.ts';

/** Returns a node that was added at the start of the clock, to no parent. */
export const nodeToAdd = (fields: Pick<NewNode, 'id' | 'kind'> & Partial<NewNode>): NewNode => ({
  owner: 'alice',
  parent: null,
  name: null,
  since: 0,
  addedAt: monotonicTime(0),
  enteredAt: 0,
  ...fields,
});
