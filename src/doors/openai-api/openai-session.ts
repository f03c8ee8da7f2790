// The session that a request of OpenAI's API says something in: named by a header, or its own; and its profile, which the API calls a model.
import type { TurnOptions } from '../../../machines/model-options.ts';
import type { SayReply } from '../../core/session/api.ts';
import { receiptText } from '../../core/words/receipt-words.ts';
import { sessionName } from '../../gateway/http/common-schemas.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';
import type { HttpCall } from '../../gateway/http/route.ts';
import { type BroughtConversation, importBefore, openSession, storeWords } from '../door-turns/brought-words.ts';
import { type DoorProfile, type DoorSettings, profilesFor } from '../door-turns/door-profiles.ts';

export const sessionHeader = 'x-belay-session';

/** Returns the name of the session, which is written as in an address; undefined: none is named. Throws an `HttpProblem`. */
export function sessionIn(header: string | undefined): string | undefined {
  if (header === undefined) return;
  let named = '';
  try {
    named = decodeURIComponent(header);
  } catch {} // it has a % without two hexadecimal digits of UTF-8
  const parsed = sessionName.safeParse(named);
  if (parsed.success) return parsed.data;
  throw new HttpProblem('bad_field', {
    field: sessionHeader,
    message: `The header ${sessionHeader} names no session.`,
  });
}

/** Returns the profile that a request names as its model. Throws an `HttpProblem` if there is none for this speaker. */
export function profileOf(model: string, settings: DoorSettings, { caller }: HttpCall): DoorProfile {
  const profile = profilesFor(settings, caller.speaker.id).get(model);
  if (profile) return profile;
  throw new HttpProblem('unknown_model', {
    field: 'model',
    status: 404,
    message: `There is no profile ${JSON.stringify(model.slice(0, 64))} for this speaker. GET /v1/models lists those that there are.`,
  });
}

/** What is to be said, in which session, and how. */
export interface Saying {
  readonly session: string;
  /** The name of the profile. */
  readonly model: string;
  readonly profile: DoorProfile;
  readonly conversation: BroughtConversation;
  /** The field of the request that has the conversation. */
  readonly field: string;
  readonly ref: string | undefined;
  readonly options: TurnOptions | undefined;
}

/** Opens the session, begins it with the conversation if it is empty, and says the words. Rejects with an `HttpProblem` if a conversation cannot be taken. */
export async function sayInSession(saying: Saying, call: HttpCall): Promise<SayReply> {
  const { caller, services } = call;
  const { session, model, profile, conversation, field, ref, options } = saying;
  await openSession(session, model, profile, call);
  await importBefore(session, conversation, call, field);
  const content = await storeWords(session, conversation, call);
  const reply = await services.runtime.say(session, caller, { ...content, ref, options });
  if (reply.type !== 'turn_opened') services.runtime.leave(session, caller.connection, 'left').catch(services.report);
  if (reply.type === 'ref_reused') throw new HttpProblem('ref_reused', { field: 'idempotency-key' });
  if (reply.type === 'say_refused')
    throw new HttpProblem(reply.code, {
      message: reply.message,
      ...(reply.code === 'unknown_model' && { status: 404 }),
    });
  return reply;
}

/** Says what became of words that have opened no turn: they have stopped something, or go to a turn that runs. */
export async function wordsWithoutTurn(
  reply: SayReply,
  session: string,
  { services }: HttpCall,
): Promise<{ readonly content: string; readonly belay: object }> {
  const receipt = reply.type === 'stop_phrase' ? await services.runtime.settled(session, reply.cancel) : null;
  const content = receipt ? `[${receiptText(receipt.nodes)}]` : '[The words go to the turn that runs.]';
  return { content, belay: { session, ...reply, receipt } };
}
