// Keeps a connection up: connects, authenticates, notices when the server does not answer any more, and connects again after a pause.
//
// 1. There is one socket at a time: events of an earlier one are ignored.
// 2. Every state is reported; `closed` is the last one.
import type { ClientFrame } from '../wire/client-frames.ts';
import type { CloseName } from '../wire/close-codes.ts';
import { addressWithoutKey } from '../wire/gateway-key.ts';
import type { ServerFrame, ServerFrameOf } from '../wire/server-frames.ts';
import { type Backoff, pauseMs } from './backoff.ts';
import type { ClientSources } from './client-sources.ts';
import { ConnectionClosed } from './errors.ts';
import { FrameSocket, type FrameSocketOptions } from './frame-socket.ts';

/** A token, or a function that is called for one each time that a connection is made. */
export type TokenSource = string | (() => string | undefined | Promise<string | undefined>);

export interface ReconnectOptions extends Backoff {
  /** Failures in a row after which the client gives up. Default: no limit. */
  readonly attempts?: number | undefined;
}

export type Welcome = ServerFrameOf<'welcome'>;

export type ClientState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open'; readonly welcome: Welcome }
  /** The last connection has ended, or could not be made; the next attempt is made `inMs` milliseconds after this state was entered. `failures`: in a row. */
  | {
      readonly kind: 'reconnecting';
      readonly because: ConnectionClosed;
      readonly failures: number;
      readonly inMs: number;
    }
  /** For good. */
  | { readonly kind: 'closed'; readonly because: ConnectionClosed };

export interface LinkOptions extends FrameSocketOptions {
  readonly token: TokenSource | undefined;
  /** How often and when it connects again; null: the first end of the connection is final. */
  readonly reconnect: ReconnectOptions | null;
  readonly sources: ClientSources;
  /** Timeout from the attempt to the welcome, in milliseconds. */
  readonly welcomeMs: number;
}

export interface LinkListener {
  onState(state: ClientState): void;
  onFrame(frame: ServerFrame): void;
  onSound(message: Uint8Array): void;
}

/** Timeout for the server's close frame, in milliseconds. */
const closeMs = 2_000;
/** After a connection that has lasted this long, in milliseconds, the pauses start again from the shortest. */
const stableMs = 5_000;
/** How many tokens of a token function may be refused in a row. */
const maxTokenRefusals = 2;

/** `final`: another attempt would end in the same way. `of_token`: so it would, unless there is a new token. */
const finalities: Readonly<Record<CloseName, 'final' | 'of_token' | 'passing'>> = {
  too_many_errors: 'final',
  unauthorized: 'of_token',
  token_expired: 'of_token',
  hello_timeout: 'passing',
  heartbeat_lost: 'passing',
  slow_reader: 'passing',
  flood: 'passing',
  too_many_connections: 'passing',
  too_many_unproven: 'passing',
  shutdown: 'passing',
  store_failed: 'passing',
  fenced: 'passing',
  session_failed: 'passing',
  gateway_failed: 'passing',
};

const isUnknownSound = (frame: ServerFrame): boolean =>
  frame.type === 'error' && frame.code === 'unknown_field' && frame.field === 'sound';

export class ReconnectingLink {
  readonly #options: LinkOptions;
  readonly #listener: LinkListener;
  readonly #closed = Promise.withResolvers<void>();
  #state: ClientState = { kind: 'connecting' };
  #socket: FrameSocket | null = null;
  /** Counts the attempts, so that a token that comes too late opens no socket. */
  #attemptNumber = 0;
  #failures = 0;
  #tokenRefusals = 0;
  /** What the gateway has sent in this interval of its heartbeat: something, nothing, or nothing after a PING either. */
  #heartbeat: 'heard' | 'quiet' | 'pinged' = 'quiet';
  #disarm = () => {};
  /** Disarms the timer after which an open connection counts as stable. */
  #disarmStable = () => {};

  /** Connects in a microtask, so that the caller sees every state. */
  constructor(options: LinkOptions, listener: LinkListener) {
    this.#options = options;
    this.#listener = listener;
    queueMicrotask(() => void this.#connect());
  }

  get state(): ClientState {
    return this.#state;
  }

  /** Sends the frame; without effect while the link is not open. */
  send(frame: ClientFrame): void {
    this.#socket?.send(frame);
  }

  /** Sends sound; without effect while the link is not open, or where the gateway has not agreed to it. */
  sendSound(message: Uint8Array): void {
    if (this.#state.kind === 'open' && this.#state.welcome.sound?.send) this.#socket?.sendSound(message);
  }

  /** Makes the next attempt now, instead of after the pause. */
  retry(): void {
    if (this.#state.kind !== 'reconnecting' || this.#socket) return;
    this.#disarm();
    void this.#connect();
  }

  /** Closes the connection; the state is `closed` at once. Resolves as soon as the server has answered, or after 2 s. */
  close(): Promise<void> {
    if (this.#state.kind === 'closed') return this.#closed.promise;
    this.#disarm();
    this.#disarmStable();
    this.#enter({ kind: 'closed', because: new ConnectionClosed(1000, 'This client has closed the connection.') });
    const socket = this.#socket;
    if (socket) {
      const { clock } = this.#options.sources;
      this.#disarm = clock.after(closeMs, () => socket.drop('The server did not answer the close frame.'));
      socket.close();
    } else {
      this.#attemptNumber += 1;
      this.#closed.resolve();
    }
    return this.#closed.promise;
  }

  #enter(next: ClientState): void {
    this.#state = next;
    this.#listener.onState(next);
  }

  async #connect(): Promise<void> {
    if (this.#state.kind === 'closed') return;
    this.#attemptNumber += 1;
    const attempt = this.#attemptNumber;
    let { token } = this.#options;
    try {
      if (typeof token === 'function') token = await token();
    } catch (error) {
      if (attempt === this.#attemptNumber)
        this.#onLost(new ConnectionClosed(1006, `The token function failed: ${error}`));
      return;
    }
    if (attempt === this.#attemptNumber) this.#openSocket(attempt, token);
  }

  #openSocket(attempt: number, token: string | undefined): void {
    const { sources, welcomeMs, sound } = this.#options;
    const url = addressWithoutKey(this.#options.url);
    const ifCurrent = (act: () => void) => {
      if (attempt === this.#attemptNumber) act();
    };
    try {
      const socket = new FrameSocket(this.#options, {
        onOpen: () => socket.send({ type: 'HELLO', token, sound }),
        onFrame: (frame) => {
          // a gateway that is older than sound
          if (this.#state.kind !== 'open' && isUnknownSound(frame)) return socket.send({ type: 'HELLO', token });
          ifCurrent(() => this.#receive(frame));
        },
        onSound: (message) => ifCurrent(() => this.#listener.onSound(message)),
        onClose: (why) => ifCurrent(() => this.#onLost(why)),
      });
      this.#socket = socket;
      this.#disarm = sources.clock.after(welcomeMs, () =>
        socket.drop(`${url} sent no welcome within ${welcomeMs} ms.`),
      );
    } catch (error) {
      // the address is invalid: no other attempt can succeed
      this.#giveUp(new ConnectionClosed(1006, `No connection can be made to ${url}: ${error}`));
    }
  }

  #receive(frame: ServerFrame): void {
    this.#heartbeat = 'heard';
    if (frame.type === 'pong') return;
    if (frame.type !== 'welcome') return this.#listener.onFrame(frame);
    if (this.#state.kind === 'open') return; // repeated
    this.#disarm();
    this.#tokenRefusals = 0;
    this.#disarmStable = this.#options.sources.clock.after(stableMs, () => {
      this.#failures = 0;
    });
    this.#heartbeat = 'quiet';
    this.#watchHeartbeat(frame.limits.heartbeatMs);
    this.#enter({ kind: 'open', welcome: frame });
  }

  /** Sends a PING after a silent interval, and drops the connection after the next one. */
  #watchHeartbeat(everyMs: number): void {
    this.#disarm = this.#options.sources.clock.after(everyMs, () => {
      if (this.#heartbeat === 'pinged')
        return this.#socket?.drop(`The gateway sent nothing for ${2 * everyMs} ms, not even after a PING.`);
      const isQuiet = this.#heartbeat === 'quiet';
      this.#heartbeat = isQuiet ? 'pinged' : 'quiet';
      if (isQuiet) this.#socket?.send({ type: 'PING', ref: 'alive' });
      this.#watchHeartbeat(everyMs);
    });
  }

  /** The connection has ended, or could not be made. */
  #onLost(why: ConnectionClosed): void {
    const { reconnect, sources } = this.#options;
    this.#disarm();
    this.#disarmStable();
    this.#socket = null;
    this.#attemptNumber += 1;
    if (this.#state.kind === 'closed') return this.#closed.resolve();
    this.#failures += 1;
    const failures = this.#failures;
    if (why.reason === 'unauthorized') this.#tokenRefusals += 1;
    if (!reconnect || this.#isFinal(why) || failures > (reconnect.attempts ?? Number.POSITIVE_INFINITY))
      return this.#giveUp(why);
    const isExpired = why.reason === 'token_expired' && failures === 1;
    const inMs = isExpired ? 0 : pauseMs(failures, sources.random, reconnect);
    this.#disarm = sources.clock.after(inMs, () => void this.#connect());
    this.#enter({ kind: 'reconnecting', because: why, failures, inMs });
  }

  /** Whether another attempt would end in the same way. */
  #isFinal({ reason }: ConnectionClosed): boolean {
    const canRenew = typeof this.#options.token === 'function';
    switch (reason === null ? 'passing' : finalities[reason]) {
      case 'final':
        return true;
      case 'of_token':
        return !canRenew || this.#tokenRefusals >= maxTokenRefusals;
      case 'passing':
        return false;
    }
  }

  #giveUp(why: ConnectionClosed): void {
    this.#closed.resolve();
    this.#enter({ kind: 'closed', because: why });
  }
}
