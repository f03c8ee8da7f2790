// What a turn writes of its calls: a round as it is dispatched, each result as it comes, and the closing that covers the rest.
import type { FailureCode } from './codes.ts';
import type { Call } from './contracts.ts';
import type { Fact, ToolResult } from './facts.ts';
import type { Effect, NodeId, Outcome, OutcomeKind, Usage } from './vocabulary.ts';

/** How far a turn has come, as far as its facts depend on it. */
export interface TurnState {
  readonly id: NodeId;
  /** Made by the model, not dispatched yet. */
  readonly calls: readonly Call[];
  readonly dispatched: readonly NodeId[];
  /** Dispatched calls that have their result. */
  readonly results: readonly NodeId[];
  /** What its cause makes of a turn that was cut. */
  readonly verdict: OutcomeKind | null;
  readonly failure: { readonly code: FailureCode; readonly message: string } | null;
  readonly effect: Effect;
  readonly usage: Usage;
}

export const outcomeOfTurn = ({ verdict, failure }: TurnState): OutcomeKind =>
  verdict ?? (failure ? 'failed' : 'completed');

/** Of what runs on nobody can say yet what it will have done. */
export const effectOfTurn = ({ dispatched, results, effect }: TurnState): Effect =>
  dispatched.length > results.length ? 'unknown' : effect;

/** The facts with which a round's calls become durable: those that start at once are written as started with them. */
export const dispatchFacts = ({ id, calls, verdict }: TurnState): readonly Fact[] =>
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
    const startsAtOnce = call.needs.length === 0 && !call.problem && verdict === null;
    return startsAtOnce ? [made, { type: 'tool_started', turn: id, node }] : [made];
  });

export const resultFact = (turn: NodeId, node: NodeId, { kind, ...rest }: Outcome): ToolResult => ({
  type: 'tool_result',
  turn,
  node,
  outcome: kind,
  ...rest,
});

export const closingFacts = (context: TurnState): readonly Fact[] => {
  const { id, dispatched, results, calls, failure, usage } = context;
  const runOn = dispatched.filter((node) => !results.includes(node));
  return [
    ...runOn.map((node) => resultFact(id, node, { kind: 'continues', effect: 'unknown' })),
    ...calls.map(({ id: node }) =>
      resultFact(id, node, {
        kind: outcomeOfTurn(context),
        effect: 'not_started',
      }),
    ),
    {
      type: 'turn_ended',
      turn: id,
      outcome: outcomeOfTurn(context),
      effect: effectOfTurn(context),
      ...(context.verdict === null && failure),
      usage,
    },
  ];
};
