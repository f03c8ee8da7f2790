// One request to a server at an address, until its response has come or will not come.
import type { ResponseListener } from './bounded-fetch.ts';
import { McpFailure } from './mcp-failure.ts';

/** How often a stream is resumed before another event comes on it. */
const maxResumes = 3;

export class HttpRequest implements ResponseListener {
  readonly #aborting = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  #resumesLeft = maxResumes;
  #isStream = false;
  /** It was cancelled: its stream is read to its end, and not resumed. */
  isCancelled = false;

  constructor() {
    this.#ended.promise.catch(() => {}); // it may fail before anybody waits
  }

  /** Fires when nothing more of the response is wanted: the connection is closed. */
  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  get isStream(): boolean {
    return this.#isStream;
  }

  /** Resolves with the response, or when the request is closed. Rejects with an `McpFailure`. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  onResponse(isStream: boolean): void {
    this.#isStream = isStream;
  }

  onTooLong(failure: McpFailure): void {
    this.fail(failure);
  }

  /** The response has come, or nobody waits for it. */
  close(): void {
    this.#ended.resolve();
    this.#aborting.abort();
  }

  fail(failure: McpFailure): void {
    this.#ended.reject(failure);
    this.#aborting.abort();
  }

  /** The stream has ended without the response, and is not resumed. The end of a cancelled request proves nothing. */
  endStream(): void {
    if (!this.isCancelled)
      this.fail(new McpFailure('ended the stream of the call without its response', { code: 'mcp_lost' }));
  }

  noteEvent(): void {
    this.#resumesLeft = maxResumes;
  }

  /** Whether its stream may be resumed once more. */
  mayResume(): boolean {
    if (this.isCancelled) return false;
    this.#resumesLeft--;
    if (this.#resumesLeft >= 0) return true;
    this.endStream();
    return false;
  }
}
