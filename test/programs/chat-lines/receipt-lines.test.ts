// Receipts at a terminal: one head, a tree of titles, what runs on and why, what had not started.
import { expect, test } from 'vitest';
import { receiptLines, refusalLines } from '../../../src/programs/chat-lines/receipt-lines.ts';
import { plainText } from '../../../src/programs/chat-lines/styled-text.ts';
import type { ServerFrame, ServerFrameOf } from '../../../src/wire/server-frames.ts';
import { accepted } from '../../client/view/frames.ts';
import { at, before, snapshotAfter } from '../rendered.ts';

type Settled = ServerFrameOf<'cancel_settled'>;
type Node = Settled['nodes'][number];

const started = [
  { ...at, type: 'turn_started', turn: 'turn_1', owner: 'ann', parent: null, at: 1_000 },
  { ...at, type: 'tool_started', turn: 'turn_1', node: 'call_1', at: 3_000 },
] as readonly ServerFrame[];
const bobs = { ...before[0], turn: 'turn_b', owner: 'bob', text: 'deploy', ref: 'r' } as ServerFrame;
const stopped = (node: string, ms: number, fields: Partial<Node> = {}): Node => ({
  node,
  kind: node.startsWith('turn') ? 'turn' : 'tool-call',
  outcome: 'cancelled',
  effect: 'none',
  ms,
  ...fields,
});

function shown(
  nodes: readonly Node[],
  { more = {}, by = 'ann', also = [] as readonly ServerFrame[], columns = 100 } = {},
) {
  const settled: Settled = {
    ...at,
    type: 'cancel_settled',
    cancel: 'cancel_1',
    ref: 'mine',
    at: 4_100,
    nodes,
    cause: { source: 'client', by, reason: by === 'ann' ? null : 'enough', target: 'turn_1' },
  };
  const asked = { ...at, ...accepted(nodes.map(({ node }) => node)), by, ...more } as ServerFrame;
  const snapshot = snapshotAfter([...before, ...started, bobs, ...also, asked, settled]);
  return receiptLines(settled, { snapshot, speaker: 'ann', columns }).map(plainText);
}

test('the head says how long it took and how long it ran, and below it is a tree of titles [cli.chat]', () => {
  const nodes = [
    stopped('turn_1', 48, { effect: 'unknown' }),
    stopped('call_1', 34, { effect: 'unknown' }),
    stopped('agent_1', 40),
    stopped('turn_2', 40),
    stopped('call_2', 12, { outcome: 'completed', effect: 'done' }),
  ];
  expect(shown(nodes)).toEqual([
    '■ Stopped in 48 ms (ran 4.1 s)',
    '  ■ shell  34 ms (ran 1.1 s); it may have had effects',
    '  ■ researcher  40 ms',
    '    ✓ read_file  had completed',
  ]);
});

test('what was forced, what did not stop and what had not started says so in words [cli.chat]', () => {
  const nodes = [
    stopped('turn_1', 1_500),
    stopped('call_1', 1_500, { outcome: 'abandoned', effect: 'unknown' }),
    stopped('agent_1', 40, { forced: true }),
    stopped('call_2', 1, { effect: 'not_started' }),
  ];
  expect(shown(nodes)).toEqual([
    '■ Stopped by force in 1.5 s (ran 3.1 s); 1 did not stop in time',
    '  ◐ shell  has not stopped within 1.5 s; its end will be reported',
    '  ■ researcher  by force, 40 ms',
    '    ○ read_file  stopped before it started',
  ]);
});

test('what runs on says whose it is, and who else has stopped something is named', () => {
  const refused = [{ node: 'turn_b', reason: 'not_owner' }];
  expect(shown([stopped('turn_1', 48)], { more: { refused, detached: ['agent_1'] } })).toEqual([
    '■ Stopped in 48 ms (ran 3.1 s)',
    "  ● bob's turn  runs on: it belongs to bob",
    '  ● researcher  runs on: it is detached',
  ]);
  expect(shown([stopped('turn_1', 48)], { by: 'bob' })).toEqual(['■ Stopped by bob in 48 ms (ran 3.1 s) (enough)']);
});

test('words that had not started are said once, in quotes [cli.chat]', () => {
  const queued = { ...before[0], turn: 'turn_3', text: 'and then deploy' } as ServerFrame;
  const also = [queued];
  const unstarted = stopped('turn_3', 1, { effect: 'not_started' });
  expect(shown([unstarted], { also })).toEqual(['  ○ not started: “and then deploy”']);
  expect(shown([stopped('turn_1', 48), unstarted], { also })).toEqual([
    '■ Stopped in 48 ms (ran 3.1 s)',
    '  ○ not started: “and then deploy”',
  ]);
  const more = { queue: [{ input: 'turn_3', fate: 'queued' }] };
  expect(shown([stopped('turn_1', 48)], { also, more }).at(-1)).toBe('  ○ next: “and then deploy”');
});

test('a stop that was refused as a whole says why', () => {
  const refused = [{ node: 'turn_b', reason: 'not_owner' }];
  const frame = {
    ...at,
    type: 'cancel_refused',
    source: 'client',
    target: 'turn_b',
    refused,
    ref: 'mine',
    by: 'ann',
  } as const;
  const snapshot = snapshotAfter([...before, bobs]);
  expect(refusalLines(frame, { snapshot, speaker: 'ann', columns: 80 }).map(plainText)).toEqual([
    '✕ Nothing was stopped.',
    "  ● bob's turn  runs on: it belongs to bob",
  ]);
});

test('titles are cut rather than what became of the call', () => {
  const long = { ...before[1], node: 'call_7', arguments: `{"command":"${'sleep 1; '.repeat(30)}"}` } as ServerFrame;
  const nodes = [stopped('turn_1', 48), stopped('call_7', 34, { effect: 'unknown' })];
  const lines = shown(nodes, { also: [long], columns: 60 });
  expect(lines[1]).toMatch(/^ {2}■ shell sleep 1; .*… {2}34 ms; it may have had effects$/);
});
