// A node is in one state, and its actor in another one.
import { expect, test } from 'vitest';
import type { Cause } from '../../../machines/vocabulary.ts';
import { NodeEntry } from '../../../src/core/live/node-entry.ts';
import { monotonicTime } from '../../../src/core/sources/monotonic-time.ts';
import { nodeToAdd } from '../../support/node-to-add.ts';

const cause: Cause = { source: 'client', by: 'alice', reason: null, target: 'T' };
const later: Cause = { ...cause, source: 'deadline', by: null };
const turn = nodeToAdd({ id: 'T', kind: 'turn' });

test('the cut is kept to the end: the state says how far the node is, and the mark why it is stopped [cancel.sources]', () => {
  const node = new NodeEntry(turn, null);
  expect(node.markCut(cause)).toBe(true);
  const { mark } = node.state;
  expect(node.state).toEqual({ kind: 'cut', mark: { cause, work: 'running', forced: false, budget: null } });
  expect(node.markCut(later)).toBe(false);
  node.fix();
  expect(node.settle()).toBe(true);
  expect(node.settle()).toBe(false);
  node.fix();
  expect(node.state).toEqual({ kind: 'settled', mark });
  expect(node.state.mark).toBe(mark);
});

test('a settled node that is cut stays settled: what still works for it is stopped [cancel.reach]', () => {
  const node = new NodeEntry(turn, null);
  node.settle();
  expect(node.markCut(cause)).toBe(true);
  expect([node.isSettled, node.isOpen, node.cut]).toEqual([true, false, cause]);
});

test('a pending node runs on, keeps the first cause, and is cut for the cause that stops it [cancel.shield]', () => {
  const node = new NodeEntry(turn, null);
  node.defer({ cause, force: false, until: monotonicTime(5) });
  node.defer({ cause: later, force: true });
  expect(node.state).toEqual({ kind: 'pending', deferred: { cause, force: true, until: 5 }, mark: null });
  expect([node.runsOn, node.cut, node.firstCause]).toEqual([true, null, cause]);
  node.markCut(later);
  node.defer({ cause, force: false });
  expect([node.runsOn, node.cut, node.firstCause]).toEqual([false, later, later]);
});

test('a node whose outcome is fixed is not pending any more, and is not deferred [cancel.exact]', () => {
  const node = new NodeEntry(turn, null);
  node.defer({ cause, force: false });
  node.fix();
  node.defer({ cause, force: false });
  expect(node.state).toEqual({ kind: 'fixed', mark: null });
});

test('events reach its actor from its start until it crashes', () => {
  const node = new NodeEntry(turn, null);
  const sent: string[] = [];
  const receiver = (name: string) => ({ send: ({ type }: { type: string }) => void sent.push(`${name} ${type}`) });
  node.send({ type: 'early' });
  const actor = receiver('actor');
  node.start(actor);
  node.start(receiver('another'));
  node.send({ type: 'OVERDUE' });
  node.crash();
  node.send({ type: 'OVERDUE' });
  expect(sent).toEqual(['actor OVERDUE']);
  expect([node.hasCrashed, node.actor]).toEqual([true, actor]);
});
