// A client by hand: it sends what a check wants, keeps every frame of the gateway, and waits for frames with a timeout.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { subprotocol } from '../../src/wire/frame-limits.ts';
import { serverSchemas } from '../../src/wire/server-frames.ts';
import { Violation } from './verdict.ts';

export interface WireFrame {
  readonly type: string;
  readonly [field: string]: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** How long a check waits for a reply, in milliseconds, if nothing else is said. */
export const defaultReplyMs = 5_000;

/** How long a check waits for what comes after a model's reply, in milliseconds. */
export const turnMs = 60_000;

/** Returns the list in a field of a frame; an empty one where it is none. */
export const listOf = (frame: Omit<WireFrame, 'type'>, field: string): readonly unknown[] => {
  const list = frame[field];
  return Array.isArray(list) ? list : [];
};

export interface WireOptions {
  readonly protocols?: readonly string[];
  /** Whether pings of the gateway are answered. */
  readonly answersPings?: boolean;
}

/** How a connection ended. */
export interface WireClose {
  readonly code: number;
  readonly reason: string;
}

export class WireClient {
  readonly frames: WireFrame[] = [];
  /** Frames that are not as docs/protocol.md has them. */
  readonly invalid: string[] = [];
  readonly #socket: WebSocket;
  readonly #replyMs: number;
  readonly #waiting = new Set<() => void>();
  #close: WireClose | null = null;

  private constructor(socket: WebSocket, replyMs: number) {
    this.#socket = socket;
    this.#replyMs = replyMs;
    socket.on('error', () => {}); // `close` follows
    socket.on('close', (code, reason) => {
      this.#close = { code, reason: reason.toString() };
      this.#wake();
    });
    socket.on('message', (data) => {
      const frame: WireFrame = JSON.parse(data.toString());
      this.frames.push(frame);
      this.#validate(frame);
      this.#wake();
    });
  }

  /** Connects. Rejects with a Violation that has the status if the upgrade is refused. */
  static async connect(
    url: string,
    replyMs = defaultReplyMs,
    { protocols = [subprotocol], answersPings = true }: WireOptions = {},
  ): Promise<WireClient> {
    const socket = new WebSocket(url, [...protocols], { handshakeTimeout: defaultReplyMs, autoPong: answersPings });
    const client = new WireClient(socket, replyMs);
    try {
      await once(socket, 'open');
    } catch (error) {
      throw new Violation(`The upgrade was refused: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      });
    }
    return client;
  }

  get isClosed(): boolean {
    return this.#socket.readyState >= WebSocket.CLOSING;
  }

  /** Sends an object as JSON, a string or bytes as they are. */
  send(...messages: readonly (object | string | Uint8Array)[]): void {
    for (const message of messages)
      this.#socket.send(
        typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message),
      );
  }

  /** All frames with these fields, in the order of arrival. `from`: how many frames to leave out. */
  all(fields: Fields, from = 0): readonly WireFrame[] {
    return this.frames
      .slice(from)
      .filter((frame) => Object.entries(fields).every(([name, value]) => frame[name] === value));
  }

  /** Resolves with the first frame with these fields, whether it has arrived or not. Rejects with a Violation after `ms`. `from`: how many frames to leave out. */
  async next(fields: Fields, ms = this.#replyMs, from = 0): Promise<WireFrame> {
    const frame = await this.#firstWithin(ms, () => this.all(fields, from)[0] ?? (this.isClosed ? 'never' : null));
    if (frame === 'never' || frame === null) throw new Violation(this.#missing(fields, ms));
    return frame;
  }

  /** Sends a command and resolves with its reply: the first frame with its ref that arrives from now on. */
  async ask(command: WireFrame & { readonly ref: string }, ms = this.#replyMs): Promise<WireFrame> {
    const from = this.frames.length;
    this.send(command);
    return this.next({ ref: command.ref }, ms, from);
  }

  /** Resolves with the end of the connection. Rejects with a Violation after `ms`. */
  async nextClose(ms = this.#replyMs): Promise<WireClose> {
    const close = await this.#firstWithin(ms, () => this.#close);
    if (close === null) throw new Violation(`The connection was not closed within ${ms} ms.`);
    return close;
  }

  /** Resolves when everything that was sent has been handled: the gateway has replied to a PING. */
  async settle(): Promise<void> {
    const ref = `ping-${this.frames.length}-${Math.round(performance.now() * 1_000)}`;
    this.send({ type: 'PING', ref });
    await this.next({ type: 'pong', ref });
  }

  close(): void {
    this.#socket.close(1000);
  }

  /** Breaks the connection without a close frame. */
  terminate(): void {
    this.#socket.terminate();
  }

  #missing(fields: Fields, ms: number): string {
    const wanted = JSON.stringify(fields);
    if (this.isClosed) return `The connection was closed before ${wanted} came.`;
    const last = this.frames.slice(-5).map((frame) => JSON.stringify(frame).slice(0, 160));
    return `No frame ${wanted} within ${ms} ms. The last ones: ${last.join(' ') || 'none'}`;
  }

  /** Resolves with what `find` returns as soon as it is something; with null after `ms`. */
  async #firstWithin<Found>(ms: number, find: () => Found | null): Promise<Found | null> {
    const until = performance.now() + ms;
    for (;;) {
      const found = find();
      if (found !== null) return found;
      const left = until - performance.now();
      if (left <= 0) return null;
      await this.#somethingWithin(left);
    }
  }

  async #somethingWithin(ms: number): Promise<void> {
    const controller = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    await Promise.race([promise, pause(ms, undefined, { signal: controller.signal }).catch(() => {})]);
    controller.abort();
    this.#waiting.delete(resolve);
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
  }

  #validate(frame: WireFrame): void {
    const error = serverSchemas.get(frame.type)?.safeParse(frame).error;
    // a newer gateway may have further types and fields
    const issues = error?.issues.filter(({ code }) => code !== 'unrecognized_keys') ?? [];
    for (const { path, message } of issues) this.invalid.push(`${frame.type}.${path.join('.')}: ${message}`);
  }
}
