// Watches the sockets of all requests that this process sends by node:http, through Node's diagnostics channel. It does not see those of
// Node's own `fetch`.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

const channel = 'http.client.request.created';

export class ClientSockets implements Disposable {
  readonly #sockets = new Set<Socket>();
  #requests = 0;
  readonly #onRequest = (message: unknown): void => {
    this.#requests++;
    const { request } = message as { readonly request: ClientRequest }; // as Node documents the messages of the channel
    request.once('socket', (socket) => this.#sockets.add(socket));
  };

  constructor() {
    subscribe(channel, this.#onRequest);
  }

  /** Requests so far. */
  get requests(): number {
    return this.#requests;
  }

  /** Whether any socket was seen. */
  get hasAny(): boolean {
    return this.#sockets.size > 0;
  }

  /** Whether each socket of the requests so far is closed. */
  get areClosed(): boolean {
    return [...this.#sockets].every((socket) => socket.destroyed);
  }

  [Symbol.dispose](): void {
    unsubscribe(channel, this.#onRequest);
  }
}
