// Reads what an endpoint says of a response: its id, and the model that has made it.
import type { UntrustedFields } from '../../core/collections/fields.ts';
import type { ResponseIdentity } from '../../core/contracts/provider.ts';

const maxChars = 256;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, maxChars) : undefined;

/** Returns the two as far as they are texts, of at most 256 characters each. */
export const responseIdentity = ({ id, model }: UntrustedFields): ResponseIdentity => ({
  id: textOf(id),
  model: textOf(model),
});
