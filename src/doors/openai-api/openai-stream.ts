// A stream of server-sent events of OpenAI's API, with a comment from time to time.
import type { ServerResponse } from 'node:http';
import type { Clock, Disarm } from '../../core/sources/sources.ts';
import { commentEveryMs, sendEventStreamHeaders } from '../../gateway/http/event-stream.ts';

/** Bytes that may wait in the socket before text waits for the end of its block. */
const maxWaiting = 65_536;

export class OpenAIStream {
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  #disarm: Disarm = () => {};

  constructor(response: ServerResponse, clock: Clock) {
    this.#response = response;
    this.#clock = clock;
  }

  start(): void {
    sendEventStreamHeaders(this.#response);
    this.#armComment();
  }

  /** Whether the reader has room for text. */
  get hasRoom(): boolean {
    return this.#response.writableLength <= maxWaiting;
  }

  /** @param name Of the event. Left out: it has none. */
  event(data: object, name?: string): void {
    this.#response.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);
  }

  /** @param lastLine What the protocol sends last. */
  endStream(lastLine = ''): void {
    this.stop();
    this.#response.end(lastLine);
  }

  /** Sends no comments any more: the client is gone. */
  stop(): void {
    this.#disarm();
    this.#disarm = () => {};
  }

  #armComment(): void {
    this.#disarm = this.#clock.after(commentEveryMs, () => {
      this.#response.write(': still here\n\n');
      this.#armComment();
    });
  }
}
