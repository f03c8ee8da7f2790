// A question of a call to a speaker: it is open until it is answered or its call is stopped, and it has one end.
import type { ApprovalRequested, Fact, QuestionAsked } from '../../machines/facts.ts';
import type { NodeId, SpeakerId } from '../../machines/vocabulary.ts';
import type { Question, QuestionAnswer } from '../live/tree.ts';
import type { Job } from './worker.ts';

export interface QuestionPut {
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
  { expiresMs, withdrawn, asked, closed }: QuestionPut,
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
    const question: Question = { asked: fact, answer: close, withdraw };
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

/** Of which call, to whom, and in which words. */
export interface Put extends Pick<QuestionPut, 'expiresMs' | 'withdrawn'> {
  readonly turn: NodeId;
  readonly node: NodeId;
  readonly to: SpeakerId;
  readonly text: string;
}

/** Who has answered; of one that was withdrawn nobody has. */
const given = (answer: QuestionAnswer | null) => ({ by: answer?.by ?? null, ref: answer?.ref ?? null });

/** A question that is answered by yes or no. */
export function approvalOf({ turn, node, text, to, ...rest }: Put): QuestionPut {
  return {
    ...rest,
    asked: (expiresAt) => ({ type: 'approval_requested', turn, node, to, text, expiresAt }),
    closed: (answer) => ({
      type: 'approval_closed',
      node,
      answer: answer === null ? 'withdrawn' : answer.answer === 'approved' ? 'approved' : 'denied',
      ...given(answer),
    }),
  };
}

/** One that is answered in words; `choices` empty: in any. */
export function questionOf({
  turn,
  node,
  text,
  choices,
  to,
  ...rest
}: Put & { readonly choices: readonly string[] }): QuestionPut {
  return {
    ...rest,
    asked: (expiresAt) => ({ type: 'question_asked', turn, node, to, text, choices, expiresAt }),
    closed: (answer) => ({
      type: 'question_closed',
      node,
      answer: answer === null ? 'withdrawn' : 'answered',
      text: answer?.text ?? null,
      ...given(answer),
    }),
  };
}
