// Reads the finish reason of a response: endpoints have words of their own for it.
import type { Finish } from '../../../../machines/vocabulary.ts';
import { ErrorResponse } from '../error-response.ts';

const finishByReason: ReadonlyMap<string, Finish> = new Map([
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['max_output_tokens', 'length'],
  ['model_length', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['content_filter', 'content_filter'],
  ['safety', 'content_filter'],
  ['recitation', 'content_filter'],
  ['blocklist', 'content_filter'],
  ['prohibited_content', 'content_filter'],
  ['spii', 'content_filter'],
  ['image_safety', 'content_filter'],
  ['sensitive', 'content_filter'],
  ['guardrail_intervened', 'content_filter'],
  ['refusal', 'refusal'],
]);

/** Returns the finish of a response. A reason that is not known is taken for `stop`: the response was whole. */
export const finishOf = (reason: string): Finish => finishByReason.get(reason.toLowerCase()) ?? 'stop';

/** Reasons of a response that the endpoint has given up. */
const brokenOff: ReadonlySet<string> = new Set([
  'error',
  'abort',
  'aborted',
  'cancelled',
  'network_error',
  'insufficient_system_resource',
]);
/** Reasons of a response in which the model has called a tool in a way that the endpoint could not read. */
const unreadable: ReadonlySet<string> = new Set(['malformed_function_call', 'unexpected_tool_call']);

/** Returns what to throw for a reason that says that the response failed; null: it did not. */
export function failureOfReason(reason: string): Error | null {
  const word = reason.toLowerCase();
  const message = `The endpoint ended its response with the finish reason ${JSON.stringify(reason)}.`;
  if (brokenOff.has(word)) return new ErrorResponse(null, new Headers(), { error: { message } });
  return unreadable.has(word) ? new Error(message) : null;
}
