// Reads from a fact how a node has ended: the one place that does, for receipts, recovery, observers, reports and views.
import type { Fact, SettledNode, ToolResult } from '../../../machines/facts.ts';
import { dropUndefined, namesOf } from '../collections/fields.ts';

/** A fact of the log, or one that is about to be appended and has no time yet. */
export type DatedFact = Fact & { readonly at?: number };

/** How a node ended, as its fact records it: its entry in a receipt, but for what that one fact does not say. */
export interface RecordedEnd extends Omit<SettledNode, 'kind' | 'ms'> {
  /** In milliseconds since 1970; null: the fact is not appended yet. */
  readonly at: number | null;
}

type EndField = Exclude<keyof RecordedEnd, 'node' | 'at'>;

/** The fields of an end, which its fact has under the same names. A new field of `SettledNode` does not compile until it is read here. */
const endFields: Readonly<Record<EndField, true>> = { outcome: true, effect: true, code: true, forced: true };

/** Returns the fields of an end that its fact has. A `tool_result` can have all of them. */
function endIn(fact: Pick<ToolResult, EndField>): Pick<RecordedEnd, EndField> {
  const fields = namesOf(endFields).map((name) => [name, fact[name]] as const);
  // Object.fromEntries() forgets the names of the keys
  return dropUndefined(Object.fromEntries(fields)) as Pick<RecordedEnd, EndField>;
}

/** Returns the end that a fact records; null: it records none. `continues` is no end: the call runs on. */
export function readEnd(fact: DatedFact): RecordedEnd | null {
  const { at = null } = fact;
  switch (fact.type) {
    case 'turn_ended':
      return { node: fact.turn, ...endIn(fact), at };
    case 'tool_result':
      return fact.outcome === 'continues' ? null : { node: fact.node, ...endIn(fact), at };
    case 'late_result':
      return { node: fact.node, ...endIn(fact), at };
    case 'input_settled':
      return fact.fate === 'cancelled' ? { node: fact.input, outcome: 'cancelled', effect: 'not_started', at } : null;
    default:
      return null;
  }
}
