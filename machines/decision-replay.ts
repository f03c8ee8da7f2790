// A second judgment of a recorded decision on who may stop what, from the record alone.
import type { CancelDecided, JudgedNode } from './facts.ts';
import { type Evidence, type StandingRule, standing, type Verdict } from './standing.ts';

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
  // evidence that is not recorded does not compile: the second judgment would lack it
  const evidence: { readonly [E in keyof Evidence]-?: Evidence[E] } = {
    source,
    kind,
    participants,
    addressed,
    addressedFrom,
  };
  return nodes.flatMap((recorded) => {
    const { node: id, kind, owner, requester, addressee = null, isDelegated } = recorded;
    const node = { id, kind, owner, requester, addressee, isDelegated };
    const now = standing(node, { id: by, roles }, evidence, policy, rule === 'embedder' ? customRule : undefined);
    return now.may === recorded.may && now.because === recorded.because ? [] : [{ recorded, now }];
  });
}
