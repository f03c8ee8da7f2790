// The reason of a CANCEL in the words that an MCP server receives.
import type { Cause } from '../../../machines/vocabulary.ts';
import { fieldsOf } from '../../core/collections/untrusted-fields.ts';
import { truncate } from '../../core/text/bound-text.ts';

const maxChars = 500;

/** Returns the words of whoever stopped the call, or else what stopped it. `cause`: the reason of the call's signal. */
export function cancelReason(cause: unknown): string {
  const { reason, source }: { readonly [Field in keyof Cause]?: unknown } = fieldsOf(cause);
  if (typeof reason === 'string' && reason !== '') return truncate(reason, maxChars);
  return typeof source === 'string' ? `the call was stopped: ${source}` : 'the call was stopped';
}
