// The session that a request of OpenAI's API says something in: named by a header, or its own; and its profile, which the API calls a model.
import type { ContentPart } from '../../../machines/content.ts';
import type { TurnOptions } from '../../../machines/model-options.ts';
import { SessionOptionsDiffer } from '../../core/runtime/session-opening.ts';
import type { SayReply } from '../../core/session/api.ts';
import type { BroughtMessage } from '../../core/transcript/imported.ts';
import { receiptText } from '../../core/words/receipt-words.ts';
import { sessionName } from '../../gateway/http/common-schemas.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';
import type { HttpCall } from '../../gateway/http/route.ts';
import { type DoorProfile, type DoorSettings, optionsOf, profilesFor } from '../door-turns/door-profiles.ts';
import type { BroughtConversation, SaidPiece } from './said-messages.ts';

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
  const { session, conversation, ref, options } = saying;
  await openSession(saying, call);
  await importBefore(saying, call);
  const content = await storePieces(session, conversation.said, call);
  const isText = content.every(({ type }) => type === 'text');
  const text = content.map((one) => (one.type === 'text' ? one.text : '')).join('\n\n');
  const reply = await services.runtime.say(session, caller, { text, ref, options, ...(!isText && { parts: content }) });
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

/** A session that is there keeps what it was opened with. */
async function openSession(
  { session, model, profile }: Saying,
  { caller, services: { runtime } }: HttpCall,
): Promise<void> {
  try {
    await runtime.open(session, caller, optionsOf(model, profile));
  } catch (error) {
    if (!(error instanceof SessionOptionsDiffer)) throw error;
    await runtime.open(session, caller);
  }
}

async function importBefore({ session, conversation: { before }, field }: Saying, call: HttpCall): Promise<void> {
  if (before.length === 0) return;
  const { caller, services } = call;
  const messages: BroughtMessage[] = [];
  for (const message of before)
    messages.push({ ...message, content: await storePieces(session, message.content, call) });
  const reply = await services.runtime.importMessages(session, caller, { messages });
  if (reply.type === 'imported' || reply.code === 'session_not_empty') return; // the session has its own history
  throw new HttpProblem(reply.code, { field, limit: reply.limit });
}

async function storePieces(
  session: string,
  pieces: readonly SaidPiece[],
  { services }: HttpCall,
): Promise<readonly ContentPart[]> {
  const images = pieces.filter((piece) => piece.type === 'image');
  const blobs =
    images.length > 0
      ? await services.runtime.storeBlobs(
          session,
          images.map(({ data }) => data),
        )
      : [];
  const named = new Map(images.map((image, i) => [image, blobs[i] ?? '']));
  return pieces.map((piece): ContentPart => {
    if (piece.type === 'text') return piece;
    return { type: 'image', blob: named.get(piece) ?? '', mediaType: piece.mediaType, bytes: piece.data.length };
  });
}
