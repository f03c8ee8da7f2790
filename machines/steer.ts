// Steering: decides whether words wait for the next model call of a turn that runs, open a turn of their own, or are refused.
//
// The words of a deferred input are data beside the machines: the session keeps the input until it has its fate, and no machine below gets an event of it.
import type { RefusalCode } from './codes.ts';
import { hasRoomInLane, type Lanes } from './lanes.ts';
import type { SteerEvent } from './session-events.ts';
import { type StandingRule, standing } from './standing.ts';
import type { NodeId, Policy } from './vocabulary.ts';

export type SteerDecision =
  /** No turn runs that they could be meant for: they are a SAY. */
  | { readonly kind: 'say' }
  | { readonly kind: 'defer'; readonly steers: NodeId }
  | { readonly kind: 'refuse'; readonly code: RefusalCode };

/** What the session knows, as far as the decision depends on it. */
interface Steered extends Lanes {
  readonly policy: Policy;
  readonly standing?: StandingRule | undefined;
}

/** Decides on a STEER. A turn is steered by whoever may stop it: its owner, and whom the policy of the session allows to. */
export function decideSteer(session: Steered, event: SteerEvent): SteerDecision {
  const { by, turns, isNoTurn, evidence } = event.steer;
  if (isNoTurn) return { kind: 'refuse', code: 'not_steerable' };
  const isAdmitted = (id: NodeId) =>
    session.turns.some((turn) => turn.id === id && turn.admitted && !turn.settled && !turn.isAcknowledgement);
  const found = turns.find(({ id }) => isAdmitted(id));
  if (!found) return { kind: 'say' };
  const verdict = standing(found, by, evidence, session.policy, session.standing);
  if (!verdict.may) return { kind: 'refuse', code: verdict.because };
  return hasRoomInLane(session, event.lane)
    ? { kind: 'defer', steers: found.id }
    : { kind: 'refuse', code: 'lane_full' };
}
