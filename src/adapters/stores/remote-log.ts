// The log of a process whose parent has the store: requests go over the channel between them, and the thread of the parent commits those of all children together.
import { EventEmitter } from 'node:events';
import { fieldsOf } from '../../core/collections/fields.ts';
import type { Log } from '../../core/contracts/log.ts';
import { createLogOn } from './sqlite.ts';
import type { ReadMessage, StoreMessage, StorePort, StoreReply, WriteMessage } from './sqlite-messages.ts';

/** A message on a channel. Others pass messages there, too: ours have this one field. */
type ChannelMessage = { readonly belayStore: FromChild | ToChild };

type FromChild = WriteMessage | ReadMessage;
/** `closed`: the parent has closed the store. */
type ToChild = readonly StoreReply[] | 'closed';

/** The channel carries JSON: bytes are a text in base64. */
interface CarriedBytes {
  readonly base64: string;
}

/** A process at the other end of a channel: a `ChildProcess`. */
export interface StoreClient {
  /** Whether its channel is open: one that could not be started has none. */
  readonly connected: boolean;
  send(message: object, callback: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  once(event: 'disconnect' | 'exit', listener: () => void): unknown;
}

/** The process of a log itself, where it was started with a channel. */
export type StoreChannel = Pick<NodeJS.Process, 'on' | 'connected'> & { send?: NodeJS.Process['send'] };

const messageOf = <T extends FromChild | ToChild>(message: unknown): T | null =>
  (fieldsOf(message)['belayStore'] as T | undefined) ?? null; // only the two ends here send this field

/** Performs the requests of children by the thread of this process. */
export class StoreHub {
  readonly #thread: StorePort;
  readonly #clients = new Set<StoreClient>();
  /** Who has sent a request that is in the thread, and its id there, by the id in the thread. */
  readonly #requests = new Map<number, { readonly client: StoreClient; readonly id: number }>();
  readonly #ended = Promise.withResolvers<void>();
  #hasEnded = false;
  #lastId = 0;

  constructor(thread: StorePort, onFailure: (error: unknown) => void) {
    this.#thread = thread;
    thread.on('message', (replies) => this.#reply(replies));
    thread.on('error', onFailure); // `exit` follows
    thread.on('exit', () => {
      this.#hasEnded = true;
      for (const client of this.#clients) sendTo(client, 'closed');
      this.#ended.resolve();
    });
  }

  /** Serves a child, until its channel is closed or it has exited. To be called in the tick in which it was started. */
  connect(client: StoreClient): void {
    this.#clients.add(client);
    const forget = () => void this.#clients.delete(client);
    client.once('disconnect', forget);
    client.once('exit', forget); // a channel that ends while it hands a socket over emits no `disconnect`
    client.on('message', (received) => {
      const message = messageOf<FromChild>(received);
      if (!message) return;
      if (this.#hasEnded) return sendTo(client, 'closed');
      this.#lastId += 1;
      this.#requests.set(this.#lastId, { client, id: message.id });
      this.#thread.postMessage(unpackRequest({ ...message, id: this.#lastId }));
    });
  }

  /** Closes the store; what was sent before is performed. */
  close(): Promise<void> {
    this.#thread.postMessage({ kind: 'close' });
    return this.#ended.promise;
  }

  #reply(replies: readonly StoreReply[]): void {
    const byClient = new Map<StoreClient, StoreReply[]>();
    for (const reply of replies) {
      const request = this.#requests.get(reply.id);
      if (!request) continue;
      this.#requests.delete(reply.id);
      const ofClient = byClient.get(request.client) ?? [];
      ofClient.push(packReply({ ...reply, id: request.id }));
      byClient.set(request.client, ofClient);
    }
    for (const [client, own] of byClient) sendTo(client, own);
  }
}

/** A child that dies meanwhile receives nothing: `disconnect` follows. */
function sendTo(client: StoreClient, message: ToChild): void {
  const carried: ChannelMessage = { belayStore: message };
  if (client.connected) client.send(carried, () => {});
}

/** The end of a child. Keeps no process alive: the connections of the gateway do. */
class ChannelPort extends EventEmitter implements StorePort {
  readonly #channel: StoreChannel;
  /** Requests without a reply. */
  #inFlight = 0;
  #state: 'open' | 'closing' | 'ended' = 'open';

  constructor(channel: StoreChannel) {
    super();
    this.#channel = channel;
    channel.on('message', (received: unknown) => {
      const message = messageOf<ToChild>(received);
      if (message === 'closed') return this.#fail('The process that has the store has closed it.');
      if (message) this.#receive(message);
    });
    channel.on('disconnect', () => this.#fail('The process that has the store has ended.'));
  }

  ref(): void {}

  unref(): void {}

  postMessage(message: StoreMessage): void {
    if (message.kind === 'close') {
      this.#state = 'closing';
      return this.#endIfDone();
    }
    this.#inFlight += 1;
    const carried: ChannelMessage = { belayStore: packRequest(message) };
    if (!this.#channel.connected) this.#fail('The process that has the store has ended.');
    else this.#channel.send?.(carried, undefined, {}, () => {}); // `disconnect` follows a failure
  }

  #receive(replies: readonly StoreReply[]): void {
    this.#inFlight -= replies.length;
    this.emit('message', replies.map(unpackReply));
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#state !== 'closing' || this.#inFlight > 0) return;
    this.#state = 'ended';
    queueMicrotask(() => this.emit('exit'));
  }

  #fail(why: string): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.emit('error', new Error(why));
    this.emit('exit');
  }
}

const isWrite = (message: FromChild): message is WriteMessage => message.kind === 'write';

function packRequest(message: FromChild): FromChild {
  if (!isWrite(message) || message.request.op !== 'putBlobs') return message;
  const blobs = message.request.blobs.map(({ id, data }) => ({ id, data: bytesToCarried(data) }));
  return { ...message, request: { ...message.request, blobs } } as unknown as FromChild; // as it is carried
}

function unpackRequest(message: FromChild): FromChild {
  if (!isWrite(message) || message.request.op !== 'putBlobs') return message;
  const blobs = message.request.blobs.map(({ id, data }) => ({ id, data: carriedToBytes(data) ?? data }));
  return { ...message, request: { ...message.request, blobs } };
}

function packReply(reply: StoreReply): StoreReply {
  if (!('value' in reply)) return reply;
  const { id, value } = reply;
  return { id, value: value instanceof Uint8Array ? bytesToCarried(value) : (value ?? null) }; // JSON has no undefined
}

function unpackReply(reply: StoreReply): StoreReply {
  const bytes = 'value' in reply ? carriedToBytes(reply.value) : null;
  return bytes ? { id: reply.id, value: bytes } : reply;
}

const bytesToCarried = ({ buffer, byteOffset, byteLength }: Uint8Array): CarriedBytes => ({
  base64: Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
});

/** Returns the bytes; null: they are none. */
function carriedToBytes(value: unknown): Uint8Array | null {
  const { base64 } = fieldsOf(value);
  return typeof base64 === 'string' ? new Uint8Array(Buffer.from(base64, 'base64')) : null;
}

/**
 * Starts to perform the requests of the children of this process by a thread of its own: `connect` each of them as it starts. `onFailure`: the thread has failed, so that every
 * request is rejected from then on.
 */
export const createStoreHub = (thread: StorePort, onFailure: (error: unknown) => void): StoreHub =>
  new StoreHub(thread, onFailure);

/**
 * Creates the log of a process whose parent has connected it to a `StoreHub`. `close` waits for what is in flight. When the parent has closed the store or has ended, every request
 * rejects with `StoreFailed`.
 */
export const createRemoteLog = (channel: StoreChannel = process): Log => createLogOn(new ChannelPort(channel));
