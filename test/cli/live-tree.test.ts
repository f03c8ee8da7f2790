// What lives, learned from frames alone; and who is meant by a word.
import { describe, expect, test } from 'vitest';
import { createLive, type Live } from '../../src/cli/live-tree.ts';
import { treeLines } from '../../src/cli/slash-commands.ts';
import type { ServerFrame } from '../../src/protocol/server-frames.ts';

const at = { session: 's', seq: 1, at: 1_000 } as const;
const usage = { kind: 'exact', input: 1, output: 1 } as const;
const call = (
  node: string,
  turn: string,
  name: string,
  kind: 'tool-call' | 'sub-agent' = 'tool-call',
): ServerFrame => ({
  ...at,
  type: 'tool_call',
  turn,
  node,
  kind,
  callId: 'c',
  name,
  arguments: '{}',
  owner: 'ann',
  index: 0,
});
const opened = (turn: string, owner = 'ann'): ServerFrame => ({
  ...at,
  type: 'turn_opened',
  turn,
  kind: 'say',
  owner,
  lane: owner,
  text: 'x',
  ref: null,
});
const started = (turn: string, parent: string | null = null, agent?: string): ServerFrame => ({
  ...at,
  type: 'turn_started',
  turn,
  owner: 'ann',
  parent,
  ...(agent && { agent }),
});
const result = (node: string, outcome: 'completed' | 'continues' | 'abandoned', turn = 'turn_1'): ServerFrame => ({
  ...at,
  type: 'tool_result',
  turn,
  node,
  outcome,
  effect: 'unknown',
});
const ended = (turn: string): ServerFrame => ({
  ...at,
  type: 'turn_ended',
  turn,
  outcome: 'completed',
  effect: 'none',
  usage,
});

const working: readonly ServerFrame[] = [
  opened('turn_1'),
  started('turn_1'),
  call('call_1', 'turn_1', 'shell'),
  call('agent_1', 'turn_1', 'spawn_agent', 'sub-agent'),
  started('turn_2', 'agent_1', 'researcher'),
  call('call_2', 'turn_2', 'shell'),
  { ...at, type: 'tool_started', turn: 'turn_2', node: 'call_2', at: 2_000 },
];
function liveOf(...frames: readonly ServerFrame[]): Live {
  const live = createLive();
  for (const frame of [...working, ...frames]) live.learn(frame);
  return live;
}
const states = (live: Live) => live.all().map(({ node, doing }) => `${node} ${doing}`);

describe('what lives', () => {
  test('is told parents first, each with what it does [cli.chat]', () => {
    expect(states(liveOf())).toEqual([
      'turn_1 running',
      'call_1 waiting',
      'agent_1 waiting',
      'turn_2 running',
      'call_2 running',
    ]);
  });

  test('ends with its outcome; a parent stays with what runs on below it', () => {
    expect(
      states(liveOf(result('call_2', 'completed', 'turn_2'), ended('turn_2'), result('agent_1', 'completed'))),
    ).toEqual(['turn_1 running', 'call_1 waiting']);
    const left = liveOf(
      result('call_1', 'continues'),
      result('agent_1', 'completed'),
      ended('turn_2'),
      ended('turn_1'),
    );
    expect(states(left)).toContain('turn_1 settled');
    left.learn({ ...at, type: 'late_result', node: 'call_1', outcome: 'completed', effect: 'done' });
    left.learn(result('call_2', 'abandoned', 'turn_2'));
    expect(states(left)).toEqual(['turn_1 settled', 'agent_1 settled', 'turn_2 settled', 'call_2 abandoned']);
    left.learn({ ...at, type: 'abandoned_ended', node: 'call_2' });
    expect(states(left)).toEqual([]);
  });

  test('is being stopped, or protected from it for now', () => {
    const live = liveOf({
      ...at,
      type: 'cancel_accepted',
      cancel: 'x',
      ref: null,
      source: 'client',
      by: 'ann',
      reason: null,
      target: 'turn_1',
      force: false,
      stopping: ['turn_1', 'call_1'],
      pending: ['call_2'],
      refused: [],
      detached: [],
    });
    expect(states(live)).toEqual([
      'turn_1 stopping',
      'call_1 stopping',
      'agent_1 waiting',
      'turn_2 running',
      'call_2 pending',
    ]);
  });

  test('begins anew with what a JOIN is told', () => {
    const node = {
      node: 'turn_9',
      kind: 'turn',
      owner: 'bob',
      parent: null,
      name: null,
      state: 'stopping',
      since: 1,
    } as const;
    const joined: ServerFrame = {
      type: 'joined',
      ref: 'r',
      session: 's',
      kind: 'text',
      policy: 'anyone',
      seq: 9,
      nodes: [node],
      blocks: [],
      questions: [],
    };
    const live = liveOf(joined);
    expect(states(live)).toEqual(['turn_9 stopping']);
    expect(live.speakers()).toEqual(['ann', 'bob']);
  });
});

describe('who is meant', () => {
  test.each([
    ['call_1', ['call_1']],
    ['all_2', ['call_2']],
    ['agent', ['agent_1']],
    ['shell', ['call_1', 'call_2']],
    ['researcher', ['agent_1']],
    ['nobody', []],
  ])('by %s', (word, nodes) => {
    expect(liveOf().meant(word)).toEqual(nodes);
  });
});

test('the tree is drawn with a sub-agent and its turn as one [cli.chat]', () => {
  const bobs = liveOf(opened('turn_3', 'bob'));
  expect(treeLines(bobs.all(), 'ann', 3_000)).toEqual([
    '  your turn (turn_1): running, 2.0 s',
    '    shell (call_1): waiting, 2.0 s',
    '    researcher (agent_1): waiting, 2.0 s',
    '      shell (call_2): running, 1.0 s',
    "  bob's turn (turn_3): waiting, 2.0 s",
  ]);
  expect(treeLines(liveOf().all(), 'bob', 3_000).slice(0, 2)).toEqual([
    "  ann's turn (turn_1): running, 2.0 s",
    "    shell (call_1), ann's: waiting, 2.0 s",
  ]);
});
