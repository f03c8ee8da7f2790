// The UI message stream of the AI SDK, for `useChat`: what is said, what is answered, a stream that is resumed, and a stop.
//
// 1. A message of the assistant is a turn. Its stream ends when the turn has ended, or cannot go on before the client answers: the next request brings the answer, and goes on.
// 2. A request that is lost is a CANCEL of its turn, unless the configuration says otherwise; the stop route stops in any case, and replies when all has settled.
import * as z from 'zod';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { cancelTarget, type Stop } from '../../gateway/http/abort-routes.ts';
import { keyHeader, sessionParams } from '../../gateway/http/common-schemas.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';
import { type HttpCall, type HttpReply, type HttpRoute, route } from '../../gateway/http/route.ts';
import { commandProblems } from '../../gateway/http/route-problems.ts';
import { cancelSchema } from '../../wire/client-frames.ts';
import { sayBrought, sayingProblems, sessionNamed, textWithoutTurn } from '../door-turns/brought-words.ts';
import { type DoorProfile, type DoorSettings, profilesFor } from '../door-turns/door-profiles.ts';
import { giveAnswers, stopUnanswered } from '../door-turns/given-answers.ts';
import { activeTurnsOf, OpenedTurns, turnOfSpeaker } from '../door-turns/live-turns.ts';
import { conversationOfChat, type UIRequest, uiRequestSchema } from './ui-request.ts';
import { UIStream, uiStreamDoor } from './ui-stream.ts';

const shared = { access: 'speaker', door: uiStreamDoor } as const;
const stream = { 200: { description: 'The chunks of a message.', mediaType: 'text/event-stream' } } as const;
const problems = [...sayingProblems, ...commandProblems.answer] as const;

const stopSchema = z.strictObject({
  target: z.union([z.enum(['mine', 'session']), cancelSchema.shape.target]).optional(),
  reason: cancelSchema.shape.reason,
  force: cancelSchema.shape.force,
});

/** What the routes of the door share. */
interface Door {
  readonly settings: DoorSettings;
  readonly opened: OpenedTurns;
}

/** Returns the routes of the door. */
export function createUIRoutes(settings: DoorSettings): readonly HttpRoute[] {
  const door: Door = { settings, opened: new OpenedTurns(settings) };
  return [
    route({
      ...shared,
      method: 'POST',
      path: '/api/ui',
      operation: 'sendUIMessage',
      summary: 'Says or answers in the session that `id` names, and replies with the chunks of the turn.',
      kind: 'stream',
      schemas: { headers: keyHeader, body: uiRequestSchema },
      replies: stream,
      problems,
      handle: ({ headers, body }, call) =>
        replyTo({ session: sessionNamed(body.id, 'id'), ref: headers['idempotency-key'], request: body }, door, call),
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/api/ui/:session',
      operation: 'sendUIMessageTo',
      summary: 'Says or answers in a session, and replies with the chunks of the turn.',
      kind: 'stream',
      schemas: { params: sessionParams, headers: keyHeader, body: uiRequestSchema },
      replies: stream,
      problems,
      handle: ({ params: { session }, headers, body }, call) =>
        replyTo({ session, ref: headers['idempotency-key'], request: body }, door, call),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/api/ui/:session/stream',
      operation: 'resumeUIStream',
      summary: 'Replies with the chunks of the turn of the speaker that runs, from its first one.',
      kind: 'stream',
      schemas: { params: sessionParams },
      replies: { ...stream, 204: { description: 'No turn of the speaker runs.' } },
      problems: ['unknown_target'],
      async handle({ params: { session } }, call) {
        const running = turnOfSpeaker(await activeTurnsOf(session, call), call);
        if (!running) return { status: 204 };
        return followTurn({ session, turn: running.turn, after: 0, onAsk: 'ask' }, door, call);
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/api/ui/:session/stop',
      operation: 'stopUIStream',
      summary: 'Stops what is the speaker’s in a session, and replies with the receipt when all of it has settled.',
      kind: 'cancel',
      schemas: { params: sessionParams, headers: keyHeader, body: stopSchema },
      replies: {
        200: {
          description: 'All of it has settled: the receipt; null: nothing ran.',
          schema: z.object({ session: z.string(), receipt: z.looseObject({}).nullable() }),
        },
      },
      problems: commandProblems.cancel,
      async handle({ params: { session }, headers, body: { target = 'mine', ...body } }, call) {
        await (await call.services.runtime.directory()).check('cancel', call.caller, session);
        return stop({ target, session, body, query: { wait: 'settled' }, headers }, call);
      },
    }),
  ];
}

interface Asked {
  readonly session: string;
  readonly ref: string | undefined;
  readonly request: UIRequest;
}

async function replyTo({ session, ref, request }: Asked, door: Door, call: HttpCall): Promise<HttpReply> {
  const [name, profile] = profileOf(request, door.settings, call);
  const conversation = conversationOfChat(request);
  const { shown, answers, said } = conversation;
  if (shown) await giveAnswers(session, answers, call);
  if (shown?.isWaiting && said.length > 0) await stopUnanswered(session, shown.turn, call);
  if (said.length === 0 && shown)
    return followTurn({ session, turn: shown.turn, after: shown.seq, onAsk: profile.onAsk }, door, call);
  const saying = { session, name, profile, conversation, field: 'messages' };
  const reply = await sayBrought({ ...saying, ref, refField: 'idempotency-key' }, call);
  if (reply.type === 'turn_opened') {
    door.opened.add(reply.turn, call);
    return followTurn({ session, turn: reply.turn, after: 0, onAsk: profile.onAsk }, door, call, reply.seq);
  }
  const { text, receipt } = await textWithoutTurn(reply, session, call.services);
  const messages = new UIStream(session, call);
  if (reply.type === 'input_deferred') {
    messages.start(reply.turn);
    messages.sayInstead(text, { type: 'data-deferred', data: reply });
    return null;
  }
  messages.start(reply.cancel);
  messages.sayInstead(text, { type: 'data-receipt', id: reply.cancel, data: receipt ?? reply });
  return null;
}

/** Returns the profile that the request names, or the first one of the speaker, with its name. */
function profileOf(request: UIRequest, settings: DoorSettings, { caller }: HttpCall): readonly [string, DoorProfile] {
  const profiles = profilesFor(settings, caller.speaker.id);
  const [first] = profiles.keys();
  const name = request.profile ?? first ?? '';
  const profile = profiles.get(name);
  if (profile) return [name, profile];
  const message = `There is no profile ${JSON.stringify(name)} for this speaker.`;
  throw new HttpProblem('unknown_model', { field: 'profile', status: 404, message });
}

interface Followed {
  readonly session: string;
  readonly turn: NodeId;
  readonly after: number;
  readonly onAsk: DoorProfile['onAsk'];
}

/** @param openedAt The sequence number of the opening of the turn. Left out: it is looked up. */
async function followTurn(
  { session, turn, after, onAsk }: Followed,
  { opened }: Door,
  call: HttpCall,
  openedAt?: number,
): Promise<HttpReply> {
  const followed = { session, turn, openedAt };
  await opened.follow(followed, call, (following) => new UIStream(session, call).follow(following, after, onAsk));
  return null;
}

async function stop(asked: Stop, call: HttpCall): Promise<HttpReply> {
  const { session } = asked;
  try {
    const reply = await cancelTarget(asked, call.caller, call);
    return reply && { status: 200, body: { session, receipt: reply.body } };
  } catch (error) {
    if (error instanceof HttpProblem && error.code === 'already_settled')
      return { status: 200, body: { session, receipt: null } };
    throw error;
  }
}
