// The record of a decision on who may stop what: its inputs and its verdicts, and a second judgment from the record alone.
import type { CancelCommand, JudgedView } from './cancel.ts';
import type { CancelDecided, JudgedNode } from './facts.ts';
import { defaultAddressedFrom, type Evidence, type StandingRule, standing, type Verdict } from './standing.ts';
import type { Policy } from './vocabulary.ts';

/** What a decision was made from and what it was, beside the speaker. */
export interface DecisionInputs {
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
    nodes: verdicts.map(judgedNodeOf),
  };
}

const judgedNodeOf = ({ node, verdict }: JudgedView): JudgedNode => {
  const { id, kind, owner, requester, addressee, isDelegated } = node;
  return {
    node: id,
    kind,
    owner,
    ...(requester !== undefined && requester !== owner && { requester }),
    ...(addressee !== null && { addressee }),
    ...(isDelegated && { isDelegated }),
    ...verdict,
  };
};

/** A node on which a second judgment differs from the recorded one. */
export interface DecisionDifference {
  readonly recorded: JudgedNode;
  readonly now: Verdict;
}

/**
 * Judges a recorded decision again, and returns the nodes on which the verdict differs: none, if the same inputs still give the same verdicts. Null: a rule
 * of the embedder decided, and `customRule` was not given.
 */
export function replayDecision(
  decided: CancelDecided,
  customRule?: StandingRule,
): readonly DecisionDifference[] | null {
  const { source, by, roles, kind, policy, rule, participants, addressed, addressedFrom, nodes } = decided;
  if (rule === 'embedder' && !customRule) return null;
  const evidence: Evidence = { source, kind, participants, addressed, addressedFrom };
  return nodes.flatMap((recorded) => {
    const { node: id, kind, owner, requester, addressee = null, isDelegated } = recorded;
    const node = { id, kind, owner, requester, addressee, isDelegated };
    const now = standing(node, { id: by, roles }, evidence, policy, rule === 'embedder' ? customRule : undefined);
    return now.may === recorded.may && now.because === recorded.because ? [] : [{ recorded, now }];
  });
}
