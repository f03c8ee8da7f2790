// One response of the scripted endpoint under way, which keeps its line in the log up to date.
import type http from 'node:http';
import type { Clock } from '../../core/sources/sources.ts';
import type { LoggedRequest } from './request-log.ts';

/** From the last chunk to the cut, in milliseconds: a client whose connection breaks throws away what it has not read yet. */
export const cutAfterMs = 100;

export class OutgoingResponse {
  readonly #response: http.ServerResponse;
  readonly #logged: LoggedRequest;
  readonly #clock: Clock;
  readonly #closed = new AbortController();
  #state: 'sending' | 'cut' = 'sending';

  constructor(response: http.ServerResponse, logged: LoggedRequest, clock: Clock) {
    this.#response = response;
    this.#logged = logged;
    this.#clock = clock;
    response.on('error', () => {}); // the client has gone while something was being written
    if (response.closed)
      this.#logEnd(); // while its body was read
    else response.on('close', () => this.#logEnd());
  }

  /** Aborts when the connection has closed before the response was finished. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  writeHead(status: number, headers: http.OutgoingHttpHeaders): void {
    this.#logged.status = status;
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
  }

  write(text: string): void {
    this.#logged.sentBytes += Buffer.byteLength(text);
    this.#response.write(text);
  }

  finish(): void {
    this.#response.end();
  }

  /** Destroys the connection, after a moment in which the client reads what was sent. */
  cut(): void {
    this.#clock.after(cutAfterMs, () => {
      this.#state = 'cut';
      this.#response.destroy();
    });
  }

  /** Resolves when `release` calls back, or the connection has closed. */
  async hang(release: (resume: () => void) => void): Promise<void> {
    this.#logged.hanging = true;
    await new Promise<void>((resolve) => {
      release(resolve);
      this.closed.addEventListener('abort', () => resolve(), { once: true });
      if (this.closed.aborted) resolve();
    });
    this.#logged.hanging = false;
  }

  /** Sends an error of the provider's shape. */
  reject(message: string, param: string): void {
    this.writeHead(400, { 'content-type': 'application/json' });
    this.write(JSON.stringify({ error: { message, type: 'invalid_request_error', param, code: null } }));
    this.finish();
  }

  #logEnd(): void {
    const isFinished = this.#response.writableFinished;
    const how = isFinished ? 'finished' : this.#state === 'cut' ? 'cut' : 'closed_by_client';
    this.#logged.ended = { at: this.#clock.now(), how };
    if (!isFinished) this.#closed.abort();
  }
}
