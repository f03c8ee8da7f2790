// OpenAI's API: Chat Completions, and the list of models, which are the profiles that the speaker may use.
//
// 1. Without a session by its header each request is a session of its own, which begins with the messages of the request and is deleted when nothing happens in it.
// 2. Tools run inside. A request that is lost is a CANCEL of its turn.
import * as z from 'zod';
import type { SayReply } from '../../core/session/api.ts';
import { receiptText } from '../../core/words/receipt-words.ts';
import { keyHeader, sessionName } from '../../gateway/http/common-schemas.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';
import { type HttpCall, type HttpReply, type HttpRoute, route } from '../../gateway/http/route.ts';
import { commandProblems } from '../../gateway/http/route-problems.ts';
import { deleteWhenIdle } from '../door-turns/brief-sessions.ts';
import { type BroughtConversation, importBefore, openSession, storeWords } from '../door-turns/brought-words.ts';
import { type DoorProfile, type DoorSettings, profilesFor } from '../door-turns/door-profiles.ts';
import { followDoorTurn } from '../door-turns/door-turn.ts';
import { ChatAnswer, chatUsageOf } from './chat-answer.ts';
import { assertSupported, type ChatRequest, chatRequestSchema, conversationOf, turnOptionsOf } from './chat-request.ts';
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
  await openSession(session, request.model, asked.profile, call);
  await importBefore(session, conversation, call);
  const content = await storeWords(session, conversation, call);
  const reply = await services.runtime.say(session, caller, { ...content, ref, options: turnOptionsOf(request) });
  const head = {
    id: `chatcmpl-${services.ids('answer')}`,
    created: Math.floor(services.clock.now() / 1_000),
    model: request.model,
  };
  if (reply.type === 'turn_opened') return followTurn(reply, asked, head, settings, call);
  services.runtime.leave(session, caller.connection, 'left').catch(services.report);
  return sayWithoutTurn(reply, asked, head, call);
}

async function followTurn(
  reply: Extract<SayReply, { type: 'turn_opened' }>,
  { session, profile, request }: Asked,
  head: ChunkHead,
  { onDisconnect, graceMs }: DoorSettings,
  call: HttpCall,
): Promise<HttpReply> {
  const { caller, response } = call;
  response.setHeader(sessionHeader, encodeURIComponent(session));
  const stream = request.stream === true ? new ChatStream(call, head) : null;
  let text = '';
  const answer = new ChatAnswer(session, reply.turn, (piece) => {
    if (stream) return stream.text(piece);
    text += piece;
    return true;
  });
  const followed = { session, turn: reply.turn, openedAt: reply.seq ?? 1, after: 0, by: caller, onDisconnect, graceMs };
  stream?.start();
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
  answer: ChatAnswer,
  failure: { readonly code: string; readonly message: string } | null,
  { stream_options }: ChatRequest,
): null {
  if (failure) stream.event(openAIError(502, failure.code, failure.message));
  else {
    if (answer.remarks !== '') stream.delta({ content: answer.remarks });
    stream.delta({}, { belay: answer.belay }, answer.finishReason);
    if (stream_options?.include_usage && answer.turnEnd) stream.usage(chatUsageOf(answer.turnEnd.usage));
  }
  stream.endStream();
  return null;
}

/** What an answer says beside its text. */
type AnswerEnd = Pick<ChatAnswer, 'finishReason' | 'turnEnd'> & { readonly belay: object };

const completionOf = (head: ChunkHead, content: string, answer: AnswerEnd) => ({
  ...head,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content, refusal: null },
      logprobs: null,
      finish_reason: answer.finishReason,
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
  call: HttpCall,
): Promise<HttpReply> {
  const { services } = call;
  if (reply.type === 'ref_reused') throw new HttpProblem('ref_reused', { field: 'idempotency-key' });
  if (reply.type === 'say_refused')
    throw new HttpProblem(reply.code, {
      message: reply.message,
      ...(reply.code === 'unknown_model' && { status: 404 }),
    });
  const receipt = reply.type === 'stop_phrase' ? await services.runtime.settled(session, reply.cancel) : null;
  const content = receipt ? `[${receiptText(receipt.nodes)}]` : '[The words go to the turn that runs.]';
  const belay = { session, ...reply, receipt };
  if (request.stream !== true)
    return { status: 200, body: completionOf(head, content, { finishReason: 'stop', turnEnd: null, belay }) };
  const stream = new ChatStream(call, head);
  stream.start();
  stream.delta({ content });
  stream.delta({}, { belay }, 'stop');
  stream.endStream();
  return null;
}
