// A log of the requests to the scripted endpoint, with how each response ended, for tests that assert the server's side.
import type { WireMessage } from './reply.ts';

/** `finished`: sent to its end. `closed_by_client`: the client closed the connection before that. `cut`: the script did. */
export type ResponseEnd = 'finished' | 'closed_by_client' | 'cut';

export interface LoggedRequest {
  /** From 0, in order of arrival. */
  readonly n: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly model: string | null;
  readonly messages: readonly WireMessage[];
  /** Names of the tools that the request declared. */
  readonly tools: readonly string[];
  /** The rule of the script that answered; null: none, or no script. */
  rule: number | null;
  status: number | null;
  /** Bytes of the answer's body that were handed to the socket. */
  sentBytes: number;
  /** Whether the response hangs: everything before that point has been handed to the socket. */
  hanging: boolean;
  /** How and when the response has ended; null while it is open. */
  ended: { readonly at: number; readonly how: ResponseEnd } | null;
}

/** Requests that are kept for tests; the oldest go first. */
export const maxLoggedRequests = 1_000;

/** Keeps the last `limit` requests. */
export class RequestLog {
  readonly #limit: number;
  readonly #requests: LoggedRequest[] = [];
  #count = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get requests(): readonly LoggedRequest[] {
    return this.#requests;
  }

  add(request: Pick<LoggedRequest, 'at' | 'model' | 'messages' | 'tools'>): LoggedRequest {
    const logged: LoggedRequest = {
      n: this.#count++,
      ...request,
      rule: null,
      status: null,
      sentBytes: 0,
      hanging: false,
      ended: null,
    };
    this.#requests.push(logged);
    if (this.#requests.length > this.#limit) this.#requests.shift();
    return logged;
  }
}
