// Makes a form of MCP of what a turn asks, and an answer of what comes back.
import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { AnswerRequest } from '../../core/session/api.ts';
import type { AskingFrame } from '../door-turns/door-turn.ts';

type FormSchema = ElicitRequestFormParams['requestedSchema'];

const oneField = (field: FormSchema['properties'][string]): FormSchema => ({
  type: 'object',
  properties: { answer: field },
  required: ['answer'],
});

const yesOrNo = oneField({ type: 'string', title: 'Run it?', enum: ['yes', 'no'] });

function schemaOf(frame: AskingFrame): FormSchema {
  if (frame.type === 'approval_requested') return yesOrNo;
  if (frame.schema) return frame.schema as FormSchema; // a server of Belay has asked by the same protocol
  const choices = frame.choices.length > 0 && { enum: [...frame.choices] };
  return oneField({ type: 'string', title: 'Answer', ...choices });
}

/** Returns the form that asks a person. */
export const formOf = (frame: AskingFrame): ElicitRequestFormParams => ({
  mode: 'form',
  message: frame.text,
  requestedSchema: schemaOf(frame),
});

const elicitedSchema = z.looseObject({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.record(z.string(), z.unknown()).nullish(),
});

type AnsweredFields = Pick<AnswerRequest, 'answer' | 'text'>;

/** Returns the answer that a client has sent. Nothing but a yes is a yes. A question that was declined has no answer: it is withdrawn. */
export function answerOf(frame: AskingFrame, elicited: unknown): AnsweredFields {
  const parsed = elicitedSchema.safeParse(elicited);
  const { action, content } = parsed.success ? parsed.data : { action: 'cancel', content: null };
  const isAccepted = action === 'accept';
  if (frame.type === 'approval_requested')
    return { answer: isAccepted && content?.['answer'] === 'yes' ? 'approved' : 'denied' };
  if (!isAccepted) return { answer: 'cannot_ask' };
  if (frame.schema) return { answer: 'answered', text: JSON.stringify(content ?? {}) };
  const text = content?.['answer'];
  return typeof text === 'string' && text !== '' ? { answer: 'answered', text } : { answer: 'cannot_ask' };
}
