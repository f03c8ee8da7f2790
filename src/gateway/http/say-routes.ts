// The routes that open turns, or give words to one that runs: say, steer, resume.
import * as z from 'zod';
import type { Caller, ResumeReply, SayReply } from '../../core/session/api.ts';
import { resumeSchema, saySchema, steerSchema } from '../../wire/client-frames.ts';
import { resumeRequestOf, sayRequestOf } from '../say-frames.ts';
import { keyHeader, nodeParams, sessionName, sessionParams } from './common-schemas.ts';
import { sequenceNumber } from './event-routes.ts';
import { type DisconnectRule, followTurn } from './follow-turn.ts';
import { HttpProblem } from './problems.ts';
import { type HttpCall, type HttpReply, type ReplyDeclaration, route } from './route.ts';
import { commandProblems } from './route-problems.ts';
import { commandCaller } from './speaker-of-command.ts';
import { turnAnswerSchema } from './turn-answer.ts';

const maxGraceMs = 600_000;

const disconnectFields = {
  /** The fate of the turn when the client disconnects. Default: `cancel`. */
  onDisconnect: z.enum(['cancel', 'continue']).optional(),
  /** The time for a client to come back, in milliseconds. Default: 0. */
  graceMs: z.int().min(0).max(maxGraceMs).optional(),
};
const headers = keyHeader.extend({ 'last-event-id': sequenceNumber.optional() });
const replies: Readonly<Record<number, ReplyDeclaration>> = {
  200: {
    description:
      'The turn at its end; or, with Accept: text/event-stream, its events. Words that are a stop phrase open none: then what they stopped.',
    schema: z.union([turnAnswerSchema, z.looseObject({ type: z.literal('stop_phrase'), cancel: z.string() })]),
    isStreamToo: true,
  },
  202: {
    description: 'The words wait for the next model call of a turn that runs.',
    schema: z.looseObject({ type: z.literal('input_deferred'), input: z.string(), turn: z.string() }),
  },
};

/** A turn that was asked for: how to follow it, and what the reader has of it. */
interface Asked {
  readonly session: string;
  readonly by: Caller;
  readonly rule: { readonly [Field in keyof DisconnectRule]?: DisconnectRule[Field] | undefined };
  readonly after: number | undefined;
}

export const sayRoutes = [
  route({
    method: 'POST',
    access: 'speaker',
    kind: 'stream',
    replies,
    problems: commandProblems.say,
    path: '/api/sessions/:session/say',
    operation: 'say',
    summary: 'Says something to the bot, and replies with the turn at its end, or with its events.',
    schemas: {
      params: sessionParams,
      headers,
      body: saySchema.omit({ type: true, session: true }).extend(disconnectFields),
    },
    async handle({ params: { session }, headers, body: { onDisconnect, graceMs, ...words } }, call) {
      const by = commandCaller(call.caller, words);
      const ref = words.ref ?? headers['idempotency-key'];
      const request = sayRequestOf({ type: 'SAY', ...words, ref });
      const reply = await call.services.runtime.say(session, by, request);
      return replyTo(reply, { session, by, rule: { onDisconnect, graceMs }, after: headers['last-event-id'] }, call);
    },
  }),
  route({
    method: 'POST',
    access: 'speaker',
    kind: 'stream',
    replies,
    problems: commandProblems.say,
    path: '/api/sessions/:session/steer',
    operation: 'steer',
    summary: 'Gives words to a turn that runs; if none does, says them.',
    schemas: {
      params: sessionParams,
      headers,
      body: steerSchema.omit({ type: true, session: true }).extend(disconnectFields),
    },
    async handle({ params: { session }, headers, body: { onDisconnect, graceMs, ...words } }, call) {
      const by = commandCaller(call.caller, words);
      const ref = words.ref ?? headers['idempotency-key'];
      const reply = await call.services.runtime.say(session, by, sayRequestOf({ type: 'STEER', ...words, ref }));
      return replyTo(reply, { session, by, rule: { onDisconnect, graceMs }, after: headers['last-event-id'] }, call);
    },
  }),
  route({
    method: 'POST',
    access: 'speaker',
    kind: 'stream',
    replies,
    problems: commandProblems.say,
    path: '/api/turns/:node/resume',
    operation: 'resumeTurn',
    summary: 'Takes a stopped turn up again, in a new turn that goes on from what completed.',
    schemas: {
      params: nodeParams,
      headers,
      body: resumeSchema
        .omit({ type: true, turn: true, ref: true })
        .extend({ session: sessionName, ref: saySchema.shape.ref, ...disconnectFields }),
    },
    async handle({ params: { node }, headers, body: { onDisconnect, graceMs, session, as, text, ref: given } }, call) {
      const by = commandCaller(call.caller, { as });
      const ref = given ?? headers['idempotency-key'] ?? call.services.ids('ref');
      const request = resumeRequestOf({ type: 'RESUME', ref, turn: node, text });
      const reply = await call.services.runtime.resume(session, by, request);
      return replyTo(reply, { session, by, rule: { onDisconnect, graceMs }, after: headers['last-event-id'] }, call);
    },
  }),
];

function replyTo(reply: SayReply | ResumeReply, asked: Asked, call: HttpCall): Promise<HttpReply> | HttpReply {
  const { session, by, rule, after = 0 } = asked;
  if (reply.type !== 'turn_opened')
    call.services.runtime.leave(session, by.connection, 'left').catch(call.services.report);
  switch (reply.type) {
    case 'turn_opened': {
      const { onDisconnect = 'cancel', graceMs = 0 } = rule;
      return followTurn(
        { session, turn: reply.turn, openedAt: reply.seq ?? 1, after, by, onDisconnect, graceMs },
        call,
      );
    }
    case 'stop_phrase':
      return replyWithReceipt(session, reply, call);
    case 'input_deferred':
      return { status: 202, body: { type: reply.type, session, input: reply.input, turn: reply.turn } };
    case 'ref_reused':
      throw new HttpProblem('ref_reused', { field: 'ref' });
    case 'say_refused':
      throw new HttpProblem(reply.code, { message: reply.message });
  }
}

/** Replies with the receipt of what the words have stopped, as soon as it has settled. */
async function replyWithReceipt(
  session: string,
  { cancel, repeated }: Extract<SayReply, { type: 'stop_phrase' }>,
  { services }: HttpCall,
): Promise<HttpReply> {
  const receipt = await services.runtime.settled(session, cancel);
  return { status: 200, body: { type: 'stop_phrase', session, cancel, repeated, receipt } };
}
