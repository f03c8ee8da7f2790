// Finds, for a turn that has resumed another one or whose tools were stopped, the calls that repeat one whose effect is not known: they run only with a yes.
import type { RecordedFact } from '../../../machines/facts.ts';
import type { MessageCall } from '../../../machines/messages.ts';
import type { Effect, NodeId } from '../../../machines/vocabulary.ts';
import { causeIn } from '../receipt/receipt.ts';
import {
  type CallOutline,
  causesIn,
  drawOutline,
  type Outline,
  resumedTurns,
  type TurnOutline,
} from '../transcript/outline.ts';
import { isOfTools } from '../transcript/stopped-tools.ts';
import type { CallReading } from './call-reading.ts';
import { callKey } from './count-repeats.ts';

/** Returns the id of the earlier call that a call repeats; null: there is none. */
export type FindUnknownRepeat = (call: Pick<MessageCall, 'name' | 'arguments'>) => NodeId | null;

/**
 * Returns a function for the calls of a turn, which may be that of a sub-agent or of a detached agent below a resumed one. A call that has since run to its
 * end, in a later turn, is repeated like any other.
 */
export function findUnknownRepeats(facts: readonly RecordedFact[], turn: NodeId): FindUnknownRepeat {
  if (!facts.some(mayLeaveUnknown)) return () => null;
  const outline = drawOutline(facts);
  const own = outline.turns.get(turn);
  const top = own && topOf(outline, own);
  if (!top) return () => null;
  const causeOf = causesIn(outline);
  const unknown = new Map<string, NodeId>();
  for (const one of [...resumedTurns(outline, top).toReversed(), top]) {
    const calls = [...outline.calls.values()].filter((call) => topOf(outline, call.turn) === one);
    for (const call of calls) if (isOver(effectOf(call))) unknown.delete(callKey(call.fact));
    // in the turn itself a later call may have run to its end since
    const left =
      one === top ? calls.filter((call) => isOfTools(causeOf(call.fact.node)) && !isRepeated(call, calls)) : calls;
    for (const call of left) if (effectOf(call) === 'unknown') unknown.set(callKey(call.fact), call.fact.node);
  }
  return (call) => unknown.get(callKey(call)) ?? null;
}

/** Whether a fact records a RESUME or a CANCEL of tools. A call is held only after one of these. */
const mayLeaveUnknown = (fact: RecordedFact): boolean =>
  (fact.type === 'turn_opened' && fact.resumes !== undefined) ||
  (fact.type === 'cancel_accepted' && isOfTools(causeIn(fact)));

/** Whether a later call of these, of the same tool with the same arguments, has run to its end. */
const isRepeated = (call: CallOutline, calls: readonly CallOutline[]): boolean =>
  calls.slice(calls.indexOf(call) + 1).some((one) => callKey(one.fact) === callKey(call.fact) && isOver(effectOf(one)));

/** Adds the yes that a repeat needs to what a call of a tool needs. */
export function holdRepeat(reading: CallReading, repeats: NodeId | null): CallReading {
  if (repeats === null || reading.kind !== 'tool-call' || reading.problem) return reading;
  const needs = reading.needs.filter((need) => need !== 'approving');
  return { ...reading, needs: [...needs, 'approving'], repeats };
}

/** The turn at the top of the tree: above a sub-agent its caller's, above a detached agent the one that has detached it. */
function topOf(outline: Outline, turn: TurnOutline): TurnOutline {
  const seen = new Set<TurnOutline>();
  let at = turn;
  while (!seen.has(at)) {
    seen.add(at);
    const above = at.parent?.turn ?? outline.turns.get(at.opened?.from ?? '');
    if (!above) return at;
    at = above;
  }
  return at;
}

/** A call that ran on after its turn has the effect of its late end. */
const effectOf = ({ started, result, lateResult }: CallOutline): Effect =>
  lateResult?.effect ?? result?.effect ?? (started ? 'unknown' : 'not_started');

const isOver = (effect: Effect): boolean => effect === 'done' || effect === 'none';
