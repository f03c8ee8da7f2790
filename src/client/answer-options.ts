// The options of an APPROVE, DENY or ANSWER.

export interface AnswerOptions {
  /** The id of the question. Without it the answer counts for the first question of the call only: a later one is `question_required`. */
  readonly question?: string | undefined;
  /** Bridges only: whose answer it is. */
  readonly as?: string | undefined;
  /** Without a connection: fail at once (`reject`), or send it as soon as there is one (`wait`). Default: the client's. */
  readonly whileDisconnected?: 'reject' | 'wait' | undefined;
}
