// The budgets of stopping: leaves only, one timer for each cut, and no timer after the last settled.
import { expect, test } from 'vitest';
import { StopBudgets } from '../../src/live/budgets.ts';
import { LiveTree } from '../../src/live/tree.ts';
import { createVirtualClock } from '../../src/sources/virtual.ts';

function leaves(...names: string[]) {
  const clock = createVirtualClock();
  const tree = new LiveTree();
  const overdue: string[] = [];
  const actorOf = (id: string) => ({ send: ({ type }: { type: string }) => void overdue.push(`${id} ${type}`) });
  tree.add({ id: 'T', kind: 'turn', owner: 'a', parent: null, name: null, since: 0, enteredAt: 0 }, actorOf('T'));
  for (const id of names)
    tree.add({ id, kind: 'tool-call', owner: 'a', parent: 'T', name: id, since: 0, enteredAt: 0 }, actorOf(id));
  return { clock, tree, overdue, budgets: new StopBudgets(tree, clock, { toolCancelMs: 1_500, forceCancelMs: 250 }) };
}

test('a leaf that has not settled within its budget gets OVERDUE, the deepest first; parents have no budget [cancel.bounded]', async () => {
  const { clock, tree, overdue, budgets } = leaves('c1', 'c2', 'c3');
  budgets.arm(['T', 'c1', 'c2', 'c3'], { force: false });
  tree.settle('c2');
  await clock.advance(1_499);
  expect(overdue).toEqual([]);
  await clock.advance(1);
  expect(overdue).toEqual(['c3 OVERDUE', 'c1 OVERDUE']);
  expect(tree.entries().filter(({ budget }) => budget)).toEqual([]);
  expect(clock.pending).toBe(0);
});

test('a later budget of a node replaces the earlier one [cancel.idempotent]', async () => {
  const { clock, overdue, budgets } = leaves('c1', 'c2');
  budgets.arm(['c1', 'c2'], { force: false });
  budgets.arm(['c2'], { force: true });
  await clock.advance(300);
  expect(overdue).toEqual(['c2 OVERDUE']);
});

test('when all have settled no timer is left [cancel.clean]', () => {
  const { clock, tree, budgets } = leaves('c1', 'c2');
  budgets.arm(['c1', 'c2'], { force: false });
  tree.remove('c1');
  expect(clock.pending).toBe(1);
  tree.remove('c2');
  expect(tree.entries().filter(({ budget }) => budget)).toEqual([]);
  expect(clock.pending).toBe(0);
});

test('a call whose tool has a stop budget of its own is not overdue before it, unless it is forced [cancel.bounded]', async () => {
  const { clock, tree, overdue, budgets } = leaves('tool', 'agent', 'forced');
  for (const id of ['agent', 'forced']) {
    const entry = tree.get(id);
    if (entry) entry.stopBudgetMs = 4_000;
  }
  budgets.arm(['tool', 'agent', 'forced'], { force: false });
  budgets.arm(['forced'], { force: true });
  await clock.advance(1_500);
  expect(overdue).toEqual(['forced OVERDUE', 'tool OVERDUE']);
  await clock.advance(2_499);
  expect(overdue).toHaveLength(2);
  await clock.advance(1);
  expect(overdue.at(-1)).toBe('agent OVERDUE');
  expect(clock.pending).toBe(0);
});
