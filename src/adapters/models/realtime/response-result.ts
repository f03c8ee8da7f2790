// Reading of the last event of a response: how it ended, and what it has used.
import type { MessageCall } from '../../../../machines/messages.ts';
import { type Finish, type Usage, unknownUsage } from '../../../../machines/vocabulary.ts';
import { dropUndefined } from '../../../core/collections/fields.ts';
import type { ModelEnd } from '../../../core/contracts/provider.ts';
import type { ResponseBody } from './realtime-events.ts';

/** A call of a response, as far as it has come. */
export interface MadeCall {
  readonly callId: string;
  readonly name: string;
  arguments: string;
  isWhole: boolean;
}

interface EndOfResponse {
  readonly end: ModelEnd;
  /** What the provider says of its failure; null: it has not failed. */
  readonly error: unknown;
}

/** Returns the end of a response that nobody has aborted. */
export function endOfResponse(
  { status, status_details: details }: ResponseBody,
  calls: readonly MessageCall[],
  usage: Usage,
): EndOfResponse {
  const end: ModelEnd = { kind: 'completed', finish: finishOf(details?.reason, calls), calls, usage };
  if (status === 'completed' || status === 'incomplete') return { end, error: null };
  const message = `The provider says that the response is ${status ?? 'over'}${details?.reason ? ` (${details.reason})` : ''}.`;
  return { end, error: { message, ...details?.error } };
}

function finishOf(reason: string | undefined, calls: readonly MessageCall[]): Finish {
  if (reason === 'max_output_tokens') return 'length';
  if (reason === 'content_filter') return 'content_filter';
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

/** Returns what a response has used. Sound is counted in tokens like text. */
export function usageOfResponse({ usage }: ResponseBody): Usage {
  const { input_tokens: input, output_tokens: output, input_token_details: details } = usage ?? {};
  if (input === undefined || output === undefined) return unknownUsage;
  return { kind: 'exact', input, output, ...dropUndefined({ cachedInput: details?.cached_tokens }) };
}
