// A question of a call to a speaker: it is open until it is answered or its call is stopped, and it has one end.
import type { ApprovalRequested, Fact, QuestionAsked } from '../../machines/facts.ts';
import type { NodeId, SpeakerId } from '../../machines/vocabulary.ts';
import type { Question, QuestionAnswer } from '../live/tree.ts';
import type { Job } from './worker.ts';

export interface QuestionPut {
  readonly kind: Question['kind'];
  readonly to: SpeakerId;
  /** Left out: it does not expire. */
  readonly expiresMs?: number;
  /** Who has asked does not want to know any more. */
  readonly withdrawn?: AbortSignal;
  asked(expiresAt: number | null): ApprovalRequested | QuestionAsked;
  /** `answer` null: withdrawn. */
  closed(answer: QuestionAnswer | null): Fact;
}

/** Resolves with the answer; with null where it was withdrawn, or the call was stopped, first. An expiry is a CANCEL with cause `deadline`. */
export function putQuestion(
  { kind, to, expiresMs, withdrawn, asked, closed }: QuestionPut,
  job: Job,
): Promise<QuestionAnswer | null> {
  const { plane, entry } = job;
  const { clock } = plane.sources;
  // whatever waits for the call waits for a person now
  const stopwatches = plane.tree.upwards(entry).flatMap(({ stopwatch }) => stopwatch ?? []);
  const signals = withdrawn ? [job.signal, withdrawn] : [job.signal];
  return new Promise((resolve) => {
    if (signals.some(({ aborted }) => aborted)) {
      resolve(null);
      return;
    }
    const close = (answer: QuestionAnswer | null) => {
      if (entry.question !== question) return;
      entry.question = null;
      disarm();
      for (const signal of signals) signal.removeEventListener('abort', withdraw);
      for (const stopwatch of stopwatches) stopwatch.resume();
      void plane.append([closed(answer)]);
      resolve(answer);
    };
    const withdraw = () => close(null);
    const fact = asked(expiresMs === undefined ? null : clock.now() + expiresMs);
    if (!isQuestion(fact)) throw new TypeError('a question must be a text, and its choices texts');
    const question: Question = { to, kind, asked: fact, answer: close, withdraw };
    entry.question = question;
    for (const signal of signals) signal.addEventListener('abort', withdraw);
    for (const stopwatch of stopwatches) stopwatch.pause();
    void plane.append([fact]);
    const disarm =
      expiresMs === undefined
        ? () => {}
        : clock.after(expiresMs, () =>
            plane.expire(entry.id, `nobody answered within ${expiresMs} ms`, () => entry.question === question),
          );
  });
}

const isText = (value: unknown) => typeof value === 'string';
const isQuestion = (fact: ApprovalRequested | QuestionAsked) =>
  [fact.text, fact.to, ...('choices' in fact ? fact.choices : [])].every(isText);

export interface ApprovalPut extends Pick<QuestionPut, 'to' | 'expiresMs' | 'withdrawn'> {
  readonly turn: NodeId;
  readonly node: NodeId;
  readonly text: string;
}

/** A question that is answered by yes or no. */
export function approvalOf({ turn, node, text, to, ...rest }: ApprovalPut): QuestionPut {
  return {
    kind: 'approval',
    to,
    ...rest,
    asked: (expiresAt) => ({ type: 'approval_requested', turn, node, to, text, expiresAt }),
    closed: (given) => ({
      type: 'approval_closed',
      node,
      answer: given === null ? 'withdrawn' : given.answer === 'approved' ? 'approved' : 'denied',
      by: given?.by ?? null,
      ref: given?.ref ?? null,
    }),
  };
}
