// Reads the turns that a STEER may be for from the live tree: the one that it names, or those of its speaker.
import type { SteerReading } from '../../../machines/session-events.ts';
import type { StandingNode } from '../../../machines/standing.ts';
import type { Speaker, SpeakerId } from '../../../machines/vocabulary.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import type { LiveTree } from '../live/tree.ts';
import type { Delegations } from './delegations.ts';
import type { SayMessage } from './inbox-messages.ts';
import type { Presence } from './presence.ts';
import type { SessionSpec } from './session-spec.ts';

interface SteerParts {
  readonly tree: LiveTree;
  readonly delegations: Delegations;
  readonly presence: Presence;
}

/** Returns what a decision on a STEER reads. `standingNodeOf` reads a live node as a decision about the speaker needs it. */
export function readSteer(
  { target }: NonNullable<SayMessage['steer']>,
  by: Speaker,
  rules: Pick<SessionSpec, 'kind' | 'addressedFrom'>,
  { presence, ...parts }: SteerParts,
  standingNodeOf: (entry: NodeEntry, by: SpeakerId, parts: Omit<SteerParts, 'presence'>) => StandingNode,
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
const isUnstoppedTurn = (entry: NodeEntry): boolean => isRootTurn(entry) && entry.state.kind === 'running';
