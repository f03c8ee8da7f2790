// Reads how a response of the Responses API ended: whole, cut by a limit or a filter, or by an error.
import type { Finish, Usage } from '../../../../machines/vocabulary.ts';
import { dropUndefined, fieldsOf, type UntrustedFields } from '../../../core/collections/fields.ts';
import { ErrorResponse } from '../error-response.ts';

/** Returns the error that an event or a response reports; null: none. */
export function failureIn(fields: UntrustedFields): Error | null {
  const { type, status, error } = fields;
  if (type === 'error') return errorOf(error ?? fields);
  if (type === 'response.failed') return errorOf(fieldsOf(fields['response'])['error']);
  if (status === 'failed' || status === 'cancelled') return errorOf(error);
  return null;
}

const errorOf = (error: unknown): Error =>
  new ErrorResponse(null, new Headers(), error ?? { message: 'The endpoint says that the response failed.' });

/** Returns why a response ended that is not failed. */
export function finishIn(
  { status, incomplete_details: details }: UntrustedFields,
  { hasRefused, hasCalls }: { readonly hasRefused: boolean; readonly hasCalls: boolean },
): Finish {
  if (status === 'incomplete') return fieldsOf(details)['reason'] === 'content_filter' ? 'content_filter' : 'length';
  if (hasRefused) return 'refusal';
  return hasCalls ? 'tool_calls' : 'stop';
}

/** Returns the usage of a response; null if it has none. */
export function usageIn({ usage }: UntrustedFields): Usage | null {
  const fields = fieldsOf(usage);
  const { input_tokens: input, output_tokens: output } = fields;
  if (typeof input !== 'number' || typeof output !== 'number') return null;
  const ofInput = fieldsOf(fields['input_tokens_details']);
  return {
    kind: 'exact',
    input,
    output,
    ...dropUndefined({
      cachedInput: countIn(ofInput['cached_tokens']),
      cacheWrite: countIn(ofInput['cache_write_tokens']),
      reasoning: countIn(fieldsOf(fields['output_tokens_details'])['reasoning_tokens']),
    }),
  };
}

const countIn = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
