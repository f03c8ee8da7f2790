// The facts that close what died without saying how it ended: turns with all below them, and what ran on after the end of its turn.
//
// 1. A closing covers every call of its turn with one result; what lies deepest is closed first, the turn's end last.
// 2. A recorded acceptance is the cause; without one the crash is.
// 3. A call that was entered may have had effects; one that was not entered did not run.

import { outcomeOf } from '../../../machines/cancel.ts';
import type { FailureCode } from '../../../machines/codes.ts';
import type { Fact, ModelEnded, ToolResult, TurnEnded } from '../../../machines/facts.ts';
import { addEffect, addUsage } from '../../../machines/totals.ts';
import {
  type Cause,
  type Effect,
  type NodeId,
  noUsage,
  type OutcomeKind,
  type Usage,
  unknownUsage,
} from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/fields.ts';
import type { DatedFact } from '../receipt/receipt.ts';
import {
  type CallOutline,
  callsOf,
  causesIn,
  drawOutline,
  type Outline,
  type Round,
  type TurnOutline,
  textOf,
} from './outline.ts';

/** The process died, or one machine in it threw. */
export type DeathCode = Extract<FailureCode, 'crash' | 'machine_failed'>;

/** Decides how the nodes of an outline ended that cannot say so themselves. */
interface Death {
  readonly code: DeathCode;
  causeOf(id: NodeId): Cause | null;
}

const deathIn = (outline: Outline, code: DeathCode): Death => ({ code, causeOf: causesIn(outline) });

interface Ending {
  readonly outcome: OutcomeKind;
  readonly code?: string;
}

function endingOf(id: NodeId, { code, causeOf }: Death): Ending {
  const cause = causeOf(id);
  const outcome = cause ? outcomeOf(cause) : 'failed';
  return outcome === 'failed' ? { outcome, code } : { outcome };
}

/** The usage of all model calls below a turn, and of calls whose tool has reported it; that of a model call that has not ended is unknown. */
function usageOf({ rounds }: TurnOutline): Usage {
  const parts = rounds.flatMap(({ ended, calls }) => [
    ended?.usage ?? unknownUsage,
    ...calls.flatMap(({ child, result }) => (child ? usageOf(child) : (result?.usage ?? []))),
  ]);
  return parts.reduce(addUsage, noUsage);
}

/** The result of a call that has none and cannot get one any more. */
export function missingResult({ fact, turn, started, child }: CallOutline, death: Death): ToolResult {
  const report = child?.rounds.map(textOf).findLast((text) => text !== '');
  return {
    type: 'tool_result',
    turn: turn.id,
    node: fact.node,
    ...endingOf(fact.node, death),
    effect: started || child ? 'unknown' : 'not_started',
    ...dropUndefined({ output: report, usage: child ? usageOf(child) : undefined }),
  };
}

/** The end of a model call that was streaming: its text as far as the checkpoints have it. */
function cutOff(turn: NodeId, { index, streamed }: Round, { outcome, ...code }: Ending): ModelEnded {
  return {
    type: 'model_ended',
    turn,
    index,
    outcome: outcome === 'failed' ? 'failed' : 'cancelled',
    ...code,
    text: streamed,
    cutOff: true,
    usage: unknownUsage,
    lostAfter: streamed.length,
  };
}

function closeTurn(turn: TurnOutline, death: Death): Fact[] {
  const calls = callsOf(turn);
  const below = calls.flatMap(({ child }) => (child ? closeTurn(child, death) : []));
  if (turn.ended) return below;
  const ending = endingOf(turn.id, death);
  const streaming = turn.rounds.filter(({ ended }) => ended === null).map((round) => cutOff(turn.id, round, ending));
  const missing = calls.filter(({ result }) => result === null).map((call) => missingResult(call, death));
  const results = [...missing, ...calls.flatMap(({ result }) => (result ? [result] : []))];
  const worked: Effect = turn.started ? 'none' : 'not_started';
  const ended: TurnEnded = {
    type: 'turn_ended',
    turn: turn.id,
    ...ending,
    effect: results.map(({ effect }) => effect).reduce(addEffect, worked),
    usage: usageOf(turn),
  };
  return [...below, ...streaming, ...missing, ended];
}

/** The ends of what ran on below an ended turn. */
function endLate(turn: TurnOutline, death: Death): Fact[] {
  return callsOf(turn).flatMap((call): Fact[] => {
    const { fact, result, lateResult, abandonedEnded, child } = call;
    const { node } = fact;
    const below = child ? endLate(child, death) : [];
    const { outcome } = endingOf(node, death);
    if (result?.outcome === 'continues' && !lateResult)
      return [...below, { type: 'late_result', node, outcome, effect: 'unknown' }];
    const abandoned = result?.outcome === 'abandoned' || lateResult?.outcome === 'abandoned';
    return abandoned && !abandonedEnded ? [...below, { type: 'abandoned_ended', node }] : below;
  });
}

/** Returns the facts that close every open turn of an outline, then those that end what ran on after a turn. */
export function closeAllTurns(outline: Outline): { readonly closings: Fact[]; readonly lateEnds: Fact[] } {
  const death = deathIn(outline, 'crash');
  const roots = [...outline.turns.values()].filter(({ parent }) => parent === null);
  return {
    closings: roots.flatMap((turn) => closeTurn(turn, death)),
    lateEnds: roots.flatMap((turn) => endLate(turn, death)),
  };
}

/** Returns the facts that close a turn and all turns below it; none if they are closed. `code` says what died. */
export function closingOf(facts: readonly DatedFact[], turn: NodeId, code: DeathCode = 'crash'): Fact[] {
  const outline = drawOutline(facts);
  const found = outline.turns.get(turn);
  return found ? closeTurn(found, deathIn(outline, code)) : [];
}

/** Returns the late ends of what a turn, or one below it, had left running. To be called only when all of it is gone. */
export function lateEndsOf(facts: readonly DatedFact[], turn: NodeId): Fact[] {
  const outline = drawOutline(facts);
  const found = outline.turns.get(turn);
  return found ? endLate(found, deathIn(outline, 'crash')) : [];
}
