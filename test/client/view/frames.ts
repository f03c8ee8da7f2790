// Frames of a session for tests of views: a turn with a shell, and a researcher who has one too.
import type { JoinedFrame, ServerFrame } from '../../../src/wire/server-frames.ts';

const usage = { kind: 'exact', input: 1, output: 1 } as const;

/** Gives each fact the next sequence number, and the time 1 000 where it has none. */
export function numbered(facts: readonly object[], first = 1): readonly ServerFrame[] {
  return facts.map((fact, i) => ({ session: 's', at: 1_000, ...fact, seq: first + i }) as ServerFrame);
}

export const opened = (turn: string, owner = 'ann') =>
  ({ type: 'turn_opened', turn, kind: 'say', owner, lane: owner, text: `words of ${turn}`, ref: null }) as const;
export const started = (turn: string, parent: string | null = null, agent?: string) =>
  ({
    type: 'turn_started',
    turn,
    owner: 'ann',
    parent,
    ...(agent !== undefined && { agent, text: 'a task' }),
  }) as const;
export const toolCall = (node: string, turn: string, name: string, kind: 'tool-call' | 'sub-agent' = 'tool-call') =>
  ({ type: 'tool_call', turn, node, kind, callId: 'c', name, arguments: '{}', owner: 'ann', index: 0 }) as const;
export const result = (node: string, outcome: 'completed' | 'continues' | 'abandoned' | 'cancelled', turn = 'turn_1') =>
  ({ type: 'tool_result', turn, node, outcome, effect: 'unknown', output: `output of ${node}` }) as const;
export const ended = (turn: string, outcome: 'completed' | 'cancelled' = 'completed') =>
  ({ type: 'turn_ended', turn, outcome, effect: 'none', usage }) as const;
export const modelEnded = (turn: string, text: string, cutOff = false) =>
  ({ type: 'model_ended', turn, index: 0, outcome: cutOff ? 'cancelled' : 'completed', text, cutOff, usage }) as const;
export const accepted = (stopping: readonly string[], pending: readonly string[] = []) =>
  ({
    type: 'cancel_accepted',
    cancel: 'cancel_1',
    ref: null,
    source: 'client',
    by: 'bob',
    reason: 'enough',
    target: stopping[0] ?? '',
    force: false,
    stopping,
    pending,
    refused: [],
    detached: [],
  }) as const;

export const delta = (turn: string, offset: number, text: string): ServerFrame => ({
  type: 'text_delta',
  session: 's',
  turn,
  index: 0,
  offset,
  text,
});
export const joined = (seq: number, fields: Partial<JoinedFrame> = {}): JoinedFrame => ({
  type: 'joined',
  ref: 'r',
  session: 's',
  kind: 'text',
  policy: 'anyone',
  seq,
  nodes: [],
  blocks: [],
  questions: [],
  ...fields,
});

/** A turn with a shell that waits, and a researcher whose shell runs. */
export const working = numbered([
  opened('turn_1'),
  started('turn_1'),
  { type: 'model_started', turn: 'turn_1', index: 0 },
  modelEnded('turn_1', 'I start both.'),
  toolCall('call_1', 'turn_1', 'shell'),
  toolCall('agent_1', 'turn_1', 'spawn_agent', 'sub-agent'),
  { type: 'tool_started', turn: 'turn_1', node: 'agent_1' },
  started('turn_2', 'agent_1', 'researcher'),
  toolCall('call_2', 'turn_2', 'shell'),
  { type: 'tool_started', turn: 'turn_2', node: 'call_2', at: 2_000 },
]);
