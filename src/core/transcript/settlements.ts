// The settlements of nodes, as their facts record them, and the receipts that list them.

import { outcomeOf } from '../../../machines/cancel.ts';
import type { CancelSettled, LateResult, SettledNode, ToolResult, TurnEnded } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/drop-undefined.ts';
import { type Acceptance, causeIn, type OutlineFact } from './outline.ts';

/** How a node ended. `at` is null if its fact has not been recorded yet. */
export interface Settlement extends Omit<SettledNode, 'node' | 'ms'> {
  readonly at: number | null;
}

type EndFact = (TurnEnded | ToolResult | LateResult) & { readonly at?: number };

const isEnd = (fact: OutlineFact): fact is EndFact =>
  fact.type === 'turn_ended' || fact.type === 'tool_result' || fact.type === 'late_result';

function settlementOf(fact: EndFact, kind: SettledNode['kind']): Settlement {
  const { outcome, effect, at = null } = fact;
  const code = 'code' in fact ? fact.code : undefined;
  const forced = 'forced' in fact ? fact.forced : undefined;
  return { kind, outcome, effect, ...dropUndefined({ code, forced }), at };
}

/** Returns how every node ended that has. The first fact counts; `continues` is no end. */
export function settledOutcomes(facts: readonly OutlineFact[]): ReadonlyMap<NodeId, Settlement> {
  const settlements = new Map<NodeId, Settlement>();
  const kinds = new Map<NodeId, SettledNode['kind']>();
  for (const fact of facts) {
    if (fact.type === 'tool_call') kinds.set(fact.node, fact.kind);
    if (fact.type === 'input_settled' && fact.fate === 'cancelled') {
      const { input, at = null } = fact;
      settlements.set(input, { kind: 'input', outcome: 'cancelled', effect: 'not_started', at });
    }
    if (!isEnd(fact) || fact.outcome === 'continues') continue;
    const node = fact.type === 'turn_ended' ? fact.turn : fact.node;
    const kind = fact.type === 'turn_ended' ? 'turn' : (kinds.get(node) ?? 'tool-call');
    if (!settlements.has(node)) settlements.set(node, settlementOf(fact, kind));
  }
  return settlements;
}

/**
 * Returns the second half of a receipt: `cancel_settled` for an acceptance. `now`, in milliseconds since 1970, dates the nodes whose end is
 * not recorded yet.
 */
export function settleReceipt(
  acceptance: Acceptance,
  settlements: ReadonlyMap<NodeId, Settlement>,
  now: number,
): CancelSettled {
  const { cancel, ref, stopping, pending } = acceptance;
  const cause = causeIn(acceptance);
  // a node that no fact names had not begun: its beginning would have been its first fact
  const unnamed: Settlement = { kind: 'turn', outcome: outcomeOf(cause), effect: 'not_started', at: null };
  const nodes = [...stopping, ...pending].map((node): SettledNode => {
    const { at, ...settlement } = settlements.get(node) ?? unnamed;
    return { node, ...settlement, ms: Math.max(0, (at ?? now) - (acceptance.at ?? now)) };
  });
  return { type: 'cancel_settled', cancel, ref, cause, nodes };
}
