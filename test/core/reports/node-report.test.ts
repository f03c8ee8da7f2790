// The nodes of a session as reports show them: how long each has run.
import { expect, test } from 'vitest';
import type { Fact } from '../../../machines/facts.ts';
import { nodesOf } from '../../../src/core/reports/node-report.ts';

const call = (node: string): Fact => ({
  type: 'tool_call',
  turn: 'turn_1',
  node,
  kind: 'tool-call',
  callId: node,
  name: 'wait',
  arguments: '{}',
  owner: 'alice',
  index: 0,
});
const start = (node: string): Fact => ({ type: 'tool_started', turn: 'turn_1', node });
const end = (node: string, ms?: number): Fact => ({
  type: 'tool_result',
  turn: 'turn_1',
  node,
  outcome: 'completed',
  effect: 'done',
  ...(ms !== undefined && { ms }),
});

test('a call has run for the time that its result says, in older logs from its start to its result', () => {
  const facts: readonly (readonly [at: number, fact: Fact])[] = [
    [0, call('new')],
    [0, call('old')],
    [0, call('waiting')],
    [10, start('new')],
    [10, start('old')],
    [60, end('new', 45)],
    [60, end('old')],
    [60, end('waiting')],
  ];
  const nodes = nodesOf(facts.map(([at, fact], i) => ({ seq: i + 1, fact: { ...fact, at } })));
  expect([...nodes].map(([node, { ms }]) => [node, ms])).toEqual([
    ['new', 45],
    ['old', 50],
    ['waiting', null],
  ]);
});
