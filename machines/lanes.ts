// The lanes of a session: their limits and their order, and what becomes of the words that wait in them when a CANCEL is accepted.
import type { Plan } from './cancel.ts';
import type { QueuedInput } from './facts.ts';
import type { SaidEvent } from './session-events.ts';
import type { NodeId, SpeakerId, WhileRunning } from './vocabulary.ts';

/** A root turn, as the session keeps it. */
export interface RootTurn {
  readonly id: NodeId;
  readonly owner: SpeakerId;
  /** Turns of one lane never overlap; null: a detached agent, beside all lanes. */
  readonly lane: string | null;
  /** It yields to the words of a speaker: it counts in no limit, and rejects nobody. */
  readonly isAcknowledgement?: true;
  readonly admitted: boolean;
  readonly settled: boolean;
  /** Its place among all that was said and detached in the session: the turns of a lane start in this order. */
  readonly arrival: number;
}

/** Words that wait for the next model call of a running turn. */
export interface DeferredInput {
  readonly id: NodeId;
  /** The turn that they are for. */
  readonly steers: NodeId;
  /** As they were said: they open a turn if the other one ends without them. */
  readonly said: SaidEvent;
  /** See `RootTurn.arrival`. */
  readonly arrival: number;
}

/** A CANCEL whose receipt has not settled. */
export interface OpenStop {
  /** The id of the receipt. */
  readonly cancel: string;
  /** The lanes of the turns that it stops. */
  readonly lanes: ReadonlySet<string>;
}

export interface Lanes {
  /** In the order of their arrival. */
  readonly turns: readonly RootTurn[];
  /** In the order of their arrival. */
  readonly inputs: readonly DeferredInput[];
  readonly stops: readonly OpenStop[];
  /** How many turns and deferred inputs may wait in one lane, and how many turns of a speaker may run beside each other. */
  readonly laneLimit: number;
  /** The fate of a speaker's words while a turn of the same speaker runs. Left out: `queue`. */
  readonly whileRunning?: WhileRunning | undefined;
}

/** A SAY or an acknowledgement, as far as its place in the lanes is concerned. */
interface Arrival {
  readonly lane: string;
  readonly turn: { readonly owner: SpeakerId };
}

/** Whether a turn of the lane runs. */
export const isBusy = (turns: readonly RootTurn[], lane: string): boolean =>
  turns.some((turn) => turn.lane === lane && turn.admitted && !turn.settled);

/** Whether a stop is under way in the lane: no turn starts there before its receipt has settled. */
export const isHeld = (stops: readonly OpenStop[], lane: string): boolean => stops.some(({ lanes }) => lanes.has(lane));

/** Whether one more may wait in the lane. */
export function hasRoomInLane({ turns, inputs, laneLimit }: Lanes, lane: string): boolean {
  const waiting = turns.filter((turn) => turn.lane === lane && !turn.admitted);
  const deferred = inputs.filter(({ said }) => said.lane === lane);
  return waiting.length + deferred.length < laneLimit;
}

/** Whether no more turns may wait in the lane, or run beside the others of the speaker. */
export function isLaneFull(lanes: Lanes, { lane, turn: { owner } }: Arrival): boolean {
  const { turns, laneLimit, whileRunning } = lanes;
  const beside = besideOf(turns, owner).filter(({ isAcknowledgement }) => !isAcknowledgement);
  return !hasRoomInLane(lanes, lane) || (whileRunning === 'parallel' && beside.length >= laneLimit);
}

/** Whether the session accepts no other words of the speaker, because a turn of the speaker has not settled. */
export const isRejected = ({ turns, whileRunning }: Lanes, { lane }: Arrival): boolean =>
  whileRunning === 'reject' && turns.some((turn) => turn.lane === lane && !turn.settled && !turn.isAcknowledgement);

/** Whether nothing runs, waits or is being stopped where a stop is to be acknowledged. */
export const isLaneFree = ({ turns, stops, whileRunning }: Lanes, { lane, turn: { owner } }: Arrival): boolean =>
  !isHeld(stops, lane) &&
  !turns.some((turn) => turn.lane === lane && !turn.settled) &&
  (whileRunning !== 'parallel' || besideOf(turns, owner).length === 0);

/** The turns of a speaker that run or wait, in whatever lane. */
const besideOf = (turns: readonly RootTurn[], owner: SpeakerId): readonly RootTurn[] =>
  turns.filter((turn) => turn.owner === owner && turn.lane !== null && !turn.settled);

/** Returns the turns with one more, in the order of their arrival: what was deferred before other words were said comes before them. */
export function insertTurn(turns: readonly RootTurn[], added: RootTurn): readonly RootTurn[] {
  const next = turns.findIndex(({ arrival }) => arrival > added.arrival);
  return next === -1 ? [...turns, added] : turns.toSpliced(next, 0, added);
}

/** Returns the lanes of the turns that a plan stops. No turn that waits is deferred by a plan, so that none of them waits for its own lane. */
export const heldLanesOf = (turns: readonly RootTurn[], { stop, deferred }: Plan): ReadonlySet<string> =>
  new Set(turns.filter(({ id }) => stop.has(id) || deferred.has(id)).flatMap(({ lane }) => lane ?? []));

/** Returns what becomes of the words that wait in the lanes of the turns that a plan stops, and of the inputs of those turns. */
export function queueOf({ turns, inputs }: Pick<Lanes, 'turns' | 'inputs'>, plan: Plan): readonly QueuedInput[] {
  const { stop, deferred, refused } = plan;
  const isStopped = ({ id }: { readonly id: NodeId }) => stop.has(id) || deferred.has(id);
  const lanes = heldLanesOf(turns, plan);
  const isKept = ({ id, steers }: DeferredInput) =>
    isStopped({ id: steers }) && refused.some(({ node }) => node === id);
  const waiting = [
    ...turns.filter(({ lane, admitted, settled }) => !admitted && !settled && lane !== null && lanes.has(lane)),
    ...inputs.filter((input) => isStopped(input) || isKept(input)),
  ];
  return waiting
    .toSorted((one, other) => one.arrival - other.arrival)
    .map((one) => ({ input: one.id, fate: isStopped(one) ? 'cancelled' : 'queued' }));
}
