// Reads the turns that a STEER may be for from the live tree: the one that it names, or those of its speaker.
import type { SteerReading } from '../../../machines/session-events.ts';
import type { Speaker } from '../../../machines/vocabulary.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import { type StandingParts, standingNodeOf } from './delegations.ts';
import type { SayMessage } from './inbox-messages.ts';
import type { Presence } from './presence.ts';
import type { SessionSpec } from './session-spec.ts';

interface SteerParts extends StandingParts {
  readonly presence: Presence;
}

/** Returns what a decision on a STEER reads. */
export function readSteer(
  { target }: NonNullable<SayMessage['steer']>,
  by: Speaker,
  rules: Pick<SessionSpec, 'kind' | 'addressedFrom'>,
  { presence, ...parts }: SteerParts,
): SteerReading {
  const entries = parts.tree.entries();
  const named = entries.find(({ id }) => id === target);
  const own = entries.filter((entry) => entry.owner === by.id && entry.isSaid).toReversed();
  const meant = target === undefined ? own : named ? [named] : [];
  return {
    by,
    turns: meant.filter(isUnstoppedTurn).map((entry) => standingNodeOf(entry, by.id, parts)),
    isNoTurn: named !== undefined && !isRootTurn(named),
    evidence: { ...rules, source: 'client', participants: presence.countParticipants(by.id, entries) },
  };
}

/** The turn of a call that somebody else runs reads no words: it calls no model. */
const isRootTurn = ({ kind, parent, opensCall }: NodeEntry): boolean =>
  kind === 'turn' && parent === null && opensCall === null;
const isUnstoppedTurn = (entry: NodeEntry): boolean => isRootTurn(entry) && entry.state.kind === 'running';
