// A stream of JSON over one response: server-sent events that have data only.
import type { Disarm } from '../../core/sources/sources.ts';
import { atTimeOfDay } from '../../core/sources/time-of-day.ts';
import { commentEveryMs, sendEventStreamHeaders } from '../../gateway/http/event-stream.ts';
import type { HttpCall } from '../../gateway/http/route.ts';

/** Bytes that may wait in the socket before text waits for the end of its block. */
const maxWaiting = 65_536;

export class DataStream {
  readonly #call: Pick<HttpCall, 'response' | 'services' | 'expiresAt'>;
  #stopComments: Disarm = () => {};
  #stopWaitingForExpiry: Disarm = () => {};

  constructor(call: Pick<HttpCall, 'response' | 'services' | 'expiresAt'>) {
    this.#call = call;
  }

  /** Sends the headers. `onExpired`: called when the token of the request proves nothing any more, before the stream ends. */
  start(onExpired: () => void, headers: Readonly<Record<string, string>> = {}): void {
    const { response, services, expiresAt } = this.#call;
    if (response.destroyed) return;
    response.on('error', () => {}); // `close` follows
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    sendEventStreamHeaders(response);
    this.#armComment();
    if (expiresAt === null) return;
    const expire = () => {
      onExpired();
      this.endStream();
    };
    this.#stopWaitingForExpiry = atTimeOfDay(services.clock, expiresAt, expire);
  }

  /** Whether the reader takes more than it has to: a slow one gets the rest of a text with its end. */
  get hasRoom(): boolean {
    return this.#call.response.writableLength <= maxWaiting;
  }

  /** Sends data. A reader that is too slow is disconnected. */
  send(data: object): void {
    const { response, services } = this.#call;
    if (response.writableEnded || response.destroyed) return;
    response.write(`data: ${JSON.stringify(data)}\n\n`);
    if (response.writableLength > services.limits.queueBytes) response.destroy();
  }

  /** Ends the stream. `last`: the data of its last event, as it is. */
  endStream(last?: string): void {
    this.stop();
    const { response } = this.#call;
    if (response.writableEnded || response.destroyed) return;
    if (last === undefined) response.end();
    else response.end(`data: ${last}\n\n`);
  }

  /** Sends no comments any more: the client is gone. */
  stop(): void {
    this.#stopComments();
    this.#stopWaitingForExpiry();
  }

  #armComment(): void {
    const { response, services } = this.#call;
    this.#stopComments = services.clock.after(commentEveryMs, () => {
      response.write(': still here\n\n');
      this.#armComment();
    });
  }
}
