// Reads a chat completion that came whole instead of as a stream: some endpoints and proxies ignore `stream: true`.
import { fieldsOf } from '../collections/untrusted-fields.ts';

/** Returns the chunk that contains the whole completion: its messages are deltas, and its calls have an index. */
export function chunkOf(completion: unknown): unknown {
  const { choices, ...fields } = fieldsOf(completion);
  if (!Array.isArray(choices) || choices.length === 0) return fields;
  return { ...fields, choices: choices.map(streamedChoice) };
}

function streamedChoice(choice: unknown): unknown {
  const { message, ...fields } = fieldsOf(choice);
  if (message === undefined) return choice;
  const { tool_calls: calls } = fieldsOf(message);
  const numbered = Array.isArray(calls)
    ? { tool_calls: calls.map((call, index) => ({ ...fieldsOf(call), index })) }
    : {};
  return { ...fields, delta: { ...fieldsOf(message), ...numbered } };
}
