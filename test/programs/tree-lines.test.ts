// The live tree as lines of a terminal.
import { expect, test } from 'vitest';
import type { AwaitedCall } from '../../machines/live-view.ts';
import { defaultViewLimits, foldFrame } from '../../src/client/view/fold.ts';
import { emptySnapshot, type SessionSnapshot } from '../../src/client/view/snapshot.ts';
import { treeLines } from '../../src/programs/tree-lines.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { numbered, opened, working } from '../client/view/frames.ts';

/** Ages of the nodes that have started. */
const ages: Readonly<Record<string, number>> = { turn_1: 2_000, agent_1: 2_000, turn_2: 2_000, call_2: 1_000 };
const ageMs = (node: string) => ages[node] ?? null;

test('the tree is drawn with a sub-agent and its turn as one [cli.chat]', () => {
  const frames = [...working, ...numbered([opened('turn_3', 'bob')], working.length + 1)];
  const { nodes } = frames.reduce((before, frame) => foldFrame(before, frame, defaultViewLimits), emptySnapshot);
  expect(treeLines(nodes, 'ann', ageMs)).toEqual([
    '  your turn (turn_1): running, 2.0 s',
    '    shell (call_1): waiting',
    '    researcher (agent_1): running, 2.0 s',
    '      shell (call_2): running, 1.0 s',
    "  bob's turn (turn_3): waiting",
  ]);
  expect(treeLines(nodes, 'bob', ageMs).slice(0, 2)).toEqual([
    "  ann's turn (turn_1): running, 2.0 s",
    "    shell (call_1), ann's: waiting",
  ]);
});

test('a call that waits says for which call, and whose [cli.chat] [tool.waits]', () => {
  const linesOf = (waitsFor: AwaitedCall) => {
    const waiting: ServerFrame = { type: 'tool_waiting', session: 's', node: 'call_1', waitsFor, elapsedMs: 0 };
    const fold = (before: SessionSnapshot, frame: ServerFrame) => foldFrame(before, frame, defaultViewLimits);
    return treeLines([...working, waiting].reduce(fold, emptySnapshot).nodes, 'ann', ageMs);
  };
  const awaited = { node: 'call_2', name: 'shell' };
  expect(linesOf({ ...awaited, owner: 'ann' })[1]).toBe('    shell (call_1): waiting for your shell (call_2)');
  expect(linesOf({ ...awaited, owner: 'bob', session: 'other' })[1]).toBe(
    "    shell (call_1): waiting for bob's shell (call_2) in other",
  );
});
