// The options and the contents of an APPROVE, DENY or ANSWER.

export interface AnswerOptions {
  /** The id of the question. Without it the answer counts for the first question of the call only: a later one is `question_required`. */
  readonly question?: string | undefined;
  /** Bridges only: whose answer it is. */
  readonly as?: string | undefined;
  /** The handling of a command without a connection: it fails at once (`reject`), or is sent as soon as there is one (`wait`). Default: the client's. */
  readonly whileDisconnected?: 'reject' | 'wait' | undefined;
}

/** The values of a question with a schema, by name. */
export type AnswerValues = Readonly<Record<string, string | number | boolean | string[]>>;

/** Words, or the values of a question with a schema. */
export type Answer = string | AnswerValues;

export type AnswerContent =
  | { readonly type: 'APPROVE' | 'DENY' }
  | { readonly type: 'ANSWER'; readonly text: string }
  | { readonly type: 'ANSWER'; readonly values: AnswerValues };

/** Returns the fields of an ANSWER, in words or by values. */
export const answerContent = (answer: Answer): AnswerContent =>
  typeof answer === 'string' ? { type: 'ANSWER', text: answer } : { type: 'ANSWER', values: answer };
