// Counts how often a turn makes the same call with the same arguments.

import type { RecordedFact } from '../../../machines/facts.ts';
import type { MessageCall } from '../../../machines/messages.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';

import { againstCall, type CallReading } from './call-reading.ts';
import { parseCallArguments } from './parse-call.ts';

/** Returns a function that counts a call and denies it past the limit, however the earlier ones ended; null: it may run. */
export function countRepeats(
  facts: readonly RecordedFact[],
  turn: NodeId,
  repeatsPerTurn: number,
): (call: MessageCall) => CallReading | null {
  const counts = new Map<string, number>();
  const count = (call: Pick<MessageCall, 'name' | 'arguments'>) => {
    const key = callKey(call);
    const times = (counts.get(key) ?? 0) + 1;
    counts.set(key, times);
    return times;
  };
  for (const fact of facts)
    if (fact.type === 'tool_call' && fact.turn === turn && fact.ranBy === undefined) count(fact);
  return (call) => {
    if (count(call) <= repeatsPerTurn) return null;
    const message = `${call.name} has been called ${repeatsPerTurn} times with these arguments in this turn. Try something else, or say what is in the way.`;
    return againstCall('loop_limit', message, 'denied');
  };
}

/** Returns a text that is the same for calls of the same tool with the same arguments. */
export const callKey = ({ name, arguments: text }: Pick<MessageCall, 'name' | 'arguments'>): string =>
  `${name} ${canonicalArguments(text)}`;

/** Order of the keys, spacing, and hints for the runtime make no difference. */
function canonicalArguments(text: string): string {
  const sortKeys = (_: string, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  try {
    return JSON.stringify(parseCallArguments(text).value, sortKeys);
  } catch {
    return text;
  }
}
