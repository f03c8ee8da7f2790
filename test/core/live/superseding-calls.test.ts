// Calls under a supersession key are found only while they run.
import { expect, test } from 'vitest';
import { callsUnderKey } from '../../../src/core/live/superseding-calls.ts';
import { LiveTree } from '../../../src/core/live/tree.ts';
import { nodeToAdd } from '../../support/node-to-add.ts';

test('calls are found in their order, and not after they have settled or were removed [tool.supersede] [cancel.clean]', () => {
  const tree = new LiveTree();
  for (const id of ['one', 'two', 'three', 'other']) {
    tree.add(nodeToAdd({ id, kind: 'tool-call', name: 'find' }), { send() {} }).supersessionKey =
      id === 'other' ? 'b' : 'a';
  }
  expect(callsUnderKey(tree, 'a')).toEqual(['one', 'two', 'three']);
  tree.settle('two'); // abandoned, for example
  expect(callsUnderKey(tree, 'a')).toEqual(['one', 'three']);
  for (const id of ['one', 'two', 'three']) tree.remove(id);
  expect(callsUnderKey(tree, 'a')).toEqual([]);
  expect(callsUnderKey(tree, 'b')).toEqual(['other']);
});
