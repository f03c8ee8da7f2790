// Reads from a fact how a node has ended: the one place that does, for receipts, recovery, observers, reports and views.
import type { Fact, SettledNode } from '../../../machines/facts.ts';
import { dropUndefined } from '../collections/drop-undefined.ts';

/** A fact of the log, or one that is about to be appended and has no time yet. */
export type DatedFact = Fact & { readonly at?: number };

/** How a node ended, as its fact records it: its entry in a receipt, but for what that one fact does not say. */
export interface RecordedEnd extends Omit<SettledNode, 'kind' | 'ms'> {
  /** In milliseconds since 1970; null: the fact is not appended yet. */
  readonly at: number | null;
}

/** Returns the end that a fact records; null: it records none. `continues` is no end: the call runs on. */
export function readEnd(fact: DatedFact): RecordedEnd | null {
  switch (fact.type) {
    case 'turn_ended': {
      const { turn: node, outcome, effect, code, at = null } = fact;
      return { node, outcome, effect, ...dropUndefined({ code }), at };
    }
    case 'tool_result': {
      const { node, outcome, effect, code, forced, at = null } = fact;
      return outcome === 'continues' ? null : { node, outcome, effect, ...dropUndefined({ code, forced }), at };
    }
    case 'late_result': {
      const { node, outcome, effect, at = null } = fact;
      return { node, outcome, effect, at };
    }
    case 'input_settled': {
      const { input: node, fate, at = null } = fact;
      return fate === 'cancelled' ? { node, outcome: 'cancelled', effect: 'not_started', at } : null;
    }
    default:
      return null;
  }
}
