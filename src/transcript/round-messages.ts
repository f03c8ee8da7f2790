// The messages of one model call: its text with its calls, then the result of each call.
//
// 1. A model call is one assistant message; after it stands exactly one tool message for each of its calls, in their order.
// 2. A call without a result gets the one that recovery would write: a crash changes nothing of what was rendered.
// 3. The calls of a request have Belay's own ids: a provider's may repeat.
import type { Message, MessageCall } from '../../machines/messages.ts';
import { type CallOutline, type Round, textOf } from './outline.ts';

const cutOffMark = '… [cut off here]';
const maxNameChars = 64; // the endpoints' limit for the name of a function

/** Returns the messages of a round; none if the model said nothing and called nothing. `textOfResult` gives what the model reads of a call. */
export function messagesOf(round: Round, textOfResult: (call: CallOutline) => string): Message[] {
  const { ended, calls } = round;
  const text = textOf(round);
  const isEmpty = text.trim() === ''; // some endpoints reject a message of blanks
  const content = isEmpty ? '' : `${text}${ended?.cutOff === false ? '' : cutOffMark}`;
  if (isEmpty && calls.length === 0) return [];
  return [
    { role: 'assistant', content, calls: calls.map(messageCallOf) },
    ...calls.map((call): Message => ({ role: 'tool', callId: call.fact.node, content: textOfResult(call) })),
  ];
}

function messageCallOf({ fact }: CallOutline): MessageCall {
  // an endpoint would reject this name in the history; the call was rejected for it as well, and its result says so
  const name = fact.name.replaceAll(/[^\w-]/g, '_').slice(0, maxNameChars) || '_';
  return { callId: fact.node, name, arguments: objectText(fact.arguments) };
}

/** The arguments as the JSON text of an object, whatever the model wrote. */
function objectText(written: string): string {
  try {
    const value: unknown = JSON.parse(written || '{}');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return written.toWellFormed() || '{}';
  } catch {
    // the model sees below what it wrote
  }
  return JSON.stringify({ malformed: written });
}
