// What a crash leaves open, and the facts that close it: one fold, for a machine that threw and for a process that died.
//
// 1. A closing covers every call of its turn with one result; what lies deepest is closed first, the turn's end last.
// 2. A recorded acceptance is the cause; without one the crash is.
// 3. What was entered may have had effects; what was not did not run.
// 4. Receipts stand behind the closings that they speak of. Folding again adds nothing.
import { outcomeOf } from '../../machines/cancel.ts';
import type { FailureCode } from '../../machines/codes.ts';
import type { Fact, SettledNode, ToolResult } from '../../machines/facts.ts';
import {
  addEffect,
  addUsage,
  type Cause,
  type Effect,
  type NodeId,
  noUsage,
  type OutcomeKind,
  type Usage,
  unknownUsage,
} from '../../machines/vocabulary.ts';
import {
  type Acceptance,
  type CallOutline,
  callsOf,
  causeIn,
  causesIn,
  type Outline,
  outlineOf,
  type Told,
  type TurnOutline,
  textOf,
} from './outline.ts';

/** Why work ended without saying how. */
interface Death {
  readonly code: Extract<FailureCode, 'crash' | 'machine_failed'>;
  causeOf(id: NodeId): Cause | null;
}

const died = (id: NodeId, { code, causeOf }: Death): { readonly outcome: OutcomeKind; readonly code?: string } => {
  const cause = causeOf(id);
  const outcome = cause ? outcomeOf(cause) : 'failed';
  return outcome === 'failed' ? { outcome, code } : { outcome };
};

/** Of all model calls below a turn; of one that has not ended nothing is known. */
function usageOf({ rounds }: TurnOutline): Usage {
  const parts = rounds.flatMap(({ ended, calls }) => [
    ended?.usage ?? unknownUsage,
    ...calls.flatMap(({ child }) => (child ? [usageOf(child)] : [])),
  ]);
  return parts.reduce(addUsage, noUsage);
}

/** The result that a call without one has, once nothing can be heard of it any more. */
function missingResult(call: CallOutline, death: Death): ToolResult {
  const { made, turn, started, child } = call;
  const report = child?.rounds.map(textOf).findLast((text) => text !== '');
  return {
    type: 'tool_result',
    turn: turn.id,
    node: made.node,
    ...died(made.node, death),
    effect: started || child ? 'unknown' : 'not_started',
    ...(report !== undefined && { output: report }),
    ...(child && { usage: usageOf(child) }),
  };
}

/** The result of every call of an outline, as it was recorded or as recovery would write it. */
export function resultsIn(outline: Outline): (call: CallOutline) => ToolResult {
  const death: Death = { code: 'crash', causeOf: causesIn(outline) };
  return (call) => call.result ?? missingResult(call, death);
}

function closing(turn: TurnOutline, death: Death): Fact[] {
  const calls = callsOf(turn);
  const below = calls.flatMap(({ child }) => (child ? closing(child, death) : []));
  if (turn.ended) return below;
  const end = died(turn.id, death);
  const streaming = turn.rounds.filter(({ ended }) => ended === null);
  const open = calls.filter(({ result }) => result === null).map((call) => missingResult(call, death));
  const results = [...open, ...calls.flatMap(({ result }) => (result ? [result] : []))];
  const worked: Effect = turn.started ? 'none' : 'not_started';
  return [
    ...below,
    ...streaming.map(({ index, streamed }): Fact => {
      const { outcome, ...code } = end;
      return {
        type: 'model_ended',
        turn: turn.id,
        index,
        outcome: outcome === 'failed' ? 'failed' : 'cancelled',
        ...code,
        text: streamed,
        cutOff: true,
        usage: unknownUsage,
        lostAfter: streamed.length,
      };
    }),
    ...open,
    {
      type: 'turn_ended',
      turn: turn.id,
      ...end,
      effect: results.map(({ effect }) => effect).reduce(addEffect, worked),
      usage: usageOf(turn),
    },
  ];
}

/** What ran on below an ended turn has ended now. */
function lateEnds(turn: TurnOutline, death: Death): Fact[] {
  return callsOf(turn).flatMap((call): Fact[] => {
    const { made, result, late, abandonedEnded, child } = call;
    const { node } = made;
    const below = child ? lateEnds(child, death) : [];
    const { outcome } = died(node, death);
    if (result?.outcome === 'continues' && !late)
      return [...below, { type: 'late_result', node, outcome, effect: 'unknown' }];
    const abandoned = result?.outcome === 'abandoned' || late?.outcome === 'abandoned';
    return abandoned && !abandonedEnded ? [...below, { type: 'abandoned_ended', node }] : below;
  });
}

/**
 * The facts that close a turn and all turns below it: nothing, when they are closed. `code` says what died: the process or,
 * where one machine threw, that machine.
 */
export function closingOf(facts: readonly Told[], turn: NodeId, code: Death['code'] = 'crash'): Fact[] {
  const outline = outlineOf(facts);
  const found = outline.turns.get(turn);
  return found ? closing(found, { code, causeOf: causesIn(outline) }) : [];
}

/** The late ends of what a turn, or one below it, had left running: only when all of it is gone. */
export function lateOf(facts: readonly Told[], turn: NodeId): Fact[] {
  const outline = outlineOf(facts);
  const found = outline.turns.get(turn);
  return found ? lateEnds(found, { code: 'crash', causeOf: causesIn(outline) }) : [];
}

/** How a node has ended, as its fact says; `at` is null where that fact has not been recorded yet. */
export interface Settlement extends Omit<SettledNode, 'node' | 'ms'> {
  readonly at: number | null;
}

/** Of every node that has ended: the first word counts, and `continues` is none. */
export function settledOutcomes(facts: readonly Told[]): ReadonlyMap<NodeId, Settlement> {
  const settlements = new Map<NodeId, Settlement>();
  const kinds = new Map<NodeId, SettledNode['kind']>();
  for (const fact of facts) {
    const at = fact.at ?? null;
    if (fact.type === 'tool_call') kinds.set(fact.node, fact.kind);
    if (fact.type === 'turn_ended' && !settlements.has(fact.turn)) {
      const { turn, outcome, effect, code } = fact;
      settlements.set(turn, { kind: 'turn', outcome, effect, ...(code !== undefined && { code }), at });
    }
    if (fact.type !== 'tool_result' && fact.type !== 'late_result') continue;
    const { node, outcome, effect } = fact;
    if (outcome === 'continues' || settlements.has(node)) continue;
    const { code, forced } = fact.type === 'tool_result' ? fact : {};
    const kind = kinds.get(node) ?? 'tool-call';
    settlements.set(node, {
      kind,
      outcome,
      effect,
      ...(code !== undefined && { code }),
      ...(forced !== undefined && { forced }),
      at,
    });
  }
  return settlements;
}

/** Questions that nobody can answer any more: their calls are closed behind them. */
function withdrawals(facts: readonly Told[]): Fact[] {
  const open = new Map<NodeId, Fact>();
  for (const fact of facts) {
    if (fact.type === 'approval_requested')
      open.set(fact.node, { type: 'approval_closed', node: fact.node, answer: 'withdrawn', by: null, ref: null });
    if (fact.type === 'question_asked')
      open.set(fact.node, {
        type: 'question_closed',
        node: fact.node,
        answer: 'withdrawn',
        text: null,
        by: null,
        ref: null,
      });
    if (fact.type === 'approval_closed' || fact.type === 'question_closed') open.delete(fact.node);
  }
  return [...open.values()];
}

function receipt(acceptance: Acceptance, settlements: ReadonlyMap<NodeId, Settlement>, now: number): Fact {
  const { cancel, ref, stopping, pending } = acceptance;
  const cause = causeIn(acceptance);
  // a node that no fact names had not begun: its beginning would have been the first thing told of it
  const never: Settlement = { kind: 'turn', outcome: outcomeOf(cause), effect: 'not_started', at: null };
  const nodes = [...stopping, ...pending].map((node): SettledNode => {
    const { at, ...settlement } = settlements.get(node) ?? never;
    return { node, ...settlement, ms: Math.max(0, (at ?? now) - (acceptance.at ?? now)) };
  });
  return { type: 'cancel_settled', cancel, ref, cause, nodes };
}

/**
 * What is missing in the log of a session whose process has died, in the order in which it is to be appended; nothing when
 * it ended in good order. `now` dates the ends that are written with it; without it the last recorded fact does.
 */
export function recover(facts: readonly Told[], now = facts.at(-1)?.at ?? 0): Fact[] {
  const outline = outlineOf(facts);
  const death: Death = { code: 'crash', causeOf: causesIn(outline) };
  const roots = [...outline.turns.values()].filter(({ parent }) => parent === null);
  const closings = roots.flatMap((turn) => closing(turn, death));
  const late = roots.flatMap((turn) => lateEnds(turn, death));
  const settlements = settledOutcomes([...facts, ...closings, ...late]);
  const receipts = outline.accepted
    .filter(({ cancel }) => !outline.settled.has(cancel))
    .map((acceptance) => receipt(acceptance, settlements, now));
  const missing = [...withdrawals(facts), ...closings, ...late, ...receipts];
  if (missing.length === 0) return [];
  const turns = closings.flatMap((fact) => (fact.type === 'turn_ended' ? [fact.turn] : []));
  return [...missing, { type: 'session_recovered', turns }];
}
