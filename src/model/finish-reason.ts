// Reads the finish reason of a response: endpoints have words of their own for it.
import type { Finish } from '../../machines/vocabulary.ts';

const finishByReason: ReadonlyMap<string, Finish> = new Map([
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['max_output_tokens', 'length'],
  ['model_length', 'length'],
  ['content_filter', 'content_filter'],
  ['safety', 'content_filter'],
  ['refusal', 'refusal'],
]);

/** Returns the finish of a response. A reason that is not known is taken for `stop`: the response was whole. */
export const finishOf = (reason: string): Finish => finishByReason.get(reason.toLowerCase()) ?? 'stop';
