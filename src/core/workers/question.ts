// A question of a call to a speaker: it is open until it is answered or withdrawn, or its call is stopped. It is closed exactly once.
import { addAbortListener } from 'node:events';
import type { ApprovalRequested, Fact, QuestionAsked } from '../../../machines/facts.ts';
import type { JsonSchema } from '../../../machines/tool-declaration.ts';
import type { NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/fields.ts';
import type { QuestionAnswer } from '../live/node-entry.ts';
import { startWait } from '../live/waits.ts';
import { msSince } from '../sources/monotonic-time.ts';
import { boundText } from '../text/bound-text.ts';
import { measuredText } from '../words/durations.ts';
import type { Job } from './worker.ts';

export interface QuestionText {
  readonly turn: NodeId;
  /** The call that asks. */
  readonly node: NodeId;
  readonly to: SpeakerId;
  readonly text: string;
  /** Milliseconds; undefined: it does not expire. */
  readonly expiresMs?: number | undefined;
  /** Withdraws the question. */
  readonly withdrawn?: AbortSignal | undefined;
}

/** Why a question was closed without an answer. */
type Unanswered = 'withdrawn' | 'expired';

/** A question that is not open yet, with functions that make the facts of its opening and its closing. */
export interface NewQuestion extends Pick<QuestionText, 'expiresMs' | 'withdrawn'> {
  asked(question: string, expiresAt: number | null): ApprovalRequested | QuestionAsked;
  closed(question: string, answer: QuestionAnswer | Unanswered): Fact;
}

/**
 * Opens a question. Resolves with the answer, or with null if it was withdrawn or the call was stopped before an answer came. An expiry is
 * a CANCEL with cause `deadline`.
 */
export async function putQuestion(
  newQuestion: NewQuestion,
  { services, entry, signal }: Job<'runtime' | 'tree' | 'journal' | 'inbox'>,
): Promise<QuestionAnswer | null> {
  const { runtime, tree, journal, inbox } = services;
  const { clock, ids } = runtime.sources;
  const { expiresMs, withdrawn } = newQuestion;
  if (signal.aborted || withdrawn?.aborted) return null;
  const id = ids('question');
  const expiresAt = expiresMs === undefined ? null : clock.now() + expiresMs; // a time of day, for people
  const askedAt = clock.elapsed();
  const fact = newQuestion.asked(id, expiresAt);
  if (!hasOnlyTexts(fact)) throw new TypeError('The text of a question, its addressee and its choices must be texts.');
  const { promise, resolve } = Promise.withResolvers<QuestionAnswer | null>();
  const close = (answer: QuestionAnswer | null) => {
    if (entry.question !== question) return;
    entry.question = null;
    const isTimeOver = expiresMs !== undefined && msSince(clock, askedAt) >= expiresMs;
    const isExpired = isTimeOver && entry.cut?.source === 'deadline'; // the deadline may also be that of the turn
    void journal.append([newQuestion.closed(id, answer ?? (isExpired ? 'expired' : 'withdrawn'))]);
    resolve(answer);
  };
  const isFirst = entry.questionsAsked === 0;
  const question = { id, isFirst, asked: fact, answer: close, withdraw: () => close(null) };
  entry.question = question;
  entry.questionsAsked++;
  using _paused = startWait(tree, entry, clock); // the time that a person takes does not count into the timeout of the call
  void journal.append([fact]);
  const expire = (ms: number) =>
    inbox.expire(entry.id, `nobody answered within ${measuredText(ms)}`, () => entry.question === question);
  const disarm = expiresMs === undefined ? () => {} : clock.after(expiresMs, () => expire(expiresMs));
  using _stopped = addAbortListener(signal, question.withdraw);
  using _withdrawn = withdrawn ? addAbortListener(withdrawn, question.withdraw) : null;
  try {
    return await promise;
  } finally {
    disarm();
  }
}

const isText = (value: unknown) => typeof value === 'string';
const hasOnlyTexts = (fact: ApprovalRequested | QuestionAsked) =>
  [fact.text, fact.to, ...('choices' in fact ? fact.choices : []), ...('remark' in fact ? [fact.remark] : [])].every(
    isText,
  );

/** Whether a door had nobody to ask. */
export const isUnaskable = (answer: QuestionAnswer | Unanswered): boolean =>
  typeof answer !== 'string' && answer.answer === 'cannot_ask';

/** What the model reads of a call that nobody could be asked about. */
export const cannotAsk = 'Nobody could be asked: the door that these words came by has no questions.';

/** Returns the `answer` of `approval_closed`. */
const approvalAnswer = (answer: QuestionAnswer | Unanswered) =>
  typeof answer === 'string' ? answer : answer.answer === 'approved' ? 'approved' : 'denied';

/** Returns the fields of a closing fact that say who has answered. */
const answeredBy = (answer: QuestionAnswer | Unanswered) =>
  typeof answer === 'string'
    ? { by: null, ref: null }
    : { by: answer.by, ref: answer.ref, ...dropUndefined({ via: answer.via }) };

/** The call that waits for a yes, as its request shows it. */
export interface ApprovalCall {
  readonly name: string;
  /** A JSON text. */
  readonly arguments: string;
  /** The words that clients show beside the name and the arguments; undefined: they show the text of the question. */
  readonly remark: string | undefined;
}

/** Returns a question that is answered by yes or no. `call`: the call that must not run before the answer; left out if it runs already and asks. */
export function approvalOf({
  turn,
  node,
  text,
  to,
  call,
  ...rest
}: QuestionText & { readonly call?: ApprovalCall | undefined }): NewQuestion {
  return {
    ...rest,
    asked: (question, expiresAt) => ({
      type: 'approval_requested',
      turn,
      node,
      question,
      to,
      expiresAt,
      ...approvalText(text),
      ...(call && {
        name: call.name,
        arguments: boundArguments(call.arguments),
        ...dropUndefined({ remark: call.remark }),
      }),
    }),
    closed: (question, answer) => ({
      type: 'approval_closed',
      node,
      question,
      answer: approvalAnswer(answer),
      ...(isUnaskable(answer) && { code: 'cannot_ask' }),
      ...answeredBy(answer),
    }),
  };
}

/** Returns a question that is answered in words; `choices` empty: in any words. */
export function questionInWords({
  turn,
  node,
  text,
  choices,
  schema,
  to,
  ...rest
}: QuestionText & { readonly choices: readonly string[]; readonly schema?: JsonSchema | undefined }): NewQuestion {
  return {
    ...rest,
    asked: (question, expiresAt) => ({
      type: 'question_asked',
      turn,
      node,
      question,
      to,
      text,
      choices,
      expiresAt,
      ...dropUndefined({ schema }),
    }),
    closed: (question, answer) => ({
      type: 'question_closed',
      node,
      question,
      answer: typeof answer === 'string' ? answer : isUnaskable(answer) ? 'withdrawn' : 'answered',
      text: typeof answer === 'string' ? null : answer.text,
      ...answeredBy(answer),
    }),
  };
}

/** The limit of a text that is shown, in characters. A longer one keeps its beginning and its end, with a line between them that says how many are missing. */
const shownChars = 2_000;
/** The limit of a text that is kept, in characters; a longer one is shortened in the same way. */
const keptChars = 65_536;

interface ApprovalText {
  readonly text: string;
  /** The text with at most `keptChars`. Left out: `text` is not shortened. */
  readonly whole?: string;
}

/** Returns the arguments of a call, a JSON text. Long ones are shortened in their middle, and are no JSON any more. */
const boundArguments = (text: string): string => boundText(text === '' ? '{}' : text, keptChars).output;

/** Returns the text of a question as it is shown, and what is kept of it if that is more. */
function approvalText(text: string): ApprovalText {
  // the text of a tool in JavaScript may be none: `hasOnlyTexts` finds it in the fact
  if (typeof text !== 'string' || text.length <= shownChars) return { text };
  return { text: boundText(text, shownChars).output, whole: boundText(text, keptChars).output };
}
