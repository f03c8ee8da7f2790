// How much an endpoint may answer, and the error that says which limit was passed.

export const limits = {
  /** Characters of an answer's text. */
  maxTextChars: 1_048_576,
  /** Characters of all the arguments of an answer's calls together. */
  maxArgumentsChars: 1_048_576,
  /** Calls of one answer. */
  maxCalls: 256,
  /** Bytes of one answer, framing included. */
  maxAnswerBytes: 64 * 1_048_576,
} as const;

export class OverLimit extends Error {
  override readonly name = 'OverLimit';
  constructor(limit: keyof typeof limits) {
    super(`The answer is over the limit ${limit} (${limits[limit]}).`);
  }
}
