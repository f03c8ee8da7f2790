// The routes for approvals and questions: list those that are open, approve, deny, answer.
import * as z from 'zod';
import { answerSchema, approveSchema, isOneAnswer, oneAnswerIssue } from '../../wire/client-frames.ts';
import { sessionOfNode } from './abort-routes.ts';
import { keyHeader, missingSchema, missingText, nodeParams, sessionQuery } from './common-schemas.ts';
import { HttpProblem } from './problems.ts';
import { type HttpCall, type HttpReply, route } from './route.ts';
import { commandProblems } from './route-problems.ts';
import { commandCaller } from './speaker-of-command.ts';

const { question, as } = approveSchema.shape;
const yesOrNoSchema = z.strictObject({ question, as });
const answerBodySchema = z
  .strictObject({ question, as, text: answerSchema.shape.text, values: answerSchema.shape.values })
  .refine(isOneAnswer, oneAnswerIssue)
  .meta({ oneOf: [{ required: ['text'] }, { required: ['values'] }] });
const questionSchema = z.looseObject({
  type: z.string(),
  session: z.string(),
  turn: z.string(),
  node: z.string(),
  to: z.string(),
  text: z.string(),
  name: z.string().exactOptional(),
  arguments: z.string().exactOptional(),
  remark: z.string().exactOptional(),
  mayAnswer: z.boolean(),
});
const answeredSchema = z.object({
  session: z.string(),
  node: z.string(),
  answer: z.enum(['approved', 'denied', 'answered']),
});
const replies = { 200: { description: 'The answer counts.', schema: answeredSchema } };

interface Given {
  readonly params: { readonly node: string };
  readonly query: { readonly session?: string | undefined };
  readonly headers: { readonly 'idempotency-key'?: string | undefined };
  readonly body: { readonly question?: string | undefined; readonly as?: string | undefined };
}

export const questionRoutes = [
  route({
    method: 'GET',
    path: '/api/questions',
    operation: 'listQuestions',
    summary: 'Lists the open approvals and questions, in the sessions that the speaker may read.',
    access: 'speaker',
    kind: 'request',
    schemas: { query: sessionQuery },
    replies: {
      200: {
        description: `The questions. \`mayAnswer\`: whether the speaker may answer it. ${missingText}`,
        schema: z.object({ questions: z.array(questionSchema), missing: missingSchema }),
      },
    },
    async handle({ query }, { services, caller }) {
      const directory = await services.runtime.directory();
      if (query.session !== undefined) await directory.check('read', caller, query.session);
      const { questions: open, missing } = await directory.questions(caller);
      const questions = open
        .filter(({ session }) => query.session === undefined || session === query.session)
        .map(({ session, asked, mayAnswer }) => ({ session, ...asked, mayAnswer }));
      return { status: 200, body: { questions, missing } };
    },
  }),
  route({
    method: 'POST',
    access: 'speaker',
    kind: 'request',
    replies,
    problems: commandProblems.answer,
    path: '/api/nodes/:node/approve',
    operation: 'approveCall',
    summary: 'Allows the step that a call asks for.',
    schemas: { params: nodeParams, query: sessionQuery, headers: keyHeader, body: yesOrNoSchema },
    handle: (given, call) => answerQuestion('approved', given, call),
  }),
  route({
    method: 'POST',
    access: 'speaker',
    kind: 'request',
    replies,
    problems: commandProblems.answer,
    path: '/api/nodes/:node/deny',
    operation: 'denyCall',
    summary: 'Does not allow the step that a call asks for.',
    schemas: { params: nodeParams, query: sessionQuery, headers: keyHeader, body: yesOrNoSchema },
    handle: (given, call) => answerQuestion('denied', given, call),
  }),
  route({
    method: 'POST',
    access: 'speaker',
    kind: 'request',
    replies,
    problems: commandProblems.answer,
    path: '/api/nodes/:node/answer',
    operation: 'answerCall',
    summary: 'Answers the question of a call.',
    schemas: { params: nodeParams, query: sessionQuery, headers: keyHeader, body: answerBodySchema },
    handle(given, call) {
      const { text, values } = given.body;
      return answerQuestion('answered', given, call, values === undefined ? text : JSON.stringify(values));
    },
  }),
];

async function answerQuestion(
  answer: 'approved' | 'denied' | 'answered',
  { params: { node }, query, headers, body }: Given,
  { services, caller: sender }: HttpCall,
  text?: string,
): Promise<HttpReply> {
  const caller = commandCaller(sender, { as: body.as });
  const session = await sessionOfNode('speak', node, query.session, { services, caller });
  const ref = headers['idempotency-key'];
  const reply = await services.runtime.answer(session, caller, {
    target: node,
    question: body.question,
    answer,
    text,
    ref,
  });
  if (reply.type === 'ref_reused') throw new HttpProblem('ref_reused', { field: 'idempotency-key' });
  if (reply.type === 'answer_refused') throw new HttpProblem(reply.code);
  return { status: 200, body: { session, node, answer } };
}
