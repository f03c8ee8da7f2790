// The ids of an endpoint: gives the calls of a request those that it accepts, and reads what it says of a response.
//
// 1. A provider's own id goes back as it came, if it has the form that the endpoint asks for and no earlier call of the request has it.
// 2. Any other id is derived from Belay's own, so that it is the same in every later request.
import { createHash } from 'node:crypto';
import type { Message } from '../../../machines/messages.ts';
import type { UntrustedFields } from '../../core/collections/fields.ts';
import type { ResponseIdentity } from '../../core/contracts/provider.ts';
import type { ResolvedMessage } from './resolve-media.ts';

/** The forms of ids. OpenAI takes 40 characters at most. */
const forms = {
  any: /^[\w.:-]{1,40}$/,
  word: /^[\w-]{1,40}$/,
  nine: /^[a-zA-Z0-9]{9}$/,
} as const;
export type CallIdForm = keyof typeof forms;

/** Returns the id in the request for each of Belay's own. */
export function callIdsFor(
  messages: readonly (Message | ResolvedMessage)[],
  form: CallIdForm,
): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const { callId, givenId } of message.calls) {
      const own = [givenId, callId].find((id) => id !== undefined && forms[form].test(id) && !taken.has(id));
      const id = own ?? derivedId(callId, taken);
      taken.add(id);
      ids.set(callId, id);
    }
  }
  return ids;
}

/** Nine letters and digits, which every endpoint accepts. */
function derivedId(callId: string, taken: ReadonlySet<string>): string {
  for (let salt = 0; ; salt++) {
    const id = createHash('sha256').update(`${salt} ${callId}`).digest('hex').slice(0, 9);
    if (!taken.has(id)) return id;
  }
}

const maxIdentityChars = 256;

/** Returns the id of a response and the model that has made it, as far as they are texts, of at most 256 characters each. */
export function responseIdentity({ id, model }: UntrustedFields): ResponseIdentity {
  const [ownId, ownModel] = [id, model].map((value) =>
    typeof value === 'string' && value !== '' ? value.slice(0, maxIdentityChars) : undefined,
  );
  return { id: ownId, model: ownModel };
}
