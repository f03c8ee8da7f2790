// Draws the outline of a list of facts.
//
// 1. The list may be any prefix of a log, or a tail: facts of a turn whose beginning is missing are left out.
// 2. The first fact of its kind counts for each turn, round and call; of speech that was cut, the last.
import type { FactOf, FactType } from '../../../machines/facts.ts';
import type { NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
import type { Acceptance, CallOutline, Outline, OutlineFact, Round, TurnOutline } from './outline.ts';

class Drawing implements Outline {
  readonly turns = new Map<NodeId, TurnOutline>();
  readonly calls = new Map<NodeId, CallOutline>();
  readonly accepted: Acceptance[] = [];
  readonly settled = new Set<string>();

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

type Draw<F> = (drawing: Drawing, fact: F) => void;

/** Draws a fact of a call, if that call is known. */
const ofCall =
  <F extends { readonly node: NodeId }>(draw: (call: CallOutline, fact: F) => void): Draw<F> =>
  ({ calls }, fact) => {
    const call = calls.get(fact.node);
    if (call) draw(call, fact);
  };

/** Types that are missing change nothing in an outline. */
const draws: { readonly [T in FactType]?: Draw<FactOf<T>> } = {
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
  cancel_settled: ({ settled }, fact) => void settled.add(fact.cancel),
};

/** Returns the outline of the facts, which are in the order of their log. */
export function drawOutline(facts: readonly OutlineFact[]): Outline {
  const drawing = new Drawing();
  for (const fact of facts) {
    const draw = draws[fact.type] as Draw<OutlineFact> | undefined; // the table has for each type what takes its fact
    draw?.(drawing, fact);
  }
  return drawing;
}
