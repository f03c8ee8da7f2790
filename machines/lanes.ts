// The lanes of a session: their limits, and what becomes of the turns that wait in them when a CANCEL is accepted.
import type { Plan } from './cancel.ts';
import type { QueuedInput } from './facts.ts';
import type { NodeId, SpeakerId, WhileRunning } from './vocabulary.ts';

/** A root turn, as the session keeps it. */
export interface RootTurn {
  readonly id: NodeId;
  readonly owner: SpeakerId;
  /** Turns of one lane never overlap; null: a detached agent, beside all lanes. */
  readonly lane: string | null;
  readonly admitted: boolean;
  readonly settled: boolean;
}

export interface Lanes {
  readonly turns: readonly RootTurn[];
  /** How many turns may wait in one lane, and how many of a speaker may run beside each other. */
  readonly laneLimit: number;
  /** Left out: `queue`. */
  readonly whileRunning?: WhileRunning | undefined;
}

/** A SAY, as far as its place in the lanes is concerned. */
interface Arrival {
  readonly lane: string;
  readonly turn: { readonly owner: SpeakerId };
}

/** Whether no more turns may wait in the lane, or run beside the others of the speaker. */
export function isLaneFull({ turns, laneLimit, whileRunning }: Lanes, { lane, turn: { owner } }: Arrival): boolean {
  const waiting = turns.filter((turn) => turn.lane === lane && !turn.admitted);
  const beside = turns.filter((turn) => turn.owner === owner && turn.lane !== null && !turn.settled);
  return waiting.length >= laneLimit || (whileRunning === 'parallel' && beside.length >= laneLimit);
}

/** Whether the session takes no other words of the speaker, because a turn of the speaker has not settled. */
export const isRejected = ({ turns, whileRunning }: Lanes, { lane }: Arrival): boolean =>
  whileRunning === 'reject' && turns.some((turn) => turn.lane === lane && !turn.settled);

/** Returns what becomes of the words that wait in the lanes of the turns that a plan stops. */
export function queueOf({ turns }: Pick<Lanes, 'turns'>, { stop, deferred }: Plan): readonly QueuedInput[] {
  const isStopped = ({ id }: RootTurn) => stop.has(id) || deferred.has(id);
  const lanes = new Set(turns.filter(isStopped).flatMap(({ lane }) => lane ?? []));
  return turns
    .filter(({ lane, admitted, settled }) => !admitted && !settled && lane !== null && lanes.has(lane))
    .map((turn) => ({ input: turn.id, fate: isStopped(turn) ? 'cancelled' : 'queued' }));
}
