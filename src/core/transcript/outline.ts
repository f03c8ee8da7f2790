// The outline of a list of facts: each turn with its text, its rounds, their calls, and how all of them ended. Recovery and rendering read it.
//
// 1. The list may be any prefix of a log, or a tail: facts of a turn whose beginning is missing are left out.
// 2. The first fact of its kind counts for each turn, round and call; of speech that was cut, the last.
import { ruleOfCause } from '../../../machines/cause-rules.ts';
import type {
  AbandonedEnded,
  CancelAccepted,
  FactOf,
  FactSubjects,
  FactType,
  InputDeferred,
  InputSettled,
  LateResult,
  ModelEnded,
  ModelState,
  ToolCall,
  ToolResult,
  ToolTimeout,
  TurnEnded,
  TurnOpened,
  TurnStarted,
} from '../../../machines/facts.ts';
import type { Cause, NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
import type { DatedFact } from '../receipt/receipt.ts';
import { causeIn } from '../receipt/receipt.ts';
import { importedTurns } from './imported.ts';

export interface CallOutline {
  readonly fact: ToolCall;
  readonly turn: TurnOutline;
  started: boolean;
  timeout: ToolTimeout | null;
  result: ToolResult | null;
  lateResult: LateResult | null;
  abandonedEnded: AbandonedEnded | null;
  /** The turn of a sub-agent. */
  child: TurnOutline | null;
}

/** One model call, and the tool calls that it made. */
export interface Round {
  readonly index: number;
  /** Its text as far as the checkpoints have it. */
  streamed: string;
  ended: ModelEnded | null;
  /** How many characters of its text were heard, where its speech was cut off; null: it was not. */
  heard: number | null;
  /** Its provider state; null: none. */
  state: ModelState | null;
  readonly calls: CallOutline[];
}

/** Words that were said to a turn while it ran. */
export interface InputOutline {
  readonly fact: InputDeferred;
  settled: InputSettled | null;
}

export interface TurnOutline {
  readonly id: NodeId;
  readonly owner: SpeakerId;
  opened: TurnOpened | null;
  started: TurnStarted | null;
  /** The call that it belongs to; null for a root turn. */
  readonly parent: CallOutline | null;
  readonly rounds: Round[];
  /** In the order in which they were said. */
  readonly inputs: InputOutline[];
  ended: TurnEnded | null;
}

export interface Outline {
  /** In the order in which they were opened or, below a call, started. */
  readonly turns: ReadonlyMap<NodeId, TurnOutline>;
  readonly calls: ReadonlyMap<NodeId, CallOutline>;
  readonly accepted: readonly CancelAccepted[];
  /** The turn of each speech. */
  readonly speeches: ReadonlyMap<NodeId, NodeId>;
}

/** An outline that is drawn fact by fact, in the order of their log. */
export class OutlineDrawing implements Outline {
  readonly turns = new Map<NodeId, TurnOutline>();
  readonly calls = new Map<NodeId, CallOutline>();
  readonly accepted: CancelAccepted[] = [];
  readonly speeches = new Map<NodeId, NodeId>();

  add(fact: DatedFact): void {
    const draw = draws[fact.type as keyof typeof draws] as Draw<DatedFact> | undefined; // the table has for each type what takes its fact
    draw?.(this, fact);
  }

  addTurn(id: NodeId, owner: SpeakerId, parent: CallOutline | null): TurnOutline {
    const known = this.turns.get(id);
    if (known) return known;
    const turn: TurnOutline = { id, owner, opened: null, started: null, parent, rounds: [], inputs: [], ended: null };
    this.turns.set(id, turn);
    if (parent) parent.child = turn;
    return turn;
  }

  /** Returns the round of a model call, made if it is new; undefined: its turn is missing. */
  addRound({ turn, index }: { readonly turn: NodeId; readonly index: number }): Round | undefined {
    const rounds = this.turns.get(turn)?.rounds;
    const known = rounds?.find((round) => round.index === index);
    if (known || !rounds) return known;
    const round: Round = { index, streamed: '', ended: null, heard: null, state: null, calls: [] };
    rounds.push(round);
    return round;
  }

  addCall(fact: FactOf<'tool_call'>): void {
    const turn = this.turns.get(fact.turn);
    if (!turn || this.calls.has(fact.node)) return;
    const call: CallOutline = {
      fact,
      turn,
      started: false,
      timeout: null,
      result: null,
      lateResult: null,
      abandonedEnded: null,
      child: null,
    };
    this.calls.set(fact.node, call);
    this.addRound(fact)?.calls.push(call);
  }
}

/** Facts that change nothing in an outline. */
type Undrawn =
  | FactSubjects['session' | 'question' | 'decision' | 'sign']
  | Exclude<FactSubjects['history'], 'imported'>
  | 'process_started'
  | 'tool_changed'
  | 'model_error'
  | 'cancel_refused'
  | 'cancel_settled'
  | 'speech_ended'
  | 'transcript_dropped';

type Draw<F> = (drawing: OutlineDrawing, fact: F) => void;

/** Draws a fact of a call, if that call is known. */
const ofCall =
  <F extends { readonly node: NodeId }>(draw: (call: CallOutline, fact: F) => void): Draw<F> =>
  ({ calls }, fact) => {
    const call = calls.get(fact.node);
    if (call) draw(call, fact);
  };

const drawSpeech: Draw<FactOf<'speech_queued' | 'speech_started'>> = ({ speeches }, { speech, turn }) => {
  speeches.set(speech, turn);
};

const draws: { readonly [T in Exclude<FactType, Undrawn>]: Draw<FactOf<T>> } = {
  imported(drawing, fact) {
    for (const each of importedTurns(fact)) drawing.add(each);
  },
  turn_opened(drawing, fact) {
    drawing.addTurn(fact.turn, fact.owner, null).opened ??= fact;
  },
  input_deferred({ turns }, fact) {
    const turn = turns.get(fact.turn);
    if (turn && !turn.inputs.some((input) => input.fact.input === fact.input))
      turn.inputs.push({ fact, settled: null });
  },
  input_settled({ turns }, settled) {
    const input = turns.get(settled.turn)?.inputs.find(({ fact }) => fact.input === settled.input);
    if (input) input.settled ??= settled;
  },
  turn_started(drawing, fact) {
    const parent = fact.parent === null ? null : drawing.calls.get(fact.parent);
    if (parent) drawing.addTurn(fact.turn, fact.owner, parent);
    const turn = drawing.turns.get(fact.turn);
    if (turn) turn.started ??= fact;
  },
  turn_ended({ turns }, fact) {
    const turn = turns.get(fact.turn);
    if (turn) turn.ended ??= fact;
  },
  model_started(drawing, fact) {
    drawing.addRound(fact);
  },
  text_checkpoint(drawing, fact) {
    const round = drawing.addRound(fact);
    if (round && fact.offset <= round.streamed.length)
      round.streamed = round.streamed.slice(0, fact.offset) + fact.text;
  },
  model_ended(drawing, fact) {
    const round = drawing.addRound(fact);
    if (round) round.ended ??= fact;
  },
  model_state(drawing, fact) {
    const round = drawing.addRound(fact);
    if (round) round.state ??= fact;
  },
  speech_queued: drawSpeech,
  speech_started: drawSpeech,
  speech_cut(drawing, { turn, heard }) {
    for (const { index, offset } of heard) {
      const round = drawing.addRound({ turn, index });
      if (round) round.heard = offset; // the last one counts
    }
  },
  tool_call: (drawing, fact) => drawing.addCall(fact),
  tool_started: ofCall((call) => {
    call.started = true;
  }),
  tool_timeout: ofCall((call, fact) => {
    call.timeout ??= fact;
  }),
  tool_result: ofCall((call, fact) => {
    call.result ??= fact;
  }),
  late_result: ofCall((call, fact) => {
    call.lateResult ??= fact;
  }),
  abandoned_ended: ofCall((call, fact) => {
    call.abandonedEnded ??= fact;
  }),
  cancel_accepted: ({ accepted }, fact) => void accepted.push(fact),
};

/** Returns the outline of the facts, which are in the order of their log. */
export function drawOutline(facts: readonly DatedFact[]): Outline {
  const drawing = new OutlineDrawing();
  for (const fact of facts) drawing.add(fact);
  return drawing;
}

/** Whether the turn is the model's words on a stop. */
export const isAcknowledgement = ({ opened }: TurnOutline): boolean => opened?.kind === 'acknowledgement';

/** Whether the turn was opened for a call that somebody else runs. */
export const isExternalCall = ({ opened }: TurnOutline): boolean => opened?.kind === 'call';

/**
 * Returns a comparison that sorts by the ends of turns, the first one that ended at the front. A turn that ran beside others is as recent as its end, however long
 * ago it was opened.
 */
export function byEnd(facts: readonly DatedFact[]): (a: OfTurn, b: OfTurn) => number {
  const ends = new Map<NodeId, number>();
  for (const [i, fact] of facts.entries())
    if (fact.type === 'turn_ended' && !ends.has(fact.turn)) ends.set(fact.turn, i);
  const endOf = ({ turn }: OfTurn) => ends.get(turn.id) ?? facts.length;
  return (a, b) => endOf(a) - endOf(b);
}

interface OfTurn {
  readonly turn: Pick<TurnOutline, 'id'>;
}

/** Returns the calls of all rounds of a turn, in their order. */
export const callsOf = ({ rounds }: TurnOutline): CallOutline[] => rounds.flatMap(({ calls }) => calls);

/** Returns the text of a model call: whole, as far as the checkpoints have it, or as far as it was heard. */
export function textOf({ ended, streamed, heard }: Round): string {
  const text = ended?.text ?? streamed;
  if (heard === null) return text;
  // a character of two code units was heard whole, or not at all
  return text.slice(0, heard).replace(/[\uD800-\uDBFF]$/u, '');
}

/**
 * Returns a function from a node's id to the cause under which it is being stopped, as far as that was recorded; null: none was. The first
 * acceptance that lists the node counts. While its stop is pending, a routine cause that stops the node replaces that cause. A node that no acceptance lists or
 * refuses came later, and shares the cause of its parent.
 */
export function causesIn({ turns, calls, accepted }: Outline): (id: NodeId) => Cause | null {
  const stopped = new Map<NodeId, Cause>();
  const pending = new Set<NodeId>();
  const refused = new Set<NodeId>();
  for (const acceptance of accepted) {
    const { isRoutine } = ruleOfCause(acceptance.source);
    for (const id of acceptance.stopping)
      if (!stopped.has(id) || (isRoutine && pending.delete(id))) stopped.set(id, causeIn(acceptance));
    for (const id of acceptance.pending)
      if (!stopped.has(id)) {
        stopped.set(id, causeIn(acceptance));
        pending.add(id);
      }
    for (const { node } of acceptance.refused) refused.add(node);
  }
  const parentOf = (id: NodeId): NodeId | undefined => calls.get(id)?.turn.id ?? turns.get(id)?.parent?.fact.node;
  return function causeOf(id): Cause | null {
    const own = stopped.get(id);
    if (own) return own;
    const parent = refused.has(id) ? undefined : parentOf(id);
    return parent === undefined ? null : causeOf(parent);
  };
}

/** Returns the turns that a turn takes up, the last one first: the one that it resumes, the one that that one resumes, and so on, as far as the outline has them. */
export function resumedTurns({ turns }: Pick<Outline, 'turns'>, turn: TurnOutline): readonly TurnOutline[] {
  const chain: TurnOutline[] = [];
  for (let at: TurnOutline | undefined = turn; at; ) {
    const before: TurnOutline | undefined = turns.get(at.opened?.resumes ?? '');
    if (!before || before === turn || chain.includes(before)) return chain;
    chain.push(before);
    at = before;
  }
  return chain;
}
