// Finds, for a turn that has resumed another one, the calls that repeat one whose effect is not known: they run only with a yes.
import type { RecordedFact } from '../../../machines/facts.ts';
import type { MessageCall } from '../../../machines/messages.ts';
import type { Effect, NodeId } from '../../../machines/vocabulary.ts';
import { type CallOutline, drawOutline, type Outline, resumedTurns, type TurnOutline } from '../transcript/outline.ts';
import type { CallReading } from './call-reading.ts';
import { callKey } from './count-repeats.ts';

/** Returns the id of the earlier call that a call repeats; null: there is none. */
export type FindUnknownRepeat = (call: Pick<MessageCall, 'name' | 'arguments'>) => NodeId | null;

/**
 * Returns a function for the calls of a turn, which may be that of a sub-agent or of a detached agent below a resumed one. A call that has since run to its
 * end, in a later turn, is repeated like any other.
 */
export function findUnknownRepeats(facts: readonly RecordedFact[], turn: NodeId): FindUnknownRepeat {
  if (!facts.some((fact) => fact.type === 'turn_opened' && fact.resumes !== undefined)) return () => null;
  const outline = drawOutline(facts);
  const own = outline.turns.get(turn);
  const top = own && topOf(outline, own);
  if (!top) return () => null;
  const unknown = new Map<string, NodeId>();
  for (const one of [...resumedTurns(outline, top).toReversed(), top]) {
    const calls = [...outline.calls.values()].filter((call) => topOf(outline, call.turn) === one);
    for (const call of calls) if (isOver(effectOf(call))) unknown.delete(callKey(call.fact));
    if (one === top) continue;
    for (const call of calls) if (effectOf(call) === 'unknown') unknown.set(callKey(call.fact), call.fact.node);
  }
  return (call) => unknown.get(callKey(call)) ?? null;
}

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
