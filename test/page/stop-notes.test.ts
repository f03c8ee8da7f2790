// The sentences under a turn on the CANCELs that were about it: a table over who stopped, what was reached, whose turn it is, and how it ended.
import { describe, expect, test } from 'vitest';
import { defaultViewLimits, foldFrame } from '../../src/client/view/fold.ts';
import { statusOf } from '../../src/client/view/node-status.ts';
import { emptySnapshot, type SessionSnapshot } from '../../src/client/view/snapshot.ts';
import { cutOffText, stopNotes, unstoppedText } from '../../src/page/chat-view/stop-notes.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { accepted, numbered, opened, started, toolCall } from '../client/view/frames.ts';

const usage = { kind: 'exact', input: 1, output: 1 } as const;

const folded = (frames: readonly ServerFrame[]): SessionSnapshot =>
  frames.reduce<SessionSnapshot>((snapshot, frame) => foldFrame(snapshot, frame, defaultViewLimits), {
    ...emptySnapshot,
    state: 'joined',
  });

/** Ann's turn with a shell, and bob's turn beside it. */
const room = [
  opened('turn_a'),
  started('turn_a'),
  toolCall('call_a', 'turn_a', 'shell'),
  opened('turn_b', 'bob'),
  { ...started('turn_b'), owner: 'bob' },
];

type Listed = readonly string[];
const cancel = (by: string | null, fields: object) => ({
  ...accepted([]),
  reason: null,
  target: 'session',
  by,
  ...fields,
});
const refusing = (...nodes: Listed) => nodes.map((node) => ({ node, reason: 'not_owner' }));

const settledNode = (node: string, outcome: string, ms: number, effect = 'unknown') => ({
  node,
  kind: node.startsWith('turn') ? 'turn' : 'tool-call',
  outcome,
  effect,
  ms,
});
const settled = (...nodes: readonly object[]) => ({
  type: 'cancel_settled',
  cancel: 'cancel_1',
  ref: null,
  cause: { source: 'client', by: 'bob', reason: null, target: 'session' },
  nodes,
});
const endOf = (turn: string, outcome: string, effect = 'none') => ({
  type: 'turn_ended',
  turn,
  outcome,
  effect,
  usage,
});

/** The notes under a turn, as a speaker reads them: each with what runs on of the turn. */
function notesOf(facts: readonly object[], turn: string, viewer: string): readonly string[] {
  const snapshot = folded(numbered([...room, ...facts]));
  const view = snapshot.turns.find(({ node }) => node.id === turn);
  if (!view) throw new Error(`There is no ${turn}.`);
  return stopNotes(snapshot, view, viewer).flatMap(({ text, rest }) => [text, ...rest]);
}

const refusedToBob = {
  type: 'cancel_refused',
  ref: null,
  source: 'phrase',
  by: 'bob',
  target: 'session',
  refused: refusing('turn_a', 'call_a'),
  words: 'turn_w',
};
const bobStopsHisOwn = cancel('bob', { reason: 'stop', stopping: ['turn_b'], refused: refusing('turn_a', 'call_a') });

interface Row {
  readonly stop: string;
  readonly facts: readonly object[];
  readonly turn: string;
  readonly viewer: string;
  readonly notes: readonly string[];
}

const rows: readonly Row[] = [
  ...[
    ['bob', 'You wanted to stop this (stop). It runs on: it belongs to ann.'],
    ['ann', 'bob wanted to stop this (stop). It runs on: it belongs to you.'],
    ['eve', 'bob wanted to stop this (stop). It runs on: it belongs to ann.'],
  ].map(([viewer = '', text = '']) => ({
    stop: "bob's, which reached his own turn alone",
    facts: [bobStopsHisOwn, endOf('turn_b', 'cancelled'), settled(settledNode('turn_b', 'cancelled', 157))],
    turn: 'turn_a',
    viewer,
    notes: [text],
  })),
  ...[
    ['bob', 'You stopped this (stop): stopped in 157 ms.'],
    ['ann', 'bob stopped this (stop): stopped in 157 ms.'],
    ['eve', 'bob stopped this (stop): stopped in 157 ms.'],
  ].map(([viewer = '', text = '']) => ({
    stop: "bob's, which reached his own turn alone",
    facts: [bobStopsHisOwn, endOf('turn_b', 'cancelled'), settled(settledNode('turn_b', 'cancelled', 157))],
    turn: 'turn_b',
    viewer,
    notes: [text],
  })),
  {
    stop: "bob's, which reached his own turn alone, where hers has ended since",
    facts: [bobStopsHisOwn, endOf('turn_a', 'completed')],
    turn: 'turn_a',
    viewer: 'ann',
    notes: ['bob wanted to stop this (stop). It was not stopped: it belongs to you.'],
  },
  ...[
    ['bob', 'You wanted to stop this. It runs on: it belongs to ann.'],
    ['ann', 'bob (by words) wanted to stop this. It runs on: it belongs to you.'],
    ['eve', 'bob (by words) wanted to stop this. It runs on: it belongs to ann.'],
  ].map(([viewer = '', text = '']) => ({
    stop: "bob's words, which stopped nothing",
    facts: [refusedToBob],
    turn: 'turn_a',
    viewer,
    notes: [text],
  })),
  { stop: "bob's words, which stopped nothing", facts: [refusedToBob], turn: 'turn_b', viewer: 'bob', notes: [] },
  {
    stop: "bob's, which was refused, and then ann's",
    facts: [refusedToBob, cancel('ann', { stopping: ['turn_a', 'call_a'] })],
    turn: 'turn_a',
    viewer: 'ann',
    notes: ['You stopped this: 2 are stopping…'],
  },
  {
    stop: "ann's of the call, and then bob's, which was refused",
    facts: [
      cancel('ann', { target: 'call_a', stopping: ['call_a'] }),
      settled(settledNode('call_a', 'cancelled', 40)),
      { ...refusedToBob, refused: refusing('turn_a') },
    ],
    turn: 'turn_a',
    viewer: 'ann',
    notes: [
      'You stopped shell: stopped in 40 ms. The turn goes on.',
      'bob (by words) wanted to stop this. It runs on: it belongs to you.',
    ],
  },
  {
    stop: "the session's, of both turns",
    facts: [
      cancel('eve', { stopping: ['turn_a', 'call_a', 'turn_b'] }),
      settled(
        settledNode('turn_a', 'cancelled', 900),
        settledNode('call_a', 'cancelled', 880),
        settledNode('turn_b', 'cancelled', 12),
      ),
    ],
    turn: 'turn_b',
    viewer: 'bob',
    notes: ['eve stopped this: stopped in 12 ms.'],
  },
  {
    stop: "the session's, of both turns",
    facts: [
      cancel('eve', { stopping: ['turn_a', 'call_a', 'turn_b'] }),
      settled(
        settledNode('turn_a', 'cancelled', 900),
        settledNode('call_a', 'abandoned', 880),
        settledNode('turn_b', 'cancelled', 12),
      ),
    ],
    turn: 'turn_a',
    viewer: 'bob',
    notes: ['eve stopped this: 1 of 2 stopped in 900 ms; 1 did not stop in time.'],
  },
  {
    stop: 'that of a turn whose call belongs to another speaker',
    facts: [cancel('ann', { stopping: ['turn_a'], refused: refusing('call_a') })],
    turn: 'turn_a',
    viewer: 'eve',
    notes: ['ann stopped this: 1 is stopping…', 'shell runs on: it belongs to ann'],
  },
  {
    stop: 'that of the tools of a turn',
    facts: [
      cancel('ann', { target: 'tools:turn_a', stopping: ['call_a'] }),
      settled(settledNode('call_a', 'cancelled', 40)),
    ],
    turn: 'turn_a',
    viewer: 'bob',
    notes: ['ann stopped the tools of this turn: stopped in 40 ms. The turn goes on.'],
  },
  {
    stop: 'that of a turn under a shield',
    facts: [cancel('ann', { stopping: [], pending: ['turn_a', 'call_a'] })],
    turn: 'turn_a',
    viewer: 'ann',
    notes: ['You stopped this: stops as soon as its shield ends.'],
  },
  {
    stop: 'that of a turn that had not started',
    facts: [
      opened('turn_q'),
      cancel('ann', { stopping: ['turn_q'] }),
      endOf('turn_q', 'cancelled', 'not_started'),
      settled(settledNode('turn_q', 'cancelled', 3, 'not_started')),
    ],
    turn: 'turn_q',
    viewer: 'ann',
    notes: ['You stopped this: stopped before it started.'],
  },
  ...[
    ['completed', 'You wanted to stop this: it had ended before the stop.'],
    ['failed', 'You wanted to stop this: it had ended before the stop.'],
    ['cancelled', 'You stopped this: stopped in 3 ms.'],
    ['timed_out', 'You stopped this: stopped in 3 ms.'],
    ['superseded', 'You stopped this: stopped in 3 ms.'],
    ['abandoned', 'You stopped this: 1 did not stop in time.'],
  ].map(([outcome = '', text = '']) => ({
    stop: `that of a turn that ended as ${outcome}`,
    facts: [cancel('bob', { stopping: ['turn_b'] }), settled(settledNode('turn_b', outcome, 3))],
    turn: 'turn_b',
    viewer: 'bob',
    notes: [text],
  })),
  ...[
    ['deadline', null, 'A time limit stopped this: 1 is stopping…'],
    ['shutdown', null, 'The shutdown stopped this: 1 is stopping…'],
    ['superseded', 'ann', 'Something newer stopped this: 1 is stopping…'],
    ['disconnect', 'bob', 'The lost connection of bob stopped this: 1 is stopping…'],
    ['model', 'bob', 'The model (for bob) stopped this: 1 is stopping…'],
    ['http', 'bob', 'You stopped this: 1 is stopping…'],
  ].map(([source, by, text]) => ({
    stop: `one by ${source}`,
    facts: [cancel(by ?? null, { source, stopping: ['turn_b'] })],
    turn: 'turn_b',
    viewer: 'bob',
    notes: [text ?? ''],
  })),
];

describe('[page.true-sentence] under a turn stands what became of that turn', () => {
  test.each(rows)('$stop, read by $viewer under $turn', ({ facts, turn, viewer, notes }) => {
    expect(notesOf(facts, turn, viewer)).toEqual(notes);
  });
});

test('a detached agent is named under the turn that has detached it, and under no other', () => {
  const agent = { ...opened('turn_x'), kind: 'agent', agent: 'worker', from: 'turn_a' };
  const facts = [agent, cancel('eve', { stopping: ['turn_a', 'call_a', 'turn_b'], detached: ['turn_x'] })];
  expect(notesOf(facts, 'turn_a', 'eve').slice(1)).toEqual(['worker runs on: it is detached']);
  expect(notesOf(facts, 'turn_b', 'eve').slice(1)).toEqual([]);
});

test('words that have stopped nothing say so, to each reader in their own words', () => {
  const snapshot = folded(numbered([...room, refusedToBob]));
  expect(unstoppedText(snapshot, 'turn_w', 'bob')).toBe("Nothing was stopped: ann's turn runs on (it belongs to ann).");
  expect(unstoppedText(snapshot, 'turn_w', 'ann')).toBe('Nothing was stopped: your turn runs on (it belongs to you).');
  expect(unstoppedText(snapshot, 'turn_b', 'bob')).toBeNull();
});

test('the status of a turn that was passed by says to its owner that it is theirs', () => {
  const snapshot = folded(numbered([...room, refusedToBob]));
  const node = snapshot.turns.find((turn) => turn.node.id === 'turn_a')?.node;
  expect(node && statusOf(snapshot, node, 'ann').text).toBe('runs on: it belongs to you');
  expect(node && statusOf(snapshot, node, 'bob').text).toBe('runs on: it belongs to ann');
});

test.each([
  ['cancelled', 'Once upon', 'The text ends here: it was stopped.'],
  ['abandoned', 'Once upon', 'The text ends here: it was stopped.'],
  ['failed', 'Once upon', 'The text ends here: its model call has failed.'],
  ['cancelled', '', null],
  ['failed', '', null],
] as const)('a model call that was %s after "%s" leaves %j', (outcome, text, shown) => {
  const end = { type: 'model_ended', turn: 'turn_a', index: 0, outcome, text, cutOff: true, usage };
  const block = folded(numbered([...room, end])).turns[0]?.blocks[0];
  expect(block && cutOffText(block)).toBe(shown);
});

test.each([
  ['cancelled', 'cancelled; it had not started'],
  ['timed_out', 'timed out; it had not started'],
  ['failed', 'failed; it had not started'],
] as const)('a call that never started and was %s says so', (outcome, text) => {
  const result = { type: 'tool_result', turn: 'turn_a', node: 'call_a', outcome, effect: 'not_started' };
  const snapshot = folded(numbered([...room, result]));
  const node = snapshot.turns[0]?.calls[0]?.node;
  expect(node && statusOf(snapshot, node, 'ann').text).toBe(text);
});
