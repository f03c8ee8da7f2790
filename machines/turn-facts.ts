// The facts that a turn writes: its start, each round of calls, each result, and the closing that covers the rest.
import type { OutcomeEvent } from './cancel.ts';
import { type FailureCode, failureCodes } from './codes.ts';
import { type Call, detachedOutcome, type TurnInput } from './contracts.ts';
import type { Fact, ToolResult, TurnStarted } from './facts.ts';
import { abandonedEnded } from './late-facts.ts';
import type { Effect, Finish, NodeId, Outcome, OutcomeKind, Usage } from './vocabulary.ts';

/** How far a turn has come, as far as its facts depend on it. */
export interface TurnState {
  readonly id: NodeId;
  /** Made by the model, not dispatched yet. */
  readonly calls: readonly Call[];
  readonly dispatched: readonly NodeId[];
  /** Calls that a CANCEL has stopped before they were opened, with their outcomes. */
  readonly withheld: Readonly<Record<NodeId, OutcomeKind>>;
  /** Dispatched calls that have their result. */
  readonly results: readonly NodeId[];
  /** The outcome that follows from the cause of its cut; null: it was not cut. */
  readonly stopOutcome: OutcomeKind | null;
  readonly failure: { readonly code: FailureCode; readonly message: string } | null;
  /** The code of work of a turn that was cut, if the work has not ended in time. */
  readonly abandoned: FailureCode | null;
  readonly effect: Effect;
  readonly usage: Usage;
  /** Why the last response of the model ended; null: none has completed. */
  readonly finish: Finish | null;
}

interface TurnEnd {
  readonly outcome: OutcomeKind;
  readonly effect: Effect;
  /** Why it failed; or what it had to abandon, when it was cut. */
  readonly reason: TurnState['failure'];
}

/** Returns the end of a turn. One that was cut has its cause's outcome, whatever its workers report. Its effect is unknown as long as one of its calls runs. */
function endOf({ stopOutcome, failure, abandoned, dispatched, results, effect }: TurnState): TurnEnd {
  const end = { effect: dispatched.length > results.length ? 'unknown' : effect } as const;
  if (stopOutcome === null) return { ...end, outcome: failure ? 'failed' : 'completed', reason: failure };
  const reason = abandoned && { code: abandoned, message: failureCodes[abandoned] };
  return { ...end, outcome: stopOutcome, reason };
}

/** Returns the outcome that a turn reports to its parent. `report`: the text of its last model call. */
export function turnOutcome(state: TurnState & { readonly report: string }): Outcome {
  const { outcome: kind, effect, reason } = endOf(state);
  return { kind, effect, ...reason, ...(state.report !== '' && { output: state.report }), usage: state.usage };
}

/** Returns the outcome of a call that is never started below its turn: it was withheld, has a problem, or is detached. Null: the call is started. */
export function immediateOutcome(
  { id, problem, agent, needs }: Call,
  { withheld }: Pick<TurnState, 'withheld'>,
): Outcome | null {
  const kind = withheld[id];
  if (kind) return { kind, effect: 'not_started' };
  if (problem)
    return { kind: problem.kind ?? 'failed', effect: 'not_started', code: problem.code, message: problem.message };
  // an agent that interceptors see first is detached after them, by its sub-agent
  return agent?.detached && needs.length === 0 ? detachedOutcome(agent) : null;
}

/** Returns the fact of a turn's admission. */
export function startFact({ id: turn, owner, parentId: parent, text, agent }: TurnInput): TurnStarted {
  const task = parent === null ? {} : { text, ...(agent !== null && { agent }) };
  return { type: 'turn_started', turn, owner, parent, ...task };
}

/** Returns the facts that make a round's calls durable, with the start of those that wait for nothing. */
export const dispatchFacts = ({ id, calls, stopOutcome, withheld }: TurnState): readonly Fact[] =>
  calls.flatMap((call): Fact[] => {
    const { id: node, kind, callId, name, owner, index } = call;
    const made: Fact = {
      type: 'tool_call',
      turn: id,
      node,
      kind,
      callId,
      name,
      arguments: call.arguments,
      owner,
      index,
    };
    const mayStart = stopOutcome === null && !withheld[node] && !call.problem;
    const startsAtOnce = mayStart && call.needs.length === 0;
    return startsAtOnce ? [made, { type: 'tool_started', turn: id, node }] : [made];
  });

/** Returns the result of a call. */
export const resultFact = (turn: NodeId, node: NodeId, { kind, ...rest }: Outcome): ToolResult => ({
  type: 'tool_result',
  turn,
  node,
  outcome: kind,
  ...rest,
});

/** Returns the facts of an OUTCOME that comes before the closing of the turn. */
export const outcomeFacts = (turn: NodeId, { node, outcome }: OutcomeEvent): readonly Fact[] =>
  outcome.kind === 'ended_late' ? [abandonedEnded(node, outcome.output)] : [resultFact(turn, node, outcome)];

/** Returns the closing: a result for each call that has none, then the end of the turn. */
export const closingFacts = (state: TurnState): readonly Fact[] => {
  const { id, dispatched, results, calls, withheld, usage, finish } = state;
  const { outcome, effect, reason } = endOf(state);
  const running = dispatched.filter((node) => !results.includes(node));
  return [
    ...running.map((node) => resultFact(id, node, { kind: 'continues', effect: 'unknown' })),
    ...calls.map(({ id: node }) => resultFact(id, node, { kind: withheld[node] ?? outcome, effect: 'not_started' })),
    {
      type: 'turn_ended',
      turn: id,
      outcome,
      effect,
      ...reason,
      ...(finish !== null && { finish }),
      usage,
    },
  ];
};
