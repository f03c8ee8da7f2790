// One connection to the Realtime API: its socket, its configuration, and which event of ours an error is about. Importing this file loads the openai client.
//
// 1. It listens for errors before anything is sent: an error that nobody listens for ends the process.
// 2. The provider decides nothing: it begins no response by itself, interrupts none, and never speaks because nobody does.
// 3. It is over once, and says why.
import type { IncomingMessage } from 'node:http';
import { connect, type TcpNetConnectOpts } from 'node:net';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import type { ClientOptions } from 'ws';
import { BoundedMap } from '../../../core/collections/bounded-map.ts';
import type { Clock } from '../../../core/sources/sources.ts';
import { ErrorResponse } from '../error-response.ts';
import { readErrorResponse } from '../read-error-response.ts';
import { BrokenBody } from '../transport/broken-body.ts';
import { NodeResponse } from '../transport/http-fetch.ts';
import type { RealtimeClientEvent, RealtimeServerEvent, SessionUpdate } from './realtime-events.ts';

/** How long a connection may take to be made, in milliseconds. */
const connectMs = 10_000;
/** Events of ours that an error may still be about. */
const maxPurposes = 1_000;
/** The most bytes of one event of the provider. */
const maxEventBytes = 16_777_216;

export interface RealtimeConnectionOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string;
  readonly clock: Clock;
  /** What the session is configured with. */
  readonly setup: SessionUpdate;
}

export interface ConnectionListener {
  onEvent(event: RealtimeServerEvent): void;
  /** An error of the provider. `about`: what was sent for it; undefined: it is not known. */
  onError(error: ErrorResponse, about: string | undefined): void;
  /** The connection is over; null: it was closed here. */
  onOver(error: Error | null): void;
}

/** What a session at the provider needs of its connection. */
export type ProviderConnection = Pick<RealtimeConnection, 'opened' | 'send' | 'close' | 'terminate'>;

export class RealtimeConnection {
  readonly #socket: OpenAIRealtimeWS;
  readonly #listener: ConnectionListener;
  /** By the id of the event. */
  readonly #purposes = new BoundedMap<string, string>(maxPurposes);
  readonly #opened = Promise.withResolvers<void>();
  #waiting: string[] = [];
  #state: 'connecting' | 'open' | 'over' = 'connecting';
  #events = 0;
  #error: Error | null = null;

  constructor(
    { baseUrl, apiKey, headers, model, clock, setup }: RealtimeConnectionOptions,
    listener: ConnectionListener,
  ) {
    this.#listener = listener;
    this.#opened.promise.catch(() => {});
    const client = new OpenAI({ baseURL: baseUrl, apiKey, logLevel: 'off' });
    const options = { headers, maxPayload: maxEventBytes, ...plainSocketFor(baseUrl) };
    this.#socket = new OpenAIRealtimeWS({ model, options }, client);
    this.#socket.on('error', (error) => this.#onError(error));
    this.#socket.on('event', (event) => {
      if (event.type !== 'error' && this.#state !== 'over') listener.onEvent(event);
    });
    const disarm = clock.after(connectMs, () => {
      this.#error ??= failedConnection(new Error(`The connection was not made within ${connectMs} ms.`));
      this.#socket.socket.terminate();
    });
    this.#socket.socket.once('unexpected-response', (_, response) => void this.#onRefused(response));
    this.#socket.socket.once('open', () => {
      disarm();
      this.#onOpen();
    });
    this.#socket.socket.once('close', () => {
      disarm();
      this.#finish(this.#error ?? new BrokenBody());
    });
    this.send({ type: 'session.update', session: setup }, 'setup');
  }

  /** Resolves when it is open. Rejects if it cannot be. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  /** Sends an event, when the connection is open. `purpose`: what an error names that it causes. */
  send(event: RealtimeClientEvent, purpose: string): void {
    if (this.#state === 'over') return;
    const id = `belay_${this.#events++}`;
    if (event.type !== 'input_audio_buffer.append') this.#purposes.set(id, purpose);
    const text = JSON.stringify({ ...event, event_id: id });
    if (this.#state === 'connecting') this.#waiting.push(text);
    else this.#socket.socket.send(text);
  }

  /** Closes it with a handshake. */
  close(): void {
    this.#finish(null);
    this.#socket.socket.close(1000);
  }

  /** Ends it at once. */
  terminate(): void {
    this.#finish(null);
    this.#socket.socket.terminate();
  }

  #onOpen(): void {
    if (this.#state !== 'connecting') return;
    this.#state = 'open';
    for (const text of this.#waiting) this.#socket.socket.send(text);
    this.#waiting = [];
    this.#opened.resolve();
  }

  /** The response to a refused upgrade says why, and when to try again. */
  async #onRefused(message: IncomingMessage): Promise<void> {
    const response = new NodeResponse(message, message, this.#socket.url.href);
    this.#error = new ErrorResponse(response.status, response.headers, ''); // if its body does not end in time
    this.#error = await readErrorResponse(response);
    this.#socket.socket.terminate();
  }

  /** Errors of the provider come as events; others are of the socket, which closes after them. */
  #onError(error: Error & { readonly error?: unknown; readonly cause?: unknown }): void {
    if (this.#state === 'over') return;
    const { error: content } = error;
    if (content === undefined) {
      this.#error ??= failedConnection(error.cause ?? error);
      return;
    }
    // the client gives the error of an event as an object; any field of it may be left out
    const id = (content as { readonly event_id?: string | null }).event_id ?? '';
    this.#listener.onError(new ErrorResponse(null, undefined, content), this.#purposes.get(id));
  }

  #finish(error: Error | null): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#waiting = [];
    this.#opened.reject(error ?? new Error('The connection was closed.'));
    this.#listener.onOver(error);
  }
}

/** Returns the error of a connection that could not be made, or is broken. */
const failedConnection = (cause: unknown): Error => new TypeError('fetch failed', { cause });

/** The client speaks TLS to whatever address it is given; one with `http:` is that of a server of this machine, or behind a tunnel. */
function plainSocketFor(baseUrl: string): Pick<ClientOptions, 'createConnection'> {
  if (new URL(baseUrl).protocol === 'https:') return {};
  // of the overloads of net.connect only this one is called; its `path` would be that of a local socket
  const connectPlain = ({ host, port }: TcpNetConnectOpts) => connect({ host, port });
  // ws calls it with the host and the port of the address only
  return { createConnection: connectPlain as ClientOptions['createConnection'] };
}
