// The result of a call as a text: its output, or how it has ended without being complete.
import { capitalize } from '../../core/words/capitalize.ts';
import { endingText } from '../../core/words/receipt-words.ts';
import type { ServerFrameOf } from '../../wire/server-frames.ts';

/** Returns what a reader of a call's result reads. */
export function callResultText(result: ServerFrameOf<'tool_result'>): string {
  const { outcome, code, message, output = '' } = result;
  if (outcome === 'completed') return output;
  const why = message === undefined ? '' : `: ${message}`;
  const named = code === undefined ? '' : ` (${code})`;
  const words = capitalize(endingText({ ...result, why: `${why}${named}` }));
  return output === '' ? words : `${words}\n${output}`;
}
