// A client of a gateway, for Node and browsers: connects, joins sessions, reconnects, closes. It needs the global WebSocket and nothing else.
import { Listeners } from '../core/collections/listeners.ts';
import type { AskedSound, ClientFrame } from '../wire/client-frames.ts';
import { problem } from '../wire/errors.ts';
import { type FrameLimits, type WireFeature, wireFeatures } from '../wire/frame-limits.ts';
import type { ServerFrame, ServerFrameOf, SoundTerms } from '../wire/server-frames.ts';
import { pauseMs } from './backoff.ts';
import { type ClientSources, platformSources } from './client-sources.ts';
import type { CreateRef } from './command-ref.ts';
import type { ConnectionClosed } from './errors.ts';
import type { ValidateFrame } from './frame-socket.ts';
import { type ClientSession, JoinedSession } from './joined-session.ts';
import { type CreateSocket, openSocket } from './open-socket.ts';
import { type ClientState, ReconnectingLink, type ReconnectOptions, type TokenSource } from './reconnecting-link.ts';
import { type JoinOptions, replayStart } from './replay-start.ts';

export interface ConnectOptions {
  /** Like `ws://127.0.0.1:7077/belay`. */
  readonly url: string;
  /** A token, or a function that returns one and is called for each connection. Not needed if the gateway has one fixed local speaker. */
  readonly token?: TokenSource | undefined;
  /** Whether it connects again when the connection is lost. False: the client closes with its connection. Default: it reconnects without a limit, after pauses that grow from 250 ms to 15 s. */
  readonly reconnect?: boolean | ReconnectOptions | undefined;
  /** Timeout from the start of an attempt to connect until the gateway's welcome, in milliseconds (10 000). */
  readonly welcomeMs?: number | undefined;
  /** Whether commands without a connection fail (`reject`, the default) or wait for one (`wait`). */
  readonly whileDisconnected?: 'reject' | 'wait' | undefined;
  /** Whether the connection sends sound, and receives it: see `SessionSound`. Default: neither. */
  readonly sound?: AskedSound | undefined;
  /** Makes the refs of commands, which must be unique for the speaker. Default: random ones. */
  readonly createRef?: CreateRef | undefined;
  /** Clock and random numbers. Default: the platform's own. */
  readonly sources?: ClientSources | undefined;
  /** Makes the sockets: for headers, a proxy, certificates of your own (`(url, protocol) => new WebSocket(url, protocol, …)` of `ws`). Default: the global `WebSocket`. */
  readonly createSocket?: CreateSocket | undefined;
  /** For development: checks every frame of the server (`validateServerFrame` of `@belay/runtime/protocol`). A frame that is not valid closes the connection. Default: none is checked. */
  readonly validateFrame?: ValidateFrame | undefined;
}

/** A client that may still be connecting. Before the first welcome it has no speaker, roles and limits. */
export interface ConnectingClient extends AsyncDisposable {
  readonly state: ClientState;
  /** The id of the open connection, or of the last one; null before the first welcome, like the next four. */
  readonly connection: string | null;
  readonly speaker: string | null;
  readonly roles: readonly string[] | null;
  readonly limits: FrameLimits | null;
  /** What the gateway can do beyond the first frames of the protocol (docs/protocol.md, welcome), as far as this client knows it; none: it is an older one. */
  readonly features: readonly WireFeature[] | null;
  /** What was agreed on about sound; null: none was asked for, or the gateway is older, or there is no welcome yet. */
  readonly soundTerms: SoundTerms | null;
  /** Sends a binary frame of sound: see `SessionSound`. Without effect while there is no connection that has agreed to it. */
  sendSound(message: Uint8Array): void;
  /**
   * Joins a session, or returns the one that is joined. `after`: replay the facts with a higher sequence number (0: all of them). `last`: replay those of so many
   * turns. Without either nothing is replayed, and the session emits what happens from now on. `invite`: the secret of an invite link, which lets the speaker in.
   */
  session(id: string, options?: JoinOptions): ClientSession;
  /** Calls the listener for each new state, until the returned function is called. */
  on(type: 'state', listener: (state: ClientState) => void): () => void;
  /** Calls the listener for `error` frames that belong to no command: they show a bug of the client. */
  on(type: 'error', listener: (frame: ServerFrameOf<'error'>) => void): () => void;
  /** Calls the listener for each binary frame: sound of any session. See `SessionSound`. */
  on(type: 'sound', listener: (message: Uint8Array) => void): () => void;
  /** Makes the next attempt to connect now, instead of after the pause. */
  retry(): void;
  /** Resolves when the client has closed for good, with the reason. */
  readonly closed: Promise<ConnectionClosed>;
  /** Leaves every session and closes the connection. Resolves when the socket is closed. */
  close(): Promise<void>;
}

export interface Client extends ConnectingClient {
  readonly connection: string;
  readonly speaker: string;
  readonly roles: readonly string[];
  readonly limits: FrameLimits;
  readonly features: readonly WireFeature[];
}

/** Returns a client at once. It connects in the background and emits its states (`on('state', …)`). When it gives up, its state is `closed`. */
export function createClient(options: ConnectOptions): ConnectingClient {
  return new GatewayClient(options);
}

/** Resolves with a client after the gateway's welcome. Rejects with `ConnectionClosed` if the first attempt fails. Later the client reconnects by itself. */
export function connect(options: ConnectOptions): Promise<Client> {
  return new Promise((resolve, reject) => {
    const client = createClient(options);
    const unsubscribe = client.on('state', (state) => {
      if (state.kind === 'connecting') return;
      unsubscribe();
      if (state.kind === 'open') return resolve(client as Client); // after the welcome no field is null
      if (state.kind === 'reconnecting') void client.close();
      reject(state.because);
    });
  });
}

class GatewayClient implements ConnectingClient {
  readonly #createRef: CreateRef;
  readonly #sources: ClientSources;
  readonly #reconnect: ReconnectOptions | null;
  readonly #whileDisconnected: 'reject' | 'wait';
  readonly #link: ReconnectingLink;
  readonly #sessions = new Map<string, JoinedSession>();
  readonly #listeners = new Listeners<ClientState | ServerFrameOf<'error'> | Uint8Array>();
  readonly #closed = Promise.withResolvers<ConnectionClosed>();
  /** Disarm the timers after which sessions are joined again. */
  readonly #rejoinDisarms = new Set<() => void>();
  #welcome: ServerFrameOf<'welcome'> | null = null;

  constructor(options: ConnectOptions) {
    const { url, token, reconnect = true, welcomeMs = 10_000, validateFrame, sound } = options;
    const { createRef = platformSources.createRef, sources = platformSources, createSocket = openSocket } = options;
    this.#createRef = createRef;
    this.#sources = sources;
    this.#reconnect = reconnect === true ? {} : reconnect === false ? null : reconnect;
    this.#whileDisconnected = options.whileDisconnected ?? 'reject';
    this.#link = new ReconnectingLink(
      { url, token, reconnect: this.#reconnect, sources, createSocket, welcomeMs, validateFrame, sound },
      {
        onState: (state) => this.#onState(state),
        onFrame: (frame) => this.#dispatch(frame),
        onSound: (message) => this.#listeners.emit('sound', message),
      },
    );
  }

  get state(): ClientState {
    return this.#link.state;
  }

  get connection(): string | null {
    return this.#welcome?.connection ?? null;
  }

  get speaker(): string | null {
    return this.#welcome?.speaker ?? null;
  }

  get roles(): readonly string[] | null {
    return this.#welcome?.roles ?? null;
  }

  get limits(): FrameLimits | null {
    return this.#welcome?.limits ?? null;
  }

  get features(): readonly WireFeature[] | null {
    const listed = this.#welcome?.features ?? [];
    return this.#welcome && wireFeatures.filter((feature) => listed.includes(feature));
  }

  get soundTerms(): SoundTerms | null {
    return this.#welcome?.sound ?? null;
  }

  sendSound(message: Uint8Array): void {
    this.#link.sendSound(message);
  }

  get closed(): Promise<ConnectionClosed> {
    return this.#closed.promise;
  }

  session(id: string, options: JoinOptions = {}): ClientSession {
    const existing = this.#sessions.get(id);
    if (existing) return existing;
    const { state } = this.#link;
    const session = new JoinedSession({
      id,
      from: replayStart(options),
      invite: options.invite,
      createRef: this.#createRef,
      send: (frame) => this.#send(id, frame),
      speaker: () => this.speaker,
      features: () => this.features ?? [],
      isConnected: state.kind === 'open',
      whileDisconnected: this.#whileDisconnected,
      clock: this.#sources.clock,
      rejoinLater: this.#reconnect ? (failures, rejoin) => this.#rejoinLater(failures, rejoin) : undefined,
      onEnd: () => this.#sessions.delete(id),
    });
    if (state.kind === 'closed') session.fail(state.because);
    else this.#sessions.set(id, session);
    return session;
  }

  on(type: string, listener: (event: never) => void): () => void {
    return this.#listeners.on(type, listener);
  }

  retry(): void {
    this.#link.retry();
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #onState(state: ClientState): void {
    if (state.kind === 'open') this.#welcome = state.welcome;
    for (const session of [...this.#sessions.values()]) {
      if (state.kind === 'open') session.connect();
      else if (state.kind === 'closed') session.fail(state.because);
      else session.disconnect();
    }
    if (state.kind === 'closed') {
      this.#sessions.clear();
      for (const disarm of this.#rejoinDisarms) disarm();
      this.#closed.resolve(state.because);
    }
    this.#listeners.emit('state', state);
  }

  #dispatch(frame: ServerFrame): void {
    if ('session' in frame && frame.session !== undefined) return this.#sessions.get(frame.session)?.receive(frame);
    if (frame.type !== 'error') return;
    if (frame.ref === undefined) return this.#listeners.emit('error', frame);
    // the error names no session: each session ignores a ref that is not its own
    for (const session of [...this.#sessions.values()]) session.receive(frame);
  }

  /** Sends a frame, or rejects its command if the frame is too large: the gateway would close the connection. */
  #send(session: string, frame: ClientFrame): void {
    const limit = this.limits?.frameBytes ?? Number.POSITIVE_INFINITY;
    const bytes = new TextEncoder().encode(JSON.stringify(frame)).length;
    if (bytes <= limit) return this.#link.send(frame);
    const message = `The frame is too large: ${bytes} of ${limit} bytes. Shorten its text.`;
    const ref = 'ref' in frame ? (frame.ref ?? '') : ''; // this client gives every command one
    const refusal = { type: 'error', ref, session, ...problem('frame_too_large', { message, limit }) } as const;
    queueMicrotask(() => this.#dispatch(refusal));
  }

  #rejoinLater(failures: number, rejoin: () => void): void {
    const { clock, random } = this.#sources;
    const disarm = clock.after(pauseMs(failures, random, this.#reconnect ?? {}), () => {
      this.#rejoinDisarms.delete(disarm);
      if (this.#link.state.kind === 'open') rejoin();
    });
    this.#rejoinDisarms.add(disarm);
  }
}
