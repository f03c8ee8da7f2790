// Calls under a supersession key: found while they are at work, and not a moment longer.
import { expect, test } from 'vitest';
import { callsUnderKey } from '../../src/live/superseding-calls.ts';
import { LiveTree } from '../../src/live/tree.ts';

test('calls are found in their order, and not after they have settled or gone [tool.supersede] [cancel.clean]', () => {
  const tree = new LiveTree();
  for (const id of ['one', 'two', 'three', 'other']) {
    const node = { id, kind: 'tool-call', owner: 'ann', parent: null, name: 'find', since: 0 } as const;
    tree.add(node, { send() {} }).supersessionKey = id === 'other' ? 'b' : 'a';
  }
  expect(callsUnderKey(tree, 'a')).toEqual(['one', 'two', 'three']);
  tree.settle('two'); // abandoned, say
  expect(callsUnderKey(tree, 'a')).toEqual(['one', 'three']);
  for (const id of ['one', 'two', 'three']) tree.remove(id);
  expect(callsUnderKey(tree, 'a')).toEqual([]);
  expect(callsUnderKey(tree, 'b')).toEqual(['other']);
});
