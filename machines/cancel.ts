// The contract that every machine signs: what a CANCEL carries down, what an OUTCOME carries up, and how a plan is made.
import type { Refusal } from './facts.ts';
import { type Evidence, type NodeView, type Standing, standing } from './standing.ts';
import type { Cause, CauseSource, NodeId, Outcome, OutcomeKind, Policy, Speaker } from './vocabulary.ts';

/** The verdicts of one CANCEL over the live tree. It drives the cut, the receipt and the machines. */
export interface Plan {
  /** What is to stop, each node with its first cause. */
  readonly stop: ReadonlyMap<NodeId, Cause>;
  /** Those of `stop` that a shield protects for now. */
  readonly pending: readonly NodeId[];
  readonly refused: readonly Refusal[];
  /** Detached agents that come from below the target and run on. */
  readonly detached: readonly NodeId[];
}

/** Goes down, from parent to child. */
export interface CancelEvent {
  readonly type: 'CANCEL';
  readonly plan: Plan;
}

/** The stop budget of a leaf is over. */
export interface OverdueEvent {
  readonly type: 'OVERDUE';
}

/** Comes up: `node` has settled. `ended_late`: what was told as abandoned has ended. */
export interface OutcomeEvent {
  readonly type: 'OUTCOME';
  readonly node: NodeId;
  readonly outcome: Outcome | EndedLate;
}

export interface EndedLate {
  readonly kind: 'ended_late';
  readonly output?: string;
}

/** The runtime has unwound a child that threw. */
export interface ChildGoneEvent {
  readonly type: 'CHILD_GONE';
  readonly node: NodeId;
}

/** Somebody's wish to stop something, as the session hears it. */
export interface CancelWish {
  /** The id of the receipt, should there be one. */
  readonly cancel: string;
  readonly ref: string | null;
  readonly source: CauseSource;
  readonly by: Speaker | null;
  readonly reason: string | null;
  readonly target: string;
  readonly force: boolean;
}

/** A live node below the target, read in the tick of the decision. */
export interface PlannedView extends NodeView {
  /** The cause that has cut it already. */
  readonly cut: Cause | null;
  readonly shielded: boolean;
}

/** The outcome that a cause gives to what it stops. (What a crash itself has hit is `failed`: see the runtime's unwinding.) */
const outcomes: Partial<Record<CauseSource, OutcomeKind>> = {
  deadline: 'timed_out',
  superseded: 'superseded',
};
export const outcomeOf = (cause: Pick<Cause, 'source'>): OutcomeKind => outcomes[cause.source] ?? 'cancelled';

/** One verdict for each node. What is cut already is in every later plan over it, with the cause that it has. */
export function planOf(
  wish: CancelWish,
  nodes: readonly PlannedView[],
  detached: readonly NodeId[],
  evidence: Evidence,
  policy: Policy,
  own?: Standing,
): Plan {
  const { source, reason, target } = wish;
  const cause: Cause = { source, by: wish.by?.id ?? null, reason, target };
  const stop = new Map<NodeId, Cause>();
  const refused: Refusal[] = [];
  for (const node of nodes) {
    const verdict = standing(node, wish.by, evidence, policy, own);
    if (node.cut !== null) stop.set(node.id, node.cut);
    else if (verdict.may) stop.set(node.id, cause);
    else refused.push({ node: node.id, reason: verdict.because });
  }
  const pending = nodes.filter((node) => node.shielded && stop.has(node.id)).map(({ id }) => id);
  return {
    stop,
    pending,
    refused,
    detached: detached.filter((id) => !stop.has(id)),
  };
}
