// Reads a live node as a decision about a speaker needs it.
import type { StandingNode } from '../../../machines/standing.ts';
import type { SpeakerId } from '../../../machines/vocabulary.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import type { LiveTree } from '../live/tree.ts';
import type { Delegations } from './delegations.ts';

export interface StandingParts {
  readonly tree: LiveTree;
  readonly delegations: Delegations;
}

/** Returns the node. `by`: the speaker; null: the runtime itself decides. */
export function standingNodeOf(
  entry: NodeEntry,
  by: SpeakerId | null,
  { tree, delegations }: StandingParts,
): StandingNode {
  const { id, kind, owner, cut, question } = entry;
  return {
    id,
    kind,
    owner,
    requester: tree.requesterOf(entry),
    isDelegated: by !== null && delegations.covers(owner, by, tree.pathToRoot(entry)),
    addressee: cut ? null : (question?.asked.to ?? null),
  };
}
