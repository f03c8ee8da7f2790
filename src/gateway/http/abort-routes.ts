// The routes that stop: a turn, one of its calls, any node, a session. Each is a CANCEL with the cause `http`, and its reply is the receipt.
import * as z from 'zod';
import type { AccessAction } from '../../../machines/access.ts';
import { standingCodeOf } from '../../../machines/codes.ts';
import type { CancelAccepted, CancelRefused, CancelSettled } from '../../../machines/facts.ts';
import { dropUndefined } from '../../core/collections/fields.ts';
import { targetOf } from '../../core/receipt/cancel-target.ts';
import type { Caller, CancelDecision } from '../../core/session/api.ts';
import { cancelSchema } from '../../wire/client-frames.ts';
import { withoutTime } from '../command-replies.ts';
import { receiptForOutsider, settledForOutsider } from '../outside-cancel.ts';
import { keyHeader, nodeId, nodeParams, sessionName, sessionParams } from './common-schemas.ts';
import { HttpProblem } from './problems.ts';
import { type HttpCall, type HttpReply, type ReplyDeclaration, route } from './route.ts';
import { commandProblems } from './route-problems.ts';
import { commandCaller } from './speaker-of-command.ts';

const { reason, force, as } = cancelSchema.shape;
const bodySchema = z.strictObject({ reason, force, as });
const querySchema = z.strictObject({
  wait: z.literal('settled').optional(),
  force: z.stringbool().meta({ type: 'boolean' }).optional(),
  session: sessionName.optional(),
});
const receiptSchema = z.looseObject({ type: z.string(), session: z.string(), cancel: z.string() });
const replies: Readonly<Record<number, ReplyDeclaration>> = {
  202: {
    description: 'The stop was accepted. The receipt says what is being stopped, and what was refused.',
    schema: receiptSchema,
  },
  200: { description: 'All of it has settled. The receipt has the outcome of each node.', schema: receiptSchema },
};

/** What a request asks to stop, and how. */
export interface Stop {
  readonly target: string;
  readonly session: string;
  readonly body: z.infer<typeof bodySchema>;
  readonly query: { readonly wait?: 'settled' | undefined; readonly force?: boolean | undefined };
  readonly headers: z.infer<typeof keyHeader>;
}

/** What the routes have in common. */
const abort = { method: 'POST', access: 'speaker', kind: 'cancel', replies, problems: commandProblems.cancel } as const;
const nodeSchemas = { params: nodeParams, query: querySchema, headers: keyHeader, body: bodySchema };

export const abortRoutes = [
  route({
    ...abort,
    path: '/api/turns/:node/abort',
    operation: 'abortTurn',
    summary: 'Stops a turn, and everything below it.',
    schemas: nodeSchemas,
    handle: ({ params: { node }, ...input }, call) => abortNode(node, null, input, call),
  }),
  route({
    ...abort,
    path: '/api/turns/:node/tools/abort',
    operation: 'abortTools',
    summary: 'Stops the calls and sub-agents of a turn, with everything below them. The turn goes on with the results.',
    schemas: nodeSchemas,
    handle: ({ params: { node }, ...input }, call) => abortNode(node, null, input, call, targetOf('tools', node)),
  }),
  route({
    ...abort,
    path: '/api/turns/:node/lane/abort',
    operation: 'abortLane',
    summary:
      'Stops a turn, and the turns of its owner that wait behind it in its lane; not the agents that they have detached.',
    schemas: nodeSchemas,
    handle: ({ params: { node }, ...input }, call) => abortNode(node, null, input, call, targetOf('lane', node)),
  }),
  route({
    ...abort,
    path: '/api/turns/:turn/tools/:node/abort',
    operation: 'abortToolCall',
    summary: 'Stops one call of a turn. Its siblings run on, and the turn goes on with the result.',
    schemas: {
      params: z.strictObject({ turn: nodeId, node: nodeId }),
      query: querySchema,
      headers: keyHeader,
      body: bodySchema,
    },
    handle: ({ params: { turn, node }, ...input }, call) => abortNode(node, turn, input, call),
  }),
  route({
    ...abort,
    path: '/api/nodes/:node/abort',
    operation: 'abortNode',
    summary: 'Stops a turn, a call or a sub-agent, and everything below it.',
    schemas: nodeSchemas,
    handle: ({ params: { node }, ...input }, call) => abortNode(node, null, input, call),
  }),
  route({
    ...abort,
    path: '/api/sessions/:session/abort',
    operation: 'abortSession',
    summary:
      'Stops everything in a session, everything there that is the speaker’s, or the tools of the speaker’s turns.',
    schemas: {
      params: sessionParams,
      query: querySchema.omit({ session: true }),
      headers: keyHeader,
      body: bodySchema.extend({ target: z.enum(['session', 'mine', 'tools:mine']).optional() }),
    },
    async handle({ params: { session }, query, headers, body: { target = 'session', ...body } }, call) {
      const caller = commandCaller(call.caller, body);
      await (await call.services.runtime.directory()).check('cancel', caller, session);
      return cancelTarget({ target, session, body, query, headers }, caller, call);
    },
  }),
];

/** Returns the session of a node, in which the caller may do this: the one that is named, or one that is awake. Rejects with an `HttpProblem`. */
export async function sessionOfNode(
  action: AccessAction,
  node: string,
  named: string | undefined,
  { services, caller }: Pick<HttpCall, 'services' | 'caller'>,
): Promise<string> {
  const directory = await services.runtime.directory();
  if (named !== undefined) await directory.check(action, caller, named);
  const session = named ?? (await directory.sessionOf(action, caller, node));
  if (session === null) throw new HttpProblem('unknown_target');
  return session;
}

/** `turn`: the node has to be a call of this turn; null: of any. `target`: of the CANCEL. */
async function abortNode(
  node: string,
  turn: string | null,
  { query, headers, body }: Pick<Stop, 'body' | 'headers'> & { readonly query: z.infer<typeof querySchema> },
  call: HttpCall,
  target = node,
): Promise<HttpReply> {
  const caller = commandCaller(call.caller, body);
  const session = await sessionOfNode('cancel', node, query.session, { services: call.services, caller });
  if (turn !== null) {
    const above = await (await call.services.runtime.directory()).ancestorsOf(session, node);
    if (above && !above.includes(turn)) throw new HttpProblem('unknown_target');
  }
  return cancelTarget({ target, session, body, query, headers }, caller, call);
}

/** Stops a target, and replies with the receipt. Rejects with an `HttpProblem`. */
export async function cancelTarget(
  { target, session, body, query, headers }: Stop,
  caller: Caller,
  { services: { runtime } }: HttpCall,
): Promise<HttpReply> {
  const ref = headers['idempotency-key'];
  const force = body.force ?? query.force;
  const reply = await runtime.cancel(session, caller, { target, reason: body.reason, force, ref, source: 'http' });
  if (reply.type === 'ref_reused') throw new HttpProblem('ref_reused', { field: 'idempotency-key' });
  if (reply.type !== 'cancel_accepted') return replyWithoutStop(reply, session, caller);
  const { receipt, repeated, durable, running } = reply;
  const extras = dropUndefined({ repeated: repeated || undefined });
  if (query.wait === undefined) {
    const accepted = withoutTime(shownReceipt(receipt, caller));
    const details = dropUndefined({ durable: durable ? undefined : false, running });
    return { status: 202, body: { session, ...accepted, ...details, ...extras } };
  }
  const settled = await runtime.settled(session, receipt.cancel);
  if (settled === null) throw new HttpProblem('unavailable');
  return { status: 200, body: { session, ...shownEnd(settled, caller), ...extras } };
}

/** The reply to a CANCEL that stops nothing: the receipt of an earlier one, or a problem. */
function replyWithoutStop(
  reply: Exclude<CancelDecision, { readonly type: 'cancel_accepted' }>,
  session: string,
  caller: Caller,
): HttpReply {
  if (reply.type === 'unknown_target') throw new HttpProblem('unknown_target');
  if (reply.type === 'cancel_refused') {
    throw refusedStop(reply.refusal);
  }
  if (reply.receipt === null) throw new HttpProblem('already_settled');
  return { status: 200, body: { session, ...shownEnd(reply.receipt, caller), repeated: true } };
}

/** Returns the problem of a stop that was refused as a whole. */
export function refusedStop({ refused }: CancelRefused): HttpProblem {
  return new HttpProblem(standingCodeOf(refused[0]?.reason), { refused });
}

/** An emergency may stop what it may not read: the words of others are not shown to it. */
const mayOnlyStop = ({ speaker }: Caller): boolean => speaker.roles.includes('emergency');

const shownReceipt = (receipt: CancelAccepted, caller: Caller): CancelAccepted =>
  mayOnlyStop(caller) ? receiptForOutsider(receipt, caller.speaker.id) : receipt;

const shownEnd = (settled: CancelSettled, caller: Caller): CancelSettled =>
  withoutTime(mayOnlyStop(caller) ? settledForOutsider(settled, caller.speaker.id) : settled);
