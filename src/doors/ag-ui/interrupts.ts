// The interrupts of a run, which are what its turn asks, and the answers that the next run brings to them. The id of an interrupt says where the next run goes on.
import type { NodeId } from '../../../machines/vocabulary.ts';
import { fieldsOf } from '../../core/collections/fields.ts';
import type { AnswerRequest } from '../../core/session/api.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';
import type { ShownQuestion } from '../door-turns/turn-events.ts';
import type { Interrupt } from './ag-ui-event.ts';

const approvalSchema = {
  type: 'object',
  properties: { approved: { type: 'boolean' } },
  required: ['approved'],
} as const;

/** Returns the interrupt of a question. `seq`: of the newest fact that the run has. */
export function interruptOf(question: ShownQuestion, turn: NodeId, seq: number): Interrupt {
  const { type, call, text, choices, schema, expiresAt } = question;
  const answer = { type: 'string', ...(choices.length > 0 && { enum: choices }) };
  const answerSchema = fieldsOf(schema ?? { type: 'object', properties: { answer }, required: ['answer'] });
  return {
    id: [turn, seq, call.node, question.question].join('/'),
    reason: type === 'approval' ? 'tool_call' : 'input_required',
    message: text,
    toolCallId: call.id,
    responseSchema: type === 'approval' ? approvalSchema : answerSchema,
    ...(expiresAt !== null && { expiresAt: new Date(expiresAt).toISOString() }),
    ...(call.agent !== null && { subagentRunId: call.agent }),
    metadata: { belay: { node: call.node, type } },
  };
}

/** An entry of `resume`. */
export interface ResumeEntry {
  readonly interruptId: string;
  readonly status: 'resolved' | 'cancelled';
  readonly payload?: unknown;
}

/** What a run resumes: where the reader is in which turn, and the answers. */
export interface Resumed {
  readonly turn: NodeId;
  readonly seq: number;
  readonly answers: readonly AnswerRequest[];
  /** Whether the client has answered nothing. */
  readonly isDeclined: boolean;
}

/** Returns what a run resumes; null: nothing. Throws an `HttpProblem` for an interrupt that is not of this door. */
export function resumedBy(entries: readonly ResumeEntry[]): Resumed | null {
  const found = entries.map(({ interruptId }) => partsOf(interruptId));
  const [first] = found;
  if (!first) return null;
  return {
    turn: first.turn,
    seq: first.seq,
    answers: entries.map((entry) => answerOf(entry)),
    isDeclined: entries.every(({ status }) => status === 'cancelled'),
  };
}

function partsOf(id: string) {
  const [turn = '', seq = '', node = '', ...question] = id.split('/');
  if (turn === '' || node === '' || !/^\d{1,15}$/.test(seq))
    throw new HttpProblem('bad_field', {
      field: 'resume',
      message: 'The field "resume" names an interrupt that no run of this door has had.',
    });
  return { turn, seq: Number(seq), node, question: question.join('/') };
}

function answerOf({ interruptId, status, payload }: ResumeEntry): AnswerRequest {
  const { node: target, question } = partsOf(interruptId);
  const asked = { target, ...(question !== '' && { question }) };
  const { approved, answer } = fieldsOf(payload);
  if (status === 'cancelled') return { ...asked, answer: 'cannot_ask' };
  if (typeof approved === 'boolean') return { ...asked, answer: approved ? 'approved' : 'denied' };
  const text =
    typeof payload === 'string' ? payload : typeof answer === 'string' ? answer : JSON.stringify(payload ?? {});
  return { ...asked, answer: 'answered', text };
}
