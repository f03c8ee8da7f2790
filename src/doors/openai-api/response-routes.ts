// Responses: to make one, to read it again, and to cancel it.
//
// 1. A response is a turn. Without a session by its header, and without an earlier response, it has a session of its own, which stays unless `store` is false.
// 2. What goes on from an earlier response goes on in its session, or, where that has gone on since, in a fork of it.
// 3. A request that is lost is a CANCEL of its turn, unless it is in the background.
import * as z from 'zod';
import { forkProblem } from '../../gateway/command-replies.ts';
import { factFrame } from '../../gateway/event-frames.ts';
import { refusedStop } from '../../gateway/http/abort-routes.ts';
import { HttpProblem, problemOfRuntime } from '../../gateway/http/problems.ts';
import { type HttpCall, type HttpReply, type HttpRoute, route } from '../../gateway/http/route.ts';
import { commandProblems, openCodes } from '../../gateway/http/route-problems.ts';
import type { ServerFrame } from '../../wire/server-frames.ts';
import { deleteWhenIdle } from '../door-turns/brief-sessions.ts';
import { sayBrought, sayingProblems, textWithoutTurn } from '../door-turns/brought-words.ts';
import type { DoorProfile, DoorSettings } from '../door-turns/door-profiles.ts';
import { followDoorTurn, followInBackground } from '../door-turns/door-turn.ts';
import { openAIDoor } from './openai-error.ts';
import { profileOf, sayingHeaders, sessionHeader, sessionIn } from './openai-session.ts';
import { ResponseAnswer, type ResponseHead, unread } from './response-answer.ts';
import { type RespondedTurn, responseIdOf, turnOfResponse } from './response-id.ts';
import {
  assertResponseSupported,
  type ResponseRequest,
  responseConversationOf,
  responseOptionsOf,
  responseRequestSchema,
} from './response-request.ts';
import { ResponseStream } from './response-stream.ts';

/** Facts that are read at once. */
const pageSize = 500;

const replies = {
  200: {
    description: 'The response.',
    schema: z.looseObject({ object: z.literal('response'), id: z.string(), status: z.string() }),
  },
} as const;
const params = z.strictObject({ response: z.string().min(1).max(2_048) });
const shared = { access: 'speaker', door: openAIDoor } as const;

/** Returns the routes of Responses. */
export function createResponseRoutes(settings: DoorSettings): readonly HttpRoute[] {
  return [
    route({
      ...shared,
      method: 'POST',
      path: '/v1/responses',
      operation: 'createResponse',
      summary:
        'Says the last words of the user, and replies with the turn as a response: at its end, as it comes, or at once.',
      kind: 'stream',
      schemas: { headers: sayingHeaders, body: responseRequestSchema },
      replies: { 200: { ...replies[200], isStreamToo: true } },
      problems: [...sayingProblems, ...forkProblems, ['unknown_target', 404]],
      handle: ({ headers, body }, call) =>
        createResponse(body, sessionIn(headers[sessionHeader]), headers['idempotency-key'], settings, call),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/v1/responses/:response',
      operation: 'getResponse',
      summary: 'Reads a response again, as it is now.',
      kind: 'request',
      schemas: { params },
      replies,
      problems: [['unknown_target', 404], ...openCodes],
      handle: async ({ params: { response } }, call) => ({ status: 200, body: await readResponse(response, call) }),
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/v1/responses/:response/cancel',
      operation: 'cancelResponse',
      summary: 'Stops the turn of a response, and everything below it. Replies when all of it has settled.',
      kind: 'cancel',
      schemas: { params },
      replies,
      problems: [...commandProblems.cancel, ['unknown_target', 404], ...openCodes],
      handle: ({ params: { response } }, call) => cancelResponse(response, call),
    }),
  ];
}

const forkProblems = ['turn_not_forkable', 'fork_too_large', 'session_exists'] as const;

/** Where a response is made, and whether that session is its own. */
interface Place {
  readonly session: string;
  readonly isOwn: boolean;
}

async function createResponse(
  body: ResponseRequest,
  named: string | undefined,
  ref: string | undefined,
  settings: DoorSettings,
  call: HttpCall,
): Promise<HttpReply> {
  const { ids, clock } = call.services;
  const profile = profileOf(body.model, settings, call);
  assertResponseSupported(body);
  const conversation = responseConversationOf(body);
  const { session, isOwn } = await placeOf(body, named, call);
  const { previous_response_id = null, background, store, metadata, model } = body;
  try {
    const saying = { session, name: model, profile, conversation, field: 'input' };
    const details = { ref, refField: 'idempotency-key', options: responseOptionsOf(body) };
    const reply = await sayBrought({ ...saying, ...details }, call);
    const head = {
      created_at: inSeconds(clock.now()),
      model,
      previous_response_id,
      background: background === true,
      store: store !== false,
      metadata: metadata ?? {},
    };
    if (reply.type === 'turn_opened') {
      const turn = { session, turn: reply.turn, openedAt: reply.seq ?? 1, model };
      return await followTurn(
        turn,
        { id: responseIdOf(turn), ...head },
        { profile, settings, isStream: body.stream === true },
        call,
      );
    }
    const { text, receipt } = await textWithoutTurn(reply, session, call.services);
    const belay = { session, ...reply, receipt };
    return replyWithWords(text, belay, { id: `resp_${ids('answer')}`, ...head }, body.stream === true, call);
  } finally {
    if (isOwn && store === false) deleteWhenIdle(session, call.services);
  }
}

/** Returns where a request goes on. Rejects with an `HttpProblem`. */
async function placeOf(
  { previous_response_id: previous }: ResponseRequest,
  named: string | undefined,
  call: HttpCall,
): Promise<Place> {
  const { services, caller } = call;
  if (!previous) return { session: named ?? services.ids('openai'), isOwn: named === undefined };
  const before = await turnFor(previous, 'previous_response_id', call);
  if (named !== undefined && named !== before.session)
    throw new HttpProblem('bad_field', {
      field: 'previous_response_id',
      message: `That response is not in the session that ${sessionHeader} names.`,
    });
  if (!(await hasLaterTurn(before, call))) return { session: before.session, isOwn: false };
  const reply = await services.runtime.forkSession(before.session, caller, { turn: before.turn });
  if (reply.type === 'forked') return { session: reply.fork, isOwn: true };
  const { code, ...details } = forkProblem(reply);
  throw new HttpProblem(code, details);
}

/** Returns the turn of a response that the caller may read. Rejects with an `HttpProblem`. */
async function turnFor(id: string, field: string, { services, caller }: HttpCall): Promise<RespondedTurn> {
  const turn = turnOfResponse(id);
  const unknown = () =>
    new HttpProblem('unknown_target', { field, status: 404, message: 'There is no such response for this speaker.' });
  if (turn === null) throw unknown();
  try {
    await (await services.runtime.directory()).check('read', caller, turn.session);
  } catch (error) {
    const problem = problemOfRuntime(error);
    throw problem.code === 'access_denied' ? unknown() : problem;
  }
  return turn;
}

/** Reads the facts of a session from the opening of a turn on, until the reader has what it wants. */
async function readFrom(
  { session, openedAt }: RespondedTurn,
  { services, caller }: HttpCall,
  isEnough: (frame: ServerFrame) => boolean,
): Promise<void> {
  const directory = await services.runtime.directory();
  let after = openedAt - 1;
  for (;;) {
    const facts = await directory.readFacts(caller, session, { after, before: null, limit: pageSize });
    for (const event of facts) {
      const frame = factFrame(session, event);
      if (frame && isEnough(frame)) return;
    }
    const last = facts.at(-1);
    if (!last || facts.length < pageSize) return;
    after = last.seq;
  }
}

/** Whether something was said in the session since: what continues from an earlier response must not read it. */
async function hasLaterTurn(turn: RespondedTurn, call: HttpCall): Promise<boolean> {
  let isThere = false;
  await readFrom(turn, call, (frame) => {
    isThere = frame.type === 'turn_opened' && frame.kind === 'say' && frame.turn !== turn.turn;
    return isThere;
  });
  return isThere;
}

async function readResponse(id: string, call: HttpCall): Promise<object> {
  const turn = await turnFor(id, 'response', call);
  await call.services.runtime.open(turn.session, call.caller); // closes what a dead process has left open
  const kept = { previous_response_id: null, background: false, store: true, metadata: {} };
  const answer = new ResponseAnswer({ id, created_at: 0, model: turn.model, ...kept }, turn.session, turn.turn);
  let openedAtMs = 0;
  await readFrom(turn, call, (frame) => {
    if (frame.type === 'turn_opened' && frame.turn === turn.turn) openedAtMs = frame.at ?? 0;
    answer.onFrame(frame);
    return false;
  });
  return { ...answer.response, created_at: inSeconds(openedAtMs) };
}

async function cancelResponse(id: string, call: HttpCall): Promise<HttpReply> {
  const { session, turn } = await turnFor(id, 'response', call);
  const { runtime } = call.services;
  const reply = await runtime.cancel(session, call.caller, { target: turn, source: 'http' });
  if (reply.type === 'cancel_refused') throw refusedStop(reply.refusal);
  if (reply.type === 'cancel_accepted') await runtime.settled(session, reply.receipt.cancel);
  return { status: 200, body: await readResponse(id, call) }; // what had ended before is as it was
}

interface Following {
  readonly profile: DoorProfile;
  readonly settings: DoorSettings;
  readonly isStream: boolean;
}

async function followTurn(
  { session, turn, openedAt }: RespondedTurn,
  head: ResponseHead,
  { profile, settings, isStream }: Following,
  call: HttpCall,
): Promise<HttpReply> {
  const { caller, response } = call;
  response.setHeader(sessionHeader, encodeURIComponent(session));
  const { onDisconnect, graceMs } = head.background ? inBackground : settings;
  const followed = { session, turn, openedAt, after: 0, by: caller, onDisconnect, graceMs };
  if (head.background && !isStream) {
    followInBackground(followed, call, profile.onAsk);
    return { status: 200, body: new ResponseAnswer(head, session, turn).response };
  }
  const stream = isStream ? new ResponseStream(call) : null;
  const answer = new ResponseAnswer(head, session, turn, stream ?? unread);
  if (!response.destroyed) {
    stream?.start();
    answer.start();
  }
  const over = await followDoorTurn(followed, call, profile.onAsk, answer);
  if (over.how === 'gone') {
    stream?.stop();
    return null;
  }
  if (over.how === 'lost') answer.lose(over.problem);
  answer.sendEnd();
  if (!stream) return { status: 200, body: answer.response };
  stream.endStream();
  return null;
}

function replyWithWords(
  content: string,
  belay: object,
  head: ResponseHead,
  isStream: boolean,
  call: HttpCall,
): HttpReply {
  const stream = isStream ? new ResponseStream(call) : null;
  const answer = new ResponseAnswer(head, '', '', stream ?? unread);
  stream?.start();
  answer.start();
  answer.say(content, belay);
  answer.sendEnd();
  if (!stream) return { status: 200, body: answer.response };
  stream.endStream();
  return null;
}

const inBackground = { onDisconnect: 'continue', graceMs: 0 } as const;
const inSeconds = (ms: number): number => Math.floor(ms / 1_000);
