// The routes of Chat Completions: a request says the last words of its user, and is replied to with the turn.
//
// 1. Without a session by its header each request is a session of its own, which begins with the messages of the request and is deleted when nothing happens in it.
// 2. Tools run inside. A request that is lost is a CANCEL of its turn.
import * as z from 'zod';
import type { SayReply } from '../../core/session/api.ts';
import { type HttpCall, type HttpReply, type HttpRoute, route } from '../../gateway/http/route.ts';
import { deleteWhenIdle } from '../door-turns/brief-sessions.ts';
import { sayBrought, sayingProblems, textWithoutTurn } from '../door-turns/brought-words.ts';
import { DoorAnswer } from '../door-turns/door-answer.ts';
import type { DoorProfile, DoorSettings } from '../door-turns/door-profiles.ts';
import { followDoorTurn } from '../door-turns/door-turn.ts';
import type { TurnFailure } from '../door-turns/turn-outcome.ts';
import { chatFinishOf, chatUsageOf } from './chat-answer.ts';
import {
  assertChatSupported,
  type ChatRequest,
  chatConversationOf,
  chatOptionsOf,
  chatRequestSchema,
} from './chat-request.ts';
import { ChatStream, type ChunkHead } from './chat-stream.ts';
import { openAIDoor, openAIError } from './openai-error.ts';
import { profileOf, sayingHeaders, sessionHeader, sessionIn } from './openai-session.ts';

/** The official clients repeat a request that has failed, unless this header says no: the tools of a turn must not run again. */
const noRetry = { 'x-should-retry': 'false' };

/** Returns the routes of Chat Completions. */
export function createChatRoutes(settings: DoorSettings): readonly HttpRoute[] {
  return [
    route({
      access: 'speaker',
      door: openAIDoor,
      method: 'POST',
      path: '/v1/chat/completions',
      operation: 'createChatCompletion',
      summary: 'Says the last words of the user, and replies with the turn at its end, or with its text as it comes.',
      kind: 'stream',
      schemas: { headers: sayingHeaders, body: chatRequestSchema },
      replies: {
        200: {
          description: 'The answer, or, with `stream`, its chunks.',
          schema: z.looseObject({ object: z.literal('chat.completion') }),
          isStreamToo: true,
        },
      },
      problems: sayingProblems,
      async handle({ headers, body }, call) {
        const profile = profileOf(body.model, settings, call);
        assertChatSupported(body);
        const conversation = chatConversationOf(body);
        const named = sessionIn(headers[sessionHeader]);
        const session = named ?? call.services.ids('openai');
        const saying = { session, name: body.model, profile, conversation, field: 'messages' };
        const details = { ref: headers['idempotency-key'], refField: 'idempotency-key', options: chatOptionsOf(body) };
        try {
          const reply = await sayBrought({ ...saying, ...details }, call);
          const head = {
            id: `chatcmpl-${call.services.ids('answer')}`,
            created: Math.floor(call.services.clock.now() / 1_000),
            model: body.model,
          };
          const asked = { session, profile, request: body };
          if (reply.type === 'turn_opened') return await followTurn(reply, asked, head, settings, call);
          const { text, receipt } = await textWithoutTurn(reply, session, call.services);
          return replyWithWords(text, { session, ...reply, receipt }, asked, head, call);
        } finally {
          if (named === undefined) deleteWhenIdle(session, call.services);
        }
      },
    }),
  ];
}

interface Asked {
  readonly session: string;
  readonly profile: DoorProfile;
  readonly request: ChatRequest;
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
  const failure = over.how === 'lost' ? over.problem : answer.summary.failure;
  if (stream) return endStream(stream, answer, failure, request);
  if (failure)
    return {
      status: 502,
      body: { ...openAIError(502, failure.code, failure.message), belay: answer.summary.belay },
      headers: noRetry,
    };
  return { status: 200, body: completionOf(head, text + answer.remarks, answer, answer.summary.belay) };
}

function endStream(
  stream: ChatStream,
  answer: DoorAnswer,
  failure: TurnFailure | null,
  { stream_options }: ChatRequest,
): null {
  const { turnEnd, belay } = answer.summary;
  if (failure) stream.event(openAIError(502, failure.code, failure.message));
  else {
    if (answer.remarks !== '') stream.delta({ content: answer.remarks });
    stream.delta({}, { belay }, chatFinishOf(turnEnd));
    if (stream_options?.include_usage && turnEnd) stream.usage(chatUsageOf(turnEnd.usage));
  }
  stream.endStream();
  return null;
}

/** @param answer Null: there was no turn. */
const completionOf = (head: ChunkHead, content: string, answer: DoorAnswer | null, belay: object) => ({
  ...head,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content, refusal: null },
      logprobs: null,
      finish_reason: chatFinishOf(answer?.summary.turnEnd ?? null),
    },
  ],
  ...(answer?.summary.turnEnd && { usage: chatUsageOf(answer.summary.turnEnd.usage) }),
  belay,
});

function replyWithWords(
  content: string,
  belay: object,
  { request }: Asked,
  head: ChunkHead,
  call: HttpCall,
): HttpReply {
  if (request.stream !== true) return { status: 200, body: completionOf(head, content, null, belay) };
  const stream = new ChatStream(call, head);
  stream.start();
  stream.delta({ content });
  stream.delta({}, { belay }, 'stop');
  stream.endStream();
  return null;
}
