// Facts of turns, written short, and the requests that are rendered of them.
import type { Fact, RecordedFact } from '../../../machines/facts.ts';
import type { Message } from '../../../machines/messages.ts';
import { type RenderOptions, render } from '../../../src/core/transcript/render.ts';

/** Dates facts, one millisecond after the other. */
export const dateFacts = (facts: readonly Fact[]): RecordedFact[] =>
  facts.map((fact, i) => ({ ...fact, at: 1_000 + i }));
const usage = { kind: 'exact', input: 1, output: 1 } as const;
/** Renders the request for a turn. */
export const renderFor = (facts: readonly Fact[], turn: string, more: Partial<RenderOptions> = {}): Message[] =>
  render(dateFacts(facts), { turn, instructions: 'Be brief.', ...more });

/** A turn of a speaker: opened and started. */
export const opening = (turn: string, text: string, owner = 'ann'): Fact[] => [
  { type: 'turn_opened', turn, kind: 'say', owner, lane: owner, text, ref: null },
  { type: 'turn_started', turn, owner, parent: null },
];
/** A model call that streamed a text. */
export const reply = (turn: string, text: string, index = 0, cutOff = false): Fact[] => [
  { type: 'model_started', turn, index },
  { type: 'model_ended', turn, index, outcome: cutOff ? 'cancelled' : 'completed', text, cutOff, usage },
];
/** A tool call of the first round. */
export const toolCallFact = (
  turn: string,
  node: string,
  more: Partial<Extract<Fact, { type: 'tool_call' }>> = {},
): Fact => ({
  type: 'tool_call',
  turn,
  node,
  kind: 'tool-call',
  callId: 'call_0',
  name: 'shell',
  arguments: '{}',
  owner: 'ann',
  index: 0,
  ...more,
});
/** The result of a call that completed. */
export const toolResultFact = (
  turn: string,
  node: string,
  more: Partial<Extract<Fact, { type: 'tool_result' }>> = {},
): Fact => ({
  type: 'tool_result',
  turn,
  node,
  outcome: 'completed',
  effect: 'done',
  output: `output of ${node}`,
  ...more,
});
/** The end of a turn. */
export const ending = (
  turn: string,
  outcome: Extract<Fact, { type: 'turn_ended' }>['outcome'] = 'completed',
  code?: string,
): Fact => ({
  type: 'turn_ended',
  turn,
  outcome,
  effect: 'none',
  usage,
  ...(code !== undefined && { code }),
});
/** The acceptance of a CANCEL of the turn. */
export const acceptance = (
  turn: string,
  stopping: string[],
  more: Partial<Extract<Fact, { type: 'cancel_accepted' }>> = {},
): Fact => ({
  type: 'cancel_accepted',
  cancel: `cancel_${turn}`,
  ref: null,
  source: 'client',
  by: 'ann',
  reason: null,
  target: turn,
  force: false,
  stopping,
  pending: [],
  refused: [],
  detached: [],
  ...more,
});
/** The ids of all turns. */
export const turnsIn = (facts: readonly Fact[]): string[] => [
  ...new Set(facts.flatMap((fact) => (fact.type === 'turn_opened' || fact.type === 'turn_started' ? [fact.turn] : []))),
];
/** The contents of the messages of one role. */
export const contents = (messages: readonly Message[], role: Message['role']) =>
  messages.flatMap((message) => (message.role === role ? [message.content] : []));
