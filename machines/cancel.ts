// The events that every machine shares: CANCEL goes down, OUTCOME comes up. And the plan: the verdicts of one CANCEL, with the record of how they were
// given.
import { ruleOfCause } from './cause-rules.ts';
import type { CancelDecided, JudgedNode, Refusal } from './facts.ts';
import {
  defaultAddressedFrom,
  type Evidence,
  type StandingNode,
  type StandingRule,
  standing,
  type Verdict,
} from './standing.ts';
import type {
  Cause,
  CauseSource,
  NodeId,
  Outcome,
  OutcomeKind,
  Policy,
  Speaker,
  SpeakerId,
  WordsCommand,
} from './vocabulary.ts';

/** The verdicts of one CANCEL over the live tree. It drives the cut, the receipt and the machines. */
export interface Plan {
  /** The nodes to stop, each with its first cause. */
  readonly stop: ReadonlyMap<NodeId, Cause>;
  /** The nodes that run on under the shield of their turn, and are stopped when it ends; each with its first cause. */
  readonly deferred: ReadonlyMap<NodeId, Cause>;
  /** All of `deferred`, and the nodes of `stop` that are not aborted before the end of a region. */
  readonly pending: readonly NodeId[];
  readonly refused: readonly Refusal[];
  /** Detached agents that were started below the target and run on. */
  readonly detached: readonly NodeId[];
  /** Live nodes in the target that the CANCEL does not reach: they are newer than its first sending. */
  readonly running: readonly NodeId[];
}

/** Goes down, from parent to child. */
export interface CancelEvent {
  readonly type: 'CANCEL';
  readonly plan: Plan;
}

/** The stop budget of a leaf has passed. */
export interface OverdueEvent {
  readonly type: 'OVERDUE';
}

/** Goes up: `node` has settled. `ended_late`: a node that was reported as abandoned has ended. */
export interface OutcomeEvent {
  readonly type: 'OUTCOME';
  readonly node: NodeId;
  readonly outcome: Outcome | EndedLate;
}

export interface EndedLate {
  readonly kind: 'ended_late';
  readonly output?: string;
}

/** The runtime has stopped everything below a child that threw. */
export interface ChildGoneEvent {
  readonly type: 'CHILD_GONE';
  readonly node: NodeId;
}

/** A CANCEL in the form that the session's machine receives. */
export interface CancelCommand {
  /** The id of its receipt, if there will be one. */
  readonly cancel: string;
  readonly ref: string | null;
  readonly source: CauseSource;
  readonly by: Speaker | null;
  /** The speaker whose connection sent it, where it is another one: a bridge. */
  readonly via?: SpeakerId | undefined;
  /** The door that it came by. */
  readonly door?: string | undefined;
  /** The type of the command that has the words of a stop phrase. */
  readonly command?: WordsCommand | undefined;
  readonly reason: string | null;
  readonly target: string;
  readonly force: boolean;
}

/** A live node below the target, read in the tick of the decision. */
export interface PlannedView extends StandingNode {
  /** The cause of its cut, also of one that is deferred; null: nobody has stopped it. */
  readonly cut: Cause | null;
  /** `region`: it is in a region that is not aborted. `turn`: its turn may not be interrupted. */
  readonly shield: 'region' | 'turn' | null;
}

/** Returns the outcome kind that follows from a cause. */
export const outcomeOf = ({ source }: Pick<Cause, 'source'>): OutcomeKind => ruleOfCause(source).outcome;

/** The nodes of a CANCEL, read from the live tree in the tick of the decision. */
export interface CancelReach {
  /** The unsettled live nodes at and below the target, as far as the CANCEL reaches. */
  readonly nodes: readonly PlannedView[];
  readonly detached: readonly NodeId[];
  readonly running: readonly NodeId[];
}

/** A node that was judged, and the verdict on it. */
export interface JudgedView {
  readonly node: StandingNode;
  readonly verdict: Verdict;
}

/** The result of judging one CANCEL. */
export interface Judgment {
  readonly plan: Plan;
  /** The verdict on every node, in the order of the nodes. */
  readonly verdicts: readonly JudgedView[];
  /** Whether the speaker may stop at least one of the nodes, cut already or not. */
  readonly hasStanding: boolean;
}

/** Gives one verdict for each node. A node that is cut already is in every later plan over it, with the cause that it has. */
export function judgeCancel(
  command: CancelCommand,
  { nodes, detached, running }: CancelReach,
  evidence: Evidence,
  policy: Policy,
  customRule?: StandingRule,
): Judgment {
  const { source, reason, target, by, door } = command;
  const cause: Cause = { source, by: by?.id ?? null, reason, target, ...(door !== undefined && { door }) };
  const stop = new Map<NodeId, Cause>();
  const deferred = new Map<NodeId, Cause>();
  const refused: Refusal[] = [];
  const verdicts = nodes.map((node) => ({ node, verdict: standing(node, by, evidence, policy, customRule) }));
  for (const { node, verdict } of verdicts) {
    const planned = node.shield === 'turn' ? deferred : stop;
    if (node.cut !== null) planned.set(node.id, node.cut);
    else if (verdict.may) planned.set(node.id, cause);
    else refused.push({ node: node.id, reason: verdict.because });
  }
  const isPlanned = (id: NodeId) => stop.has(id) || deferred.has(id);
  const pending = nodes.filter(({ id, shield }) => shield !== null && isPlanned(id)).map(({ id }) => id);
  const plan = { stop, deferred, pending, refused, detached: detached.filter((id) => !isPlanned(id)), running };
  return { plan, verdicts, hasStanding: verdicts.some(({ verdict }) => verdict.may) };
}

/** What a decision was made from and what it was, beside the speaker. */
interface DecisionInputs {
  readonly evidence: Evidence;
  readonly policy: Policy;
  readonly customRule: StandingRule | undefined;
  readonly verdicts: readonly JudgedView[];
}

/** Returns the fact that records a decision; null for a cause of the runtime, which needs no standing. */
export function decisionFact(
  { by, via, target }: Pick<CancelCommand, 'by' | 'via' | 'target'>,
  cancel: string | undefined,
  { evidence, policy, customRule, verdicts }: DecisionInputs,
): CancelDecided | null {
  if (by === null) return null;
  const { source, participants, kind = 'text', addressed, addressedFrom = defaultAddressedFrom } = evidence;
  return {
    type: 'cancel_decided',
    ...(cancel !== undefined && { cancel }),
    source,
    by: by.id,
    roles: by.roles,
    ...(via !== undefined && { via }),
    target,
    kind,
    policy,
    rule: customRule ? 'embedder' : 'builtin',
    participants,
    ...(addressed !== undefined && { addressed }),
    addressedFrom,
    nodes: verdicts.map(({ node, verdict }): JudgedNode => {
      const { requester, addressee, isDelegated } = node;
      return {
        node: node.id,
        kind: node.kind,
        owner: node.owner,
        ...(requester !== undefined && requester !== node.owner && { requester }),
        ...(addressee !== null && { addressee }),
        ...(isDelegated && { isDelegated }),
        ...verdict,
      };
    }),
  };
}

/** Returns the plan of a CANCEL alone: see `judgeCancel`. */
export function planOf(...cancel: Parameters<typeof judgeCancel>): Plan {
  return judgeCancel(...cancel).plan;
}

/** Returns a plan that stops one node, with the cause that has cut it. */
export const planFor = (node: NodeId, cause: Cause): Plan => ({
  stop: new Map([[node, cause]]),
  deferred: new Map(),
  pending: [],
  refused: [],
  detached: [],
  running: [],
});
