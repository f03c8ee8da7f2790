// The words that a request brings, with the bytes of images in them, and the conversation before them.
import type { ContentPart } from '../../../machines/content.ts';
import type { CancelSettled } from '../../../machines/facts.ts';
import type { TurnOptions } from '../../../machines/model-options.ts';
import { SessionOptionsDiffer } from '../../core/runtime/session-opening.ts';
import type { Caller, SayReply, SayRequest } from '../../core/session/api.ts';
import type { BroughtCall, BroughtMessage } from '../../core/transcript/imported.ts';
import { receiptText } from '../../core/words/receipt-words.ts';
import { sessionName } from '../../gateway/http/common-schemas.ts';
import type { HttpServices } from '../../gateway/http/http-services.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';
import { commandProblems } from '../../gateway/http/route-problems.ts';
import { type DoorProfile, optionsOf } from './door-profiles.ts';

/** A piece of what was said: a text, or the bytes of an image. */
export type SaidPiece =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly data: Uint8Array };

export type SaidMessage =
  | { readonly role: 'user' | 'tool'; readonly content: readonly SaidPiece[] }
  | { readonly role: 'assistant'; readonly content: readonly SaidPiece[]; readonly calls: readonly BroughtCall[] };

/** What a request says: the words of now, and the conversation before them. */
export interface BroughtConversation {
  readonly before: readonly SaidMessage[];
  readonly said: readonly SaidPiece[];
}

const dataUrl = /^data:(image\/[a-z0-9.+-]+);base64,([A-Za-z0-9+/]*={0,2})$/i;

/** Returns the image of a `data:` URL. Throws an `HttpProblem` for any other address. @param field Of the request, which has it. */
export function imageOfUrl(url: string, field: string): SaidPiece {
  const [, mediaType, base64] = dataUrl.exec(url) ?? [];
  if (mediaType === undefined || base64 === undefined)
    throw new HttpProblem('bad_field', {
      field,
      message: 'An image must be sent as a data: URL with base64: the gateway fetches no addresses.',
    });
  return { type: 'image', mediaType: mediaType.toLowerCase(), data: new Uint8Array(Buffer.from(base64, 'base64')) };
}

/** Whether there is nothing in it that could be said. */
export const isBlank = (pieces: readonly SaidPiece[]): boolean =>
  pieces.every((piece) => piece.type === 'text' && piece.text.trim() === '');

/** Returns the conversation of messages: what the user says last is said. Throws an `HttpProblem` if that is nothing. */
export function splitConversation(all: readonly SaidMessage[], field: string): BroughtConversation {
  const start = all.findLastIndex(({ role }) => role !== 'user') + 1;
  const said = all.slice(start).flatMap(({ content }) => content);
  if (isBlank(said))
    throw new HttpProblem('bad_field', {
      field,
      message: `The last of the field "${field}" must be words of the user.`,
    });
  return { before: all.slice(0, start), said };
}

/** Who says something, and where. */
export interface DoorRequest {
  readonly caller: Caller;
  readonly services: Pick<HttpServices, 'runtime' | 'report'>;
}

/** What is to be said, in which session, and how. */
export interface Saying {
  readonly session: string;
  /** The name of the profile. */
  readonly name: string;
  readonly profile: DoorProfile;
  readonly conversation: BroughtConversation;
  /** The field of the request that has the conversation. */
  readonly field: string;
  readonly ref: string | undefined;
  /** The field of the request that has the ref. */
  readonly refField: string;
  readonly options?: TurnOptions | undefined;
}

/** The problems of a request that says something. */
export const sayingProblems = [
  ...commandProblems.say,
  ['unknown_model', 404],
  'import_too_large',
  'blob_too_large',
] as const;

/** The reply to words that were accepted. */
export type TakenWords = Exclude<SayReply, { readonly type: 'ref_reused' | 'say_refused' }>;

/** Opens the session, imports the conversation if the session is empty, and says the words. Rejects with an `HttpProblem` if something of it is not accepted. */
export async function sayBrought(saying: Saying, request: DoorRequest): Promise<TakenWords> {
  const { caller, services } = request;
  const { session, name, profile, conversation, field, ref, refField, options } = saying;
  await openSession(session, name, profile, request);
  await importBefore(session, conversation, request, field);
  const content = await storeWords(session, conversation, request);
  const reply = await services.runtime.say(session, caller, { ...content, ref, options });
  if (reply.type !== 'turn_opened') services.runtime.leave(session, caller.connection, 'left').catch(services.report);
  if (reply.type === 'ref_reused') throw new HttpProblem('ref_reused', { field: refField });
  if (reply.type === 'say_refused')
    throw new HttpProblem(reply.code, {
      message: reply.message,
      ...(reply.code === 'unknown_model' && { status: 404 }),
    });
  return reply;
}

/** Says what became of words that have opened no turn: they have stopped something, or go to a turn that runs. `receipt`: of what they have stopped. */
export async function textWithoutTurn(
  reply: Extract<TakenWords, { readonly type: 'stop_phrase' | 'input_deferred' }>,
  session: string,
  { runtime }: Pick<HttpServices, 'runtime'>,
): Promise<{ readonly text: string; readonly receipt: CancelSettled | null }> {
  if (reply.type === 'input_deferred') return { text: '[The words go to the turn that runs.]', receipt: null };
  const receipt = await runtime.settled(session, reply.cancel);
  return { text: `[${receipt ? receiptText(receipt.nodes) : 'nothing ran'}]`, receipt };
}

/** Returns a session that a field of a request names. Throws an `HttpProblem`. */
export function sessionNamed(value: string | undefined, field: string): string {
  const parsed = sessionName.safeParse(value);
  if (parsed.success) return parsed.data;
  const code = value === undefined ? 'missing_field' : 'bad_field';
  throw new HttpProblem(code, { field, message: `The field "${field}" must be the name of a session.` });
}

/** Opens the session of a request. One that is there keeps what it was opened with. */
export async function openSession(
  session: string,
  name: string,
  profile: DoorProfile,
  { caller, services: { runtime } }: DoorRequest,
): Promise<void> {
  try {
    await runtime.open(session, caller, optionsOf(name, profile));
  } catch (error) {
    if (!(error instanceof SessionOptionsDiffer)) throw error;
    await runtime.open(session, caller);
  }
}

/** Begins a session with a conversation, if it is empty: one that is not has its own history. */
async function importBefore(
  session: string,
  { before }: Pick<BroughtConversation, 'before'>,
  call: DoorRequest,
  field: string,
): Promise<void> {
  if (before.length === 0) return;
  const { caller, services } = call;
  const messages: BroughtMessage[] = [];
  for (const message of before)
    messages.push({ ...message, content: await storePieces(session, message.content, call) });
  const reply = await services.runtime.importMessages(session, caller, { messages });
  if (reply.type === 'imported' || reply.code === 'session_not_empty') return;
  throw new HttpProblem(reply.code, { field, limit: reply.limit });
}

/** Stores the images of what is said. Resolves with the words and parts of a SAY. */
async function storeWords(
  session: string,
  { said }: Pick<BroughtConversation, 'said'>,
  call: DoorRequest,
): Promise<Pick<SayRequest, 'text' | 'parts'>> {
  const content = await storePieces(session, said, call);
  const text = content.map((one) => (one.type === 'text' ? one.text : '')).join('\n\n');
  return content.every(({ type }) => type === 'text') ? { text } : { text, parts: content };
}

async function storePieces(
  session: string,
  pieces: readonly SaidPiece[],
  { services }: DoorRequest,
): Promise<readonly ContentPart[]> {
  const images = pieces.filter((piece) => piece.type === 'image');
  const contents = images.map(({ data }) => data);
  const blobs = images.length > 0 ? await services.runtime.storeBlobs(session, contents) : [];
  const named = new Map(images.map((image, i) => [image, blobs[i] ?? '']));
  return pieces.map((piece): ContentPart => {
    if (piece.type === 'text') return piece;
    return { type: 'image', blob: named.get(piece) ?? '', mediaType: piece.mediaType, bytes: piece.data.length };
  });
}
