// OpenAI's API: Chat Completions, and the list of models, which are the profiles that the speaker may use.
//
// 1. Without a session by its header each request is a session of its own, which begins with the messages of the request and is deleted when nothing happens in it.
// 2. Tools run inside. A request that is lost is a CANCEL of its turn.
import * as z from 'zod';
import type { ContentPart } from '../../../machines/content.ts';
import { SessionOptionsDiffer } from '../../core/runtime/session-opening.ts';
import type { Caller, SayReply } from '../../core/session/api.ts';
import type { BroughtMessage } from '../../core/transcript/imported.ts';
import { receiptText } from '../../core/words/receipt-words.ts';
import { keyHeader, sessionName } from '../../gateway/http/common-schemas.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';
import { type HttpCall, type HttpReply, type HttpRoute, route } from '../../gateway/http/route.ts';
import { commandProblems } from '../../gateway/http/route-problems.ts';
import { deleteWhenIdle } from '../door-turns/brief-sessions.ts';
import { DoorAnswer } from '../door-turns/door-answer.ts';
import { type DoorProfile, type DoorSettings, optionsOf, profilesFor } from '../door-turns/door-profiles.ts';
import { followDoorTurn } from '../door-turns/door-turn.ts';
import { chatUsageOf, finishReasonOf } from './chat-answer.ts';
import {
  assertSupported,
  type BroughtConversation,
  type ChatRequest,
  chatRequestSchema,
  conversationOf,
  type SaidPiece,
  turnOptionsOf,
} from './chat-request.ts';
import { ChatStream, type ChunkHead } from './chat-stream.ts';
import { openAIDoor, openAIError } from './openai-error.ts';

const sessionHeader = 'x-belay-session';
/** The official clients repeat a request that has failed, unless this header says no: the tools of a turn must not run again. */
const noRetry = { 'x-should-retry': 'false' };

const shared = { access: 'speaker', door: openAIDoor } as const;

/** Returns the routes of the door. */
export function createChatRoutes(settings: DoorSettings): readonly HttpRoute[] {
  return [
    route({
      ...shared,
      method: 'GET',
      path: '/v1/models',
      operation: 'listOpenAIModels',
      summary: 'Lists the profiles that the speaker may use, as models.',
      kind: 'request',
      replies: { 200: { description: 'The profiles.', schema: z.looseObject({ object: z.literal('list') }) } },
      handle: (_input, { caller }) => ({
        status: 200,
        body: { object: 'list', data: [...profilesFor(settings, caller.speaker.id).keys()].map(modelOf) },
      }),
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/v1/chat/completions',
      operation: 'createChatCompletion',
      summary: 'Says the last words of the user, and replies with the turn at its end, or with its text as it comes.',
      kind: 'stream',
      schemas: {
        headers: keyHeader.extend({ [sessionHeader]: z.string().max(1_024).optional() }),
        body: chatRequestSchema,
      },
      replies: {
        200: {
          description: 'The answer, or, with `stream`, its chunks.',
          schema: z.looseObject({ object: z.literal('chat.completion') }),
          isStreamToo: true,
        },
      },
      problems: [...commandProblems.say, ['unknown_model', 404], 'import_too_large', 'blob_too_large'],
      async handle({ headers, body }, call) {
        const profile = profilesFor(settings, call.caller.speaker.id).get(body.model);
        if (!profile)
          throw new HttpProblem('unknown_model', { field: 'model', status: 404, message: unknownModel(body.model) });
        assertSupported(body);
        const conversation = conversationOf(body);
        const named = sessionIn(headers[sessionHeader]);
        const session = named ?? call.services.ids('openai');
        const asked = {
          session,
          isBrief: named === undefined,
          ref: headers['idempotency-key'],
          profile,
          request: body,
        };
        try {
          return await replyTo(asked, conversation, settings, call);
        } finally {
          if (named === undefined) deleteWhenIdle(session, call.services);
        }
      },
    }),
  ];
}

/** Returns the name of the session, which is written as in an address; undefined: none is named. Throws an `HttpProblem`. */
function sessionIn(header: string | undefined): string | undefined {
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

const modelOf = (id: string) => ({ id, object: 'model', created: 0, owned_by: 'belay' });
const unknownModel = (model: string) =>
  `There is no profile ${JSON.stringify(model.slice(0, 64))} for this speaker. GET /v1/models lists those that there are.`;

interface Asked {
  readonly session: string;
  /** It is of this request alone. */
  readonly isBrief: boolean;
  readonly ref: string | undefined;
  readonly profile: DoorProfile;
  readonly request: ChatRequest;
}

async function replyTo(
  asked: Asked,
  conversation: BroughtConversation,
  settings: DoorSettings,
  call: HttpCall,
): Promise<HttpReply> {
  const { caller, services } = call;
  const { session, request, ref } = asked;
  await openSession(asked, caller, call);
  await importBefore(session, conversation, call);
  const content = await storePieces(session, conversation.said, call);
  const isText = content.every(({ type }) => type === 'text');
  const text = content.map((one) => (one.type === 'text' ? one.text : '')).join('\n\n');
  const reply = await services.runtime.say(session, caller, {
    text,
    ref,
    options: turnOptionsOf(request),
    ...(!isText && { parts: content }),
  });
  const head = {
    id: `chatcmpl-${services.ids('answer')}`,
    created: Math.floor(services.clock.now() / 1_000),
    model: request.model,
  };
  if (reply.type === 'turn_opened') return followTurn(reply, asked, head, settings, call);
  services.runtime.leave(session, caller.connection, 'left').catch(services.report);
  return sayWithoutTurn(reply, asked, head, call);
}

/** A session that is there keeps what it was opened with. */
async function openSession(
  { session, profile, request }: Asked,
  caller: Caller,
  { services: { runtime } }: HttpCall,
): Promise<void> {
  try {
    await runtime.open(session, caller, optionsOf(request.model, profile));
  } catch (error) {
    if (!(error instanceof SessionOptionsDiffer)) throw error;
    await runtime.open(session, caller);
  }
}

async function importBefore(session: string, { before }: BroughtConversation, call: HttpCall): Promise<void> {
  if (before.length === 0) return;
  const { caller, services } = call;
  const messages: BroughtMessage[] = [];
  for (const message of before)
    messages.push({ ...message, content: await storePieces(session, message.content, call) });
  const reply = await services.runtime.importMessages(session, caller, { messages });
  if (reply.type === 'imported' || reply.code === 'session_not_empty') return; // the session has its own history
  throw new HttpProblem(reply.code, { field: 'messages', limit: reply.limit });
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

async function followTurn(
  reply: Extract<SayReply, { type: 'turn_opened' }>,
  { session, profile, request }: Asked,
  head: ChunkHead,
  { onDisconnect, graceMs }: DoorSettings,
  call: HttpCall,
): Promise<HttpReply> {
  const { caller, services, response } = call;
  response.setHeader(sessionHeader, encodeURIComponent(session));
  const stream = request.stream === true ? new ChatStream(response, head, services.clock) : null;
  let text = '';
  const answer = new DoorAnswer(session, reply.turn, (piece) => {
    if (stream) return stream.text(piece);
    text += piece;
    return true;
  });
  const followed = { session, turn: reply.turn, openedAt: reply.seq ?? 1, after: 0, by: caller, onDisconnect, graceMs };
  if (!response.destroyed) stream?.start();
  const over = await followDoorTurn(followed, call, profile.onAsk, answer);
  if (over.how === 'gone') {
    stream?.stop();
    return null;
  }
  const failure = over.how === 'lost' ? over.problem : answer.failure;
  if (stream) return endStream(stream, answer, failure, request);
  if (failure)
    return {
      status: 502,
      body: { ...openAIError(502, failure.code, failure.message), belay: answer.belay },
      headers: noRetry,
    };
  return { status: 200, body: completionOf(head, text + answer.remarks, answer) };
}

function endStream(
  stream: ChatStream,
  answer: DoorAnswer,
  failure: { readonly code: string; readonly message: string } | null,
  { stream_options }: ChatRequest,
): null {
  if (failure) stream.event(openAIError(502, failure.code, failure.message));
  else {
    if (answer.remarks !== '') stream.delta({ content: answer.remarks });
    stream.delta({}, { belay: answer.belay }, finishReasonOf(answer.turnEnd));
    if (stream_options?.include_usage && answer.turnEnd) stream.usage(chatUsageOf(answer.turnEnd.usage));
  }
  stream.endStream();
  return null;
}

/** What an answer says beside its text. */
type AnswerEnd = Pick<DoorAnswer, 'turnEnd'> & { readonly belay: object };

const completionOf = (head: ChunkHead, content: string, answer: AnswerEnd) => ({
  ...head,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content, refusal: null },
      logprobs: null,
      finish_reason: finishReasonOf(answer.turnEnd),
    },
  ],
  ...(answer.turnEnd && { usage: chatUsageOf(answer.turnEnd.usage) }),
  belay: answer.belay,
});

/** Words that have opened no turn: they have stopped something, or go to a turn that runs. */
async function sayWithoutTurn(
  reply: Exclude<SayReply, { type: 'turn_opened' }>,
  { session, request }: Asked,
  head: ChunkHead,
  { services, response }: HttpCall,
): Promise<HttpReply> {
  if (reply.type === 'ref_reused') throw new HttpProblem('ref_reused', { field: 'idempotency-key' });
  if (reply.type === 'say_refused')
    throw new HttpProblem(reply.code, {
      message: reply.message,
      ...(reply.code === 'unknown_model' && { status: 404 }),
    });
  const receipt = reply.type === 'stop_phrase' ? await services.runtime.settled(session, reply.cancel) : null;
  const content = receipt ? `[${receiptText(receipt.nodes)}]` : '[The words go to the turn that runs.]';
  const belay = { session, ...reply, receipt };
  if (request.stream !== true) return { status: 200, body: completionOf(head, content, { turnEnd: null, belay }) };
  const stream = new ChatStream(response, head, services.clock);
  stream.start();
  stream.delta({ content });
  stream.delta({}, { belay }, 'stop');
  stream.endStream();
  return null;
}
