// The response of an endpoint that has refused a request: thrown whole, because the openai client keeps only `error` of its body.

/** A response of another status than 2xx, or an error that came in place of a response. */
export class ErrorResponse extends Error {
  override readonly name = 'ErrorResponse';
  /** The HTTP status; null: the error came in the body of a successful response. */
  readonly status: number | null;
  /** The headers of the response, or those of them that say when to try again. Undefined: it has none of these. */
  readonly headers: Headers | undefined;
  /** The beginning of the body, or the error in it. */
  readonly body: unknown;

  constructor(status: number | null, headers: Headers | undefined, body: unknown) {
    super(status === null ? 'The response contains an error.' : `The endpoint responded with status ${status}.`);
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}
