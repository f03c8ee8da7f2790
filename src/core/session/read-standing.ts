// Reads from the live tree what a decision on standing needs: of a node of a CANCEL, and of the turns that a STEER may be meant for.
import type { SteerReading } from '../../../machines/session-events.ts';
import type { StandingNode } from '../../../machines/standing.ts';
import type { Speaker, SpeakerId } from '../../../machines/vocabulary.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import type { LiveTree } from '../live/tree.ts';
import type { Delegations } from './delegations.ts';
import type { SayMessage } from './inbox.ts';
import type { Presence } from './presence.ts';
import type { SessionSpec } from './session-spec.ts';

/** The rules of the session that a decision reads, beside its policy. */
export type DecisionRules = Pick<SessionSpec, 'kind' | 'addressedFrom' | 'whileRunning'>;

interface StandingParts {
  readonly tree: LiveTree;
  readonly delegations: Delegations;
}

/** Returns a live node as a decision about the speaker reads it. */
export function standingNodeOf(
  entry: NodeEntry,
  by: SpeakerId | null,
  { tree, delegations }: StandingParts,
): StandingNode {
  const { id, kind, owner, cut, question } = entry;
  const path = () => tree.pathToRoot(entry).map((at) => at.id);
  return {
    id,
    kind,
    owner,
    requester: tree.requesterOf(entry),
    isDelegated: by !== null && delegations.covers(owner, by, path()),
    addressee: cut ? null : (question?.asked.to ?? null),
  };
}

/** Returns what a decision on a STEER reads. `wanted`: the turn that it names, or none. */
export function readSteer(
  { target }: NonNullable<SayMessage['steer']>,
  by: Speaker,
  rules: Omit<DecisionRules, 'whileRunning'>,
  { presence, ...parts }: StandingParts & { readonly presence: Presence },
): SteerReading {
  const entries = parts.tree.entries();
  const named = entries.find(({ id }) => id === target);
  const own = entries
    .filter((entry) => entry.owner === by.id && entry.ancestors.length === 0 && entry.acknowledges === null)
    .toReversed();
  const meant = target === undefined ? own : named ? [named] : [];
  return {
    by,
    turns: meant.filter(isUnstoppedTurn).map((entry) => standingNodeOf(entry, by.id, parts)),
    isNoTurn: named !== undefined && !isRootTurn(named),
    evidence: { ...rules, source: 'client', participants: presence.countParticipants(by.id, entries) },
  };
}

const isRootTurn = ({ kind, parent }: NodeEntry): boolean => kind === 'turn' && parent === null;
const isUnstoppedTurn = (entry: NodeEntry): boolean =>
  isRootTurn(entry) && entry.state === 'open' && entry.firstCause === null;
