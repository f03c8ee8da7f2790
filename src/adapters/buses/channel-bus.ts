// The bus of a process and those that it has started, over the channels of Node between them: `fork` of node:child_process or node:cluster.
//
// The parent carries the texts, and takes no part otherwise.
import { BoundedMap } from '../../core/collections/bounded-map.ts';
import { fieldsOf } from '../../core/collections/fields.ts';
import type { Bus } from '../../core/contracts/bus.ts';
import { type Carrier, CarrierState } from './carrier.ts';
import { assertKey, type BusOptions, SealedBus } from './sealed-bus.ts';

/** A message on a channel. Others pass messages there, too: ours have this one field. */
type ChannelMessage = { readonly belayBus: FromChild | ToChild };

type FromChild =
  | { readonly op: 'listen'; readonly subject: string }
  | { readonly op: 'stop'; readonly subject: string }
  | { readonly op: 'send'; readonly subject: string; readonly text: string; readonly id: number };

type ToChild =
  | { readonly op: 'text'; readonly subject: string; readonly text: string }
  | { readonly op: 'nobody'; readonly id: number };

/** A process at the other end of a channel: a `ChildProcess`, or a `Worker` of node:cluster. */
export interface ChannelProcess {
  send(message: object, callback: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  once(event: 'disconnect' | 'exit', listener: () => void): unknown;
}

/** The process of a bus itself, where it was started with a channel. */
export type OwnChannel = Pick<NodeJS.Process, 'on' | 'off' | 'connected'> & { send?: NodeJS.Process['send'] };

const messageOf = <T extends FromChild | ToChild>(message: unknown): T | null =>
  (fieldsOf(message)['belayBus'] as T | undefined) ?? null; // only buses send this field

/** Carries the texts between the children of a process. */
export class ChannelHub {
  readonly #children = new Map<ChannelProcess, Set<string>>();

  /** Connects a child, until its channel is closed or it has exited. To be called in the tick in which it was started. */
  connect(child: ChannelProcess): void {
    const subjects = new Set<string>();
    this.#children.set(child, subjects);
    const forget = () => void this.#children.delete(child);
    child.once('disconnect', forget);
    child.once('exit', forget); // a channel that ends while it hands a socket over emits no `disconnect`
    child.on('message', (received) => {
      const message = messageOf<FromChild>(received);
      if (!message) return;
      if (message.op === 'listen') subjects.add(message.subject);
      else if (message.op === 'stop') subjects.delete(message.subject);
      else this.#carry(child, message);
    });
  }

  #carry(from: ChannelProcess, { subject, text, id }: Extract<FromChild, { readonly op: 'send' }>): void {
    const listening = [...this.#children].flatMap(([child, subjects]) => (subjects.has(subject) ? child : []));
    for (const child of listening) sendTo(child, { op: 'text', subject, text });
    if (listening.length === 0) sendTo(from, { op: 'nobody', id });
  }
}

/** A child that dies meanwhile receives nothing: `disconnect` follows. */
function sendTo(child: ChannelProcess, message: ToChild): void {
  const carried: ChannelMessage = { belayBus: message };
  child.send(carried, () => {});
}

/** Texts that the parent may find nobody for: the oldest are forgotten. */
const maxUnanswered = 10_000;

class ChannelCarrier extends CarrierState implements Carrier {
  readonly #process: OwnChannel;
  readonly #subjects = new Map<string, Set<(text: string) => void>>();
  readonly #unanswered = new BoundedMap<number, () => void>(maxUnanswered);
  readonly #onMessage = (received: unknown) => this.#receive(messageOf<ToChild>(received));
  readonly #onDisconnect = () => this.#goDown();
  #count = 0;

  constructor(channel: OwnChannel) {
    super();
    this.#process = channel;
    channel.on('message', this.#onMessage);
    channel.on('disconnect', this.#onDisconnect);
  }

  send(subject: string, text: string, onNobody?: () => void): void {
    const id = ++this.#count;
    if (onNobody) this.#unanswered.set(id, onNobody);
    this.#post({ op: 'send', subject, text, id });
  }

  listen(subject: string, listener: (text: string) => void): () => void {
    const listeners = this.#subjects.get(subject) ?? new Set();
    if (listeners.size === 0) this.#post({ op: 'listen', subject });
    this.#subjects.set(subject, listeners.add(listener));
    return () => {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      this.#subjects.delete(subject);
      this.#post({ op: 'stop', subject });
    };
  }

  async close(): Promise<void> {
    for (const subject of this.#subjects.keys()) this.#post({ op: 'stop', subject });
    this.#subjects.clear();
    this.#goDown();
  }

  #post(message: FromChild): void {
    const carried: ChannelMessage = { belayBus: message };
    if (this.#process.connected) this.#process.send?.(carried, undefined, {}, () => {}); // `disconnect` follows a failure
  }

  #receive(message: ToChild | null): void {
    if (message?.op === 'text')
      for (const listener of this.#subjects.get(message.subject) ?? []) listener(message.text);
    if (message?.op !== 'nobody') return;
    this.#unanswered.get(message.id)?.();
    this.#unanswered.delete(message.id);
  }

  #goDown(): void {
    this.#process.off('message', this.#onMessage);
    this.#process.off('disconnect', this.#onDisconnect);
    this.enter('down');
  }
}

/** Creates what carries the texts between the children of this process: `connect` each of them as it starts. */
export const createChannelHub = (): ChannelHub => new ChannelHub();

/**
 * Creates the bus of a process whose parent has connected it to a `ChannelHub`.
 *
 * @throws RangeError if the key is too short, or the process was started without a channel.
 */
export function createChannelBus(options: BusOptions, channel: OwnChannel = process): Bus {
  assertKey('createChannelBus', options);
  if (!channel.connected)
    throw new RangeError(
      'createChannelBus needs a process that was started with a channel: by fork of node:child_process or node:cluster.',
    );
  return new SealedBus(new ChannelCarrier(channel), options);
}
