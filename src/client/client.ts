// The other end of the wire, for Node and browsers: it connects, joins sessions, comes back by itself, lets go. It needs the global WebSocket and nothing else.

import type { ClientFrame } from '../protocol/client-frames.ts';
import { problem } from '../protocol/errors.ts';
import type { FrameLimits } from '../protocol/frame-limits.ts';
import type { ServerFrame, ServerFrameOf } from '../protocol/server-frames.ts';
import { pauseMs } from './backoff.ts';
import { type ClientSources, platformSources } from './client-sources.ts';
import type { ConnectionClosed } from './errors.ts';
import { type ClientSession, createSession, type SessionFeed } from './joined-session.ts';
import { createListeners } from './listeners.ts';
import { type CreateSocket, openSocket } from './open-socket.ts';
import { type ClientState, createLink, type ReconnectOptions, type TokenSource } from './reconnecting-link.ts';
import type { Refs } from './refs.ts';

export interface ConnectOptions {
  /** Like `ws://127.0.0.1:7077/belay`. */
  readonly url: string;
  /** A token, or what gives one: it is asked for again with each connection. Not needed where the gateway has one fixed local speaker. */
  readonly token?: TokenSource;
  /** False: the first end of the connection is the end. Default: it comes back, again and again, with pauses that grow from 250 ms to 15 s. */
  readonly reconnect?: boolean | ReconnectOptions;
  /** How long the gateway may take to answer an attempt to connect (10 000). */
  readonly welcomeMs?: number;
  /** What becomes of what is said while there is no connection. Default: `reject`; nothing waits without having been asked to. */
  readonly whileDisconnected?: 'reject' | 'wait';
  /** Names for commands, unique for the speaker; random ones by default. */
  readonly refs?: Refs;
  /** Time and chance; the platform's own by default. */
  readonly sources?: ClientSources;
  /** Makes the sockets: for headers, a proxy, certificates of one's own (`(url, protocol) => new WebSocket(url, protocol, …)` of `ws`). Default: the global `WebSocket`. */
  readonly createSocket?: CreateSocket;
}

/** A client that may have no connection yet. */
export interface EarlyClient extends AsyncDisposable {
  readonly state: ClientState;
  /** Of the connection that is open, or was the last; null before the first. */
  readonly connection: string | null;
  readonly speaker: string | null;
  readonly roles: readonly string[] | null;
  readonly limits: FrameLimits | null;
  /**
   * Joins a session, or gives the one that is joined. `after`: replay the facts behind that number (0: all of them). Without it nothing is replayed, and
   * one hears what happens from now on.
   */
  session(id: string, options?: { readonly after?: number }): ClientSession;
  /** Hears of each new state, until the returned function is called. */
  on(type: 'state', hear: (state: ClientState) => void): () => void;
  /** Hears of errors that answer no command: the client itself has a bug then. */
  on(type: 'error', hear: (frame: ServerFrameOf<'error'>) => void): () => void;
  /** Does not wait for the next attempt to connect, but makes it. */
  retry(): void;
  /** Resolves with how the connection has ended for good, whoever ended it. */
  readonly closed: Promise<ConnectionClosed>;
  /** Leaves every session and closes the connection; resolves when nothing of it is left. */
  close(): Promise<void>;
}

export interface Client extends EarlyClient {
  readonly connection: string;
  readonly speaker: string;
  readonly roles: readonly string[];
  readonly limits: FrameLimits;
}

/** A client at once, which connects by itself and says so (`on('state', …)`). It never rejects; when it gives up, it is `closed`. */
export function createClient(options: ConnectOptions): EarlyClient {
  const { url, token, reconnect = true, whileDisconnected = 'reject', createSocket = openSocket } = options;
  const { refs = platformSources.refs, sources = platformSources, welcomeMs = 10_000 } = options;
  const pauses = typeof reconnect === 'object' ? reconnect : {};
  const sessions = new Map<string, SessionFeed>();
  const listeners = createListeners<ClientState | ServerFrameOf<'error'>>();
  const closed = Promise.withResolvers<ConnectionClosed>();
  const disarms = new Set<() => void>();
  let last: ServerFrameOf<'welcome'> | null = null;

  const link = createLink(
    { url, token, reconnect: reconnect === false ? null : pauses, sources, createSocket, welcomeMs },
    { state: take, frame: dispatch },
  );

  function take(state: ClientState): void {
    if (state.kind === 'open') last = state.welcome;
    for (const session of [...sessions.values()]) {
      if (state.kind === 'open') session.connected();
      else if (state.kind === 'closed') session.fail(state.because);
      else session.lost();
    }
    if (state.kind === 'closed') {
      sessions.clear();
      for (const disarm of disarms) disarm();
      closed.resolve(state.because);
    }
    listeners.tell('state', state);
  }

  function dispatch(frame: ServerFrame): void {
    if ('session' in frame && frame.session !== undefined) return sessions.get(frame.session)?.take(frame);
    if (frame.type !== 'error') return;
    if (frame.ref === undefined) return listeners.tell('error', frame);
    // an error that names no session: its ref finds the command
    for (const session of [...sessions.values()]) session.take(frame);
  }

  /** What the gateway would not take for its size closes the connection there; here it is an answer like any other. */
  function send(session: string, frame: ClientFrame): void {
    const limit = last?.limits.frameBytes ?? Number.POSITIVE_INFINITY;
    const bytes = new TextEncoder().encode(JSON.stringify(frame)).length;
    if (bytes <= limit) return link.send(frame);
    const message = `The frame has ${bytes} bytes; it may have ${limit}.`;
    const ref = 'ref' in frame ? frame.ref : '';
    queueMicrotask(() => dispatch({ type: 'error', ref, session, ...problem('frame_too_large', { message, limit }) }));
  }

  function later(failures: number, again: () => void): void {
    const disarm = sources.clock.after(pauseMs(failures, sources.random, pauses), () => {
      disarms.delete(disarm);
      if (link.state.kind === 'open') again();
    });
    disarms.add(disarm);
  }

  const close = () => link.close();
  return {
    get state() {
      return link.state;
    },
    get connection() {
      return last?.connection ?? null;
    },
    get speaker() {
      return last?.speaker ?? null;
    },
    get roles() {
      return last?.roles ?? null;
    },
    get limits() {
      return last?.limits ?? null;
    },
    session(id, { after } = {}) {
      const known = sessions.get(id);
      if (known) return known.session;
      const { state } = link;
      const feed = createSession({
        id,
        after: after ?? null,
        refs,
        wire: { send: (frame) => send(id, frame) },
        isConnected: state.kind === 'open',
        whileDisconnected,
        ...(reconnect !== false && { later }),
        over: () => sessions.delete(id),
      });
      if (state.kind === 'closed') feed.fail(state.because);
      else sessions.set(id, feed);
      return feed.session;
    },
    on: (type: string, hear: (event: never) => void) => listeners.on(type, hear),
    retry: link.retry,
    closed: closed.promise,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Resolves with a client when the gateway has said welcome; rejects with `ConnectionClosed` when the first attempt has failed. After that it comes back by itself. */
export function connect(options: ConnectOptions): Promise<Client> {
  return new Promise((resolve, reject) => {
    const client = createClient(options);
    const stop = client.on('state', (state) => {
      stop();
      if (state.kind === 'open') return resolve(client as Client);
      if (state.kind === 'reconnecting') void client.close();
      reject(state.kind === 'closed' || state.kind === 'reconnecting' ? state.because : new Error(state.kind));
    });
  });
}
