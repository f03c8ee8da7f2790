// Calls under a supersession key: known while they are at work, and not a moment longer.
import { expect, test } from 'vitest';
import { createRivals } from '../../src/live/superseding-calls.ts';
import { createTree } from '../../src/live/tree.ts';

test('calls are told in their order, and forgotten when they have settled or gone, with their key [tool.supersede] [cancel.clean]', () => {
  const tree = createTree();
  const rivals = createRivals(tree);
  for (const id of ['one', 'two', 'three', 'other']) {
    tree.enter({ id, kind: 'tool-call', owner: 'ann', parent: null, name: 'look', since: 0 }, { send() {} });
    rivals.enter(id === 'other' ? 'b' : 'a', id);
  }
  expect(rivals.of('a')).toEqual(['one', 'two', 'three']);
  expect(rivals.size).toBe(2);
  tree.settle('two'); // abandoned, say
  expect(rivals.of('a')).toEqual(['one', 'three']);
  for (const id of ['one', 'two', 'three']) tree.leave(id);
  expect(rivals.of('a')).toEqual([]);
  expect(rivals.size).toBe(1);
  expect(rivals.of('b')).toEqual(['other']);
});
