// The live tree as lines of a terminal.
import { expect, test } from 'vitest';
import { treeLines } from '../../src/cli/tree-lines.ts';
import { defaultViewLimits, foldFrame } from '../../src/client/view/fold.ts';
import { emptySnapshot } from '../../src/client/view/snapshot.ts';
import { numbered, opened, working } from '../client/view/frames.ts';

test('the tree is drawn with a sub-agent and its turn as one [cli.chat]', () => {
  const frames = [...working, ...numbered([opened('turn_3', 'bob')], working.length + 1)];
  const { nodes } = frames.reduce((before, frame) => foldFrame(before, frame, defaultViewLimits), emptySnapshot);
  expect(treeLines(nodes, 'ann', 3_000)).toEqual([
    '  your turn (turn_1): running, 2.0 s',
    '    shell (call_1): waiting, 2.0 s',
    '    researcher (agent_1): running, 2.0 s',
    '      shell (call_2): running, 1.0 s',
    "  bob's turn (turn_3): waiting, 2.0 s",
  ]);
  expect(treeLines(nodes, 'bob', 3_000).slice(0, 2)).toEqual([
    "  ann's turn (turn_1): running, 2.0 s",
    "    shell (call_1), ann's: waiting, 2.0 s",
  ]);
});
