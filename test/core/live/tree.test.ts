// The live tree: the live nodes below a node, and the cut.
import { expect, test } from 'vitest';
import type { Cause } from '../../../machines/vocabulary.ts';
import { CancelError } from '../../../src/core/contracts/cancel-error.ts';
import type { NodeEntry } from '../../../src/core/live/node-entry.ts';
import { LiveTree, type NodeChange } from '../../../src/core/live/tree.ts';
import { settlePromises } from '../../../src/core/sources/virtual.ts';
import { nodeToAdd } from '../../support/node-to-add.ts';

const cause: Cause = { source: 'client', by: 'alice', reason: null, target: 'T' };
const later: Cause = { ...cause, source: 'deadline', by: null };
const stopOf = (why: Cause, ...ids: string[]) => new Map(ids.map((id) => [id, why]));

function planted() {
  const tree = new LiveTree();
  const add = (
    id: string,
    parent: string | null,
    owner = 'alice',
    kind: 'turn' | 'tool-call' | 'sub-agent' = 'tool-call',
  ) => tree.add(nodeToAdd({ id, kind, owner, parent }), { send() {} });
  add('T', null, 'alice', 'turn');
  add('c1', 'T');
  add('c2', 'T', 'bob');
  add('a', 'T', 'alice', 'sub-agent');
  add('T2', 'a', 'alice', 'turn');
  add('c3', 'T2', 'bob');
  add('U', null, 'bob', 'turn');
  return tree;
}
const ids = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id);

test('lists every live node below a node; for `mine` every node of the owner, with the nodes below [cancel.exact]', () => {
  const tree = planted();
  expect(ids(tree.below('T', 'bob'))).toEqual(['T', 'c1', 'c2', 'a', 'T2', 'c3']);
  expect(ids(tree.below('a', 'bob'))).toEqual(['a', 'T2', 'c3']);
  expect(ids(tree.below('mine', 'bob'))).toEqual(['c2', 'c3', 'U']);
  expect(ids(tree.below('session', null))).toHaveLength(7);
  expect(tree.below('nowhere', 'bob')).toEqual([]);
});

test('all nodes of a plan are marked before the first signal aborts [cancel.fence]', () => {
  const tree = planted();
  const seen: (Cause | null | undefined)[] = [];
  tree.get('c1')?.stopper.signal.addEventListener('abort', () => seen.push(tree.get('c3')?.cut, tree.get('T2')?.cut));
  tree.cut(stopOf(cause, 'c1', 'T2', 'c3'));
  expect(seen).toEqual([cause, cause]);
  const { reason } = tree.get('c3')?.stopper.signal ?? {};
  expect(reason).toBeInstanceOf(CancelError);
  expect({ ...reason }).toEqual(cause);
  expect(tree.get('T2')?.stopper.signal.reason).toBe(reason);
  expect(tree.get('c2')?.stopper.signal.aborted).toBe(false);
});

test('the first cause of a node is kept, and its signal fires once [cancel.sources]', () => {
  const tree = planted();
  let fired = 0;
  tree.get('c1')?.stopper.signal.addEventListener('abort', () => fired++);
  tree.cut(stopOf(cause, 'c1'));
  tree.cut(stopOf(later, 'c1', 'c2'));
  expect(tree.get('c1')?.cut).toBe(cause);
  expect(tree.get('c2')?.cut).toBe(later);
  expect(fired).toBe(1);
});

test('a turn whose outcome is fixed is not planned; the live nodes below it are [cancel.exact] [ladder.turn.settling]', () => {
  const tree = planted();
  tree.get('T2')?.fix();
  expect(ids(tree.below('a', null))).toEqual(['a', 'c3']);
  tree.settle('c3');
  expect(ids(tree.below('a', null))).toEqual(['a']);
});

test('a CANCEL of the node that it came from lists a detached agent, also after the nodes between have settled [agent.tree]', () => {
  const tree = planted();
  tree.add(nodeToAdd({ id: 'D', kind: 'turn', ancestors: tree.ancestorsFrom('T2'), name: 'helper' }), null);
  for (const id of ['c3', 'T2', 'a']) tree.remove(id);
  expect(tree.detachedFrom('T', null)).toEqual(['D']);
  expect(tree.detachedFrom('mine', 'alice'), 'it has no parent').toEqual([]);
  expect(tree.detachedFrom('U', null)).toEqual([]);
  tree.add(nodeToAdd({ id: 'D', kind: 'turn', name: 'helper' }), { send() {} });
  expect(() => tree.add(nodeToAdd({ id: 'D', kind: 'turn' }), { send() {} })).toThrow('already has a node D');
});

test('an observer is notified of each change once, and of none after `unobserve`', () => {
  const tree = planted();
  const changes: string[] = [];
  const observer = {
    nodeChanged: ({ id }: NodeEntry, change: NodeChange) => void changes.push(`${id} ${change}`),
  };
  tree.observe(observer, ['cut', 'settled', 'gone']);
  tree.cut(stopOf(cause, 'c1'));
  tree.settle('c1');
  tree.settle('c1');
  tree.remove('c1');
  tree.unobserve(observer);
  tree.remove('c2');
  expect(changes).toEqual(['c1 cut', 'c1 settled', 'c1 gone']);
});

test('waits for a condition without polling: it checks when the tree changes, until the signal fires', async () => {
  const tree = planted();
  const resolved: string[] = [];
  const giveUp = new AbortController();
  const entry = tree.get('c1') as NodeEntry;
  tree.startWork(entry);
  void tree.waitUntil(() => entry.workers === 0).then(() => resolved.push('idle'));
  void tree.waitUntil(() => tree.size === 0, { signal: giveUp.signal }).then(() => resolved.push('given up'));
  await settlePromises();
  expect(resolved).toEqual([]);
  tree.endWork(entry);
  await settlePromises();
  expect(resolved).toEqual(['idle']);
  giveUp.abort();
  await settlePromises();
  expect(resolved).toEqual(['idle', 'given up']);
});
