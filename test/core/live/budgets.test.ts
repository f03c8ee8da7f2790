// The budgets of stopping: leaves only, one timer for each cut, and no timer after the last settled.
import { describe, expect, test } from 'vitest';
import type { Cause, NodeId } from '../../../machines/vocabulary.ts';
import { StopBudgets } from '../../../src/core/live/budgets.ts';
import { Shields } from '../../../src/core/live/shields.ts';
import { LiveTree } from '../../../src/core/live/tree.ts';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';
import { nodeToAdd } from '../../support/node-to-add.ts';

const cause: Cause = { source: 'client', by: 'a', reason: null, target: 'T' };
const limits = { toolCancelMs: 1_500, forceCancelMs: 250 };

/** Running calls of a turn `T`. `dead`: those whose processes have all ended. */
function runningCalls(...names: string[]) {
  const dead = new Set<NodeId>();
  const looks: NodeId[] = [];
  const haveEnded = async (id: NodeId) => {
    looks.push(id);
    return dead.has(id);
  };
  const clock = createVirtualClock();
  const tree = new LiveTree();
  const overdue: string[] = [];
  const actorOf = (id: string) => ({ send: ({ type }: { type: string }) => void overdue.push(`${id} ${type}`) });
  tree.add(nodeToAdd({ id: 'T', kind: 'turn' }), actorOf('T'));
  for (const id of names) tree.add(nodeToAdd({ id, kind: 'tool-call', parent: 'T', name: id }), actorOf(id));
  const cut = () => tree.cut(new Map(['T', ...names].map((id) => [id, cause])));
  return { clock, tree, overdue, cut, dead, looks, budgets: new StopBudgets(tree, clock, limits, haveEnded) };
}

/** The same, cut. */
function leaves(...names: string[]) {
  const calls = runningCalls(...names);
  calls.cut();
  return calls;
}

/** Calls that are cut, and the look at all of them, which resolves with the test. */
function slowLook(...names: string[]) {
  const { clock, tree, overdue, cut } = runningCalls(...names);
  cut();
  const look = Promise.withResolvers<boolean>();
  return { clock, tree, overdue, look, budgets: new StopBudgets(tree, clock, limits, () => look.promise) };
}

test('a leaf that has not settled within its budget gets OVERDUE, the deepest first; parents have no budget [cancel.bounded]', async () => {
  const { clock, tree, overdue, budgets } = leaves('c1', 'c2', 'c3');
  budgets.arm(['T', 'c1', 'c2', 'c3'], { force: false });
  tree.settle('c2');
  await clock.advance(1_499);
  expect(overdue).toEqual([]);
  await clock.advance(1);
  expect(overdue).toEqual(['c3 OVERDUE', 'c1 OVERDUE']);
  expect(tree.entries().filter(({ state }) => state.mark?.budget)).toEqual([]);
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
  expect(tree.entries().filter(({ state }) => state.mark?.budget)).toEqual([]);
  expect(clock.pending).toBe(0);
});

test('a call whose tool has a stop budget of its own is not overdue before it, unless it is forced [cancel.bounded]', async () => {
  const { clock, tree, overdue, budgets } = leaves('tool', 'agent', 'forced');
  for (const id of ['agent', 'forced']) {
    const entry = tree.get(id);
    if (entry) entry.stopTerms = { killer: null, budgetMs: 4_000 };
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

test('a budget starts when the signal has fired: under a shield there is none, with force or without [cancel.bounded] [cancel.shield]', async () => {
  const { clock, tree, overdue, cut, budgets } = runningCalls('c1');
  const endRegion = new Shields(tree, budgets, clock).startRegion('c1', 10_000);
  if (typeof endRegion === 'string') throw new Error(endRegion);
  cut();
  budgets.arm(['T', 'c1'], { force: false });
  budgets.arm(['T', 'c1'], { force: true });
  await clock.advance(5_000);
  expect(overdue).toEqual([]);
  endRegion();
  await clock.advance(1_499);
  expect(overdue).toEqual([]);
  await clock.advance(1);
  expect(overdue).toEqual(['c1 OVERDUE']);
});

describe('a gap of the event loop', () => {
  test('above 250 ms counts as 250 ms [cancel.bounded]', async () => {
    const { clock, overdue, budgets } = leaves('c1');
    budgets.arm(['c1'], { force: false });
    await clock.advance(100);
    await clock.jump(1_000);
    await clock.advance(1_149);
    expect(overdue).toEqual([]);
    await clock.advance(1);
    expect(overdue).toEqual(['c1 OVERDUE']);
  });

  test('of up to 250 ms counts in full [cancel.bounded]', async () => {
    const { clock, overdue, budgets } = leaves('c1');
    budgets.arm(['c1'], { force: false });
    for (let gaps = 0; gaps < 5; gaps++) await clock.jump(250);
    await clock.advance(249);
    expect(overdue).toEqual([]);
    await clock.advance(1);
    expect(overdue).toEqual(['c1 OVERDUE']);
  });

  test('gives no more than three budgets of real time in all, whatever the time of day [cancel.bounded]', async () => {
    const { clock, overdue, budgets } = leaves('c1');
    budgets.arm(['c1'], { force: false });
    clock.step(86_400_000);
    for (let gaps = 0; gaps < 3; gaps++) await clock.jump(1_400); // 750 ms have counted
    await clock.advance(299);
    expect(overdue).toEqual([]);
    await clock.advance(1);
    expect(overdue).toEqual(['c1 OVERDUE']);
  });
});

describe('the look at the processes of a call', () => {
  test('is taken when the budget is over, and never for a call that ends in time [cancel.bounded]', async () => {
    const { clock, tree, looks, budgets } = leaves('c1', 'c2');
    budgets.arm(['c1', 'c2'], { force: false });
    await clock.advance(1_000);
    tree.settle('c1');
    expect(looks).toEqual([]);
    await clock.advance(500);
    expect(looks).toEqual(['c2']);
  });

  test.for([true, false])(
    'gives a call that has ended the time to report it; force: %s [cancel.bounded]',
    async (force) => {
      const { clock, tree, overdue, dead, budgets } = leaves('dead', 'alive');
      dead.add('dead');
      budgets.arm(['dead', 'alive'], { force });
      await clock.advance(force ? 250 : 1_500);
      expect(overdue).toEqual(['alive OVERDUE']);
      await clock.advance(1_499);
      tree.settle('dead');
      await clock.advance(10_000);
      expect(overdue).toEqual(['alive OVERDUE']);
      expect(clock.pending).toBe(0);
    },
  );

  test('gives that time once: a worker that goes on after its processes is overdue as well [cancel.bounded]', async () => {
    const { clock, overdue, dead, looks, budgets } = leaves('dead');
    dead.add('dead');
    budgets.arm(['dead'], { force: false });
    await clock.advance(2_999);
    expect(overdue).toEqual([]);
    await clock.advance(1);
    expect(overdue).toEqual(['dead OVERDUE']);
    expect(looks).toEqual(['dead']);
  });

  test('sends nothing to a call that settles meanwhile, or gets another budget [cancel.bounded] [cancel.idempotent]', async () => {
    const { clock, tree, overdue, budgets, look } = slowLook('settled', 'forced');
    budgets.arm(['settled', 'forced'], { force: false });
    await clock.advance(1_500);
    tree.settle('settled');
    budgets.arm(['forced'], { force: true });
    look.resolve(false);
    await clock.advance(249);
    expect(overdue).toEqual([]);
    await clock.advance(1);
    expect(overdue).toEqual(['forced OVERDUE']);
  });
});
