// The connection that is kept up: it connects, says who it is, looks whether the other side still lives, and comes back after a pause.
//
// 1. One wire at a time: what an earlier one brings after its end is not heard.
// 2. Every state is told; `closed` is the last one.
import type { ClientFrame } from '../protocol/client-frames.ts';
import type { ServerFrame, ServerFrameOf } from '../protocol/server-frames.ts';
import { type Backoff, pauseMs } from './backoff.ts';
import type { ClientSources } from './client-sources.ts';
import { ConnectionClosed } from './errors.ts';
import { openWire, type Wire } from './frame-socket.ts';
import type { CreateSocket } from './open-socket.ts';

/** A token, or what gives one: it is asked for each time that a connection is made. */
export type TokenSource = string | (() => string | undefined | Promise<string | undefined>);

export interface ReconnectOptions extends Backoff {
  /** Failures in a row after which it is given up. Without a limit by default. */
  readonly attempts?: number;
}

export type Welcome = ServerFrameOf<'welcome'>;

export type ClientState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open'; readonly welcome: Welcome }
  /** The last connection has ended, or could not be made; the next attempt comes `inMs` after this was told. `failures`: in a row. */
  | {
      readonly kind: 'reconnecting';
      readonly because: ConnectionClosed;
      readonly failures: number;
      readonly inMs: number;
    }
  /** For good. */
  | { readonly kind: 'closed'; readonly because: ConnectionClosed };

export interface LinkOptions {
  readonly url: string;
  readonly token: TokenSource | undefined;
  readonly reconnect: ReconnectOptions | null;
  readonly sources: ClientSources;
  readonly createSocket: CreateSocket;
  /** From the attempt to the welcome. */
  readonly welcomeMs: number;
}

export interface LinkListener {
  state(state: ClientState): void;
  frame(frame: ServerFrame): void;
}

export interface Link {
  readonly state: ClientState;
  /** To be called while it is open. */
  send(frame: ClientFrame): void;
  /** The next attempt is made now, if one is waited for. */
  retry(): void;
  /** Says goodbye; the state is `closed` at once. Resolves when the other side has answered, or has had its time. */
  close(): Promise<void>;
}

/** For the other side to answer a goodbye. */
const goodbyeMs = 2_000;
/** A connection that has lasted that long was a good one: the pauses begin anew. */
const stableMs = 5_000;
/** A token that was asked for is refused: it is asked for once more. */
const maxRefusals = 2;

export function createLink(options: LinkOptions, listener: LinkListener): Link {
  const { url, token, reconnect, sources, createSocket, welcomeMs } = options;
  const { clock, random } = sources;
  let state: ClientState = { kind: 'connecting' };
  let wire: Wire | null = null;
  let attempt = 0; // counts the wires, so that a token that comes late opens none
  let failures = 0;
  let refusals = 0;
  let openedAt = 0;
  let heard: 'something' | 'nothing' = 'something';
  let disarm = () => {};
  const goodbye = Promise.withResolvers<void>();

  function enter(next: ClientState): void {
    state = next;
    listener.state(next);
  }

  async function dial(): Promise<void> {
    if (state.kind === 'closed') return;
    attempt += 1;
    const mine = attempt;
    let proof: string | undefined;
    try {
      proof = typeof token === 'function' ? await token() : token;
    } catch (error) {
      if (mine === attempt) lost(new ConnectionClosed(1006, `There is no token: ${error}`));
      return;
    }
    if (mine !== attempt) return;
    try {
      wire = openWire(url, createSocket, {
        opened: () => wire?.send({ type: 'HELLO', ...(proof !== undefined && { token: proof }) }),
        frame: (frame) => {
          if (mine === attempt) take(frame);
        },
        closed: (why) => {
          if (mine === attempt) lost(why);
        },
      });
      disarm = clock.after(welcomeMs, () => wire?.drop(`${url} does not answer.`));
    } catch (error) {
      end(new ConnectionClosed(1006, `No connection can be made to ${url}: ${error}`)); // not even tried: the address is none
    }
  }

  function take(frame: ServerFrame): void {
    heard = 'something';
    if (frame.type === 'pong') return;
    if (frame.type !== 'welcome') return listener.frame(frame);
    if (state.kind === 'open') return; // said again
    disarm();
    refusals = 0;
    openedAt = clock.now();
    listen(frame.limits.heartbeatMs);
    enter({ kind: 'open', welcome: frame });
  }

  /** Twice nothing in a row, the second time after a question, is a dead connection. */
  function listen(everyMs: number, asked = 0): void {
    heard = 'nothing';
    disarm = clock.after(everyMs, () => {
      if (heard === 'something') return listen(everyMs);
      if (asked > 0) return wire?.drop('The gateway gave no sign of life.');
      wire?.send({ type: 'PING', ref: 'alive' });
      listen(everyMs, asked + 1);
    });
  }

  function lost(why: ConnectionClosed): void {
    disarm();
    wire = null;
    attempt += 1;
    if (state.kind === 'closed') return goodbye.resolve();
    const wasGood = state.kind === 'open' && clock.now() - openedAt >= stableMs;
    failures = wasGood ? 1 : failures + 1;
    if (why.reason === 'unauthorized') refusals += 1;
    if (!reconnect || isFinal(why) || failures > (reconnect.attempts ?? Number.POSITIVE_INFINITY)) return end(why);
    const inMs = why.reason === 'token_expired' && failures === 1 ? 0 : pauseMs(failures, random, reconnect);
    disarm = clock.after(inMs, () => void dial());
    enter({ kind: 'reconnecting', because: why, failures, inMs });
  }

  /** Whether coming back would be of no use. */
  function isFinal({ reason }: ConnectionClosed): boolean {
    switch (reason) {
      case 'too_many_errors':
        return true;
      case 'token_expired':
        return typeof token !== 'function';
      case 'unauthorized':
        return typeof token !== 'function' || refusals >= maxRefusals;
      default:
        return false;
    }
  }

  function end(why: ConnectionClosed): void {
    goodbye.resolve();
    enter({ kind: 'closed', because: why });
  }

  queueMicrotask(() => void dial()); // who makes it hears all of its states
  return {
    get state() {
      return state;
    },
    send: (frame) => wire?.send(frame),
    retry() {
      if (state.kind !== 'reconnecting' || wire) return;
      disarm();
      void dial();
    },
    close() {
      if (state.kind === 'closed') return goodbye.promise;
      disarm();
      enter({ kind: 'closed', because: new ConnectionClosed(1000, 'This client has closed the connection.') });
      if (wire) {
        disarm = clock.after(goodbyeMs, () => wire?.drop('No answer to the goodbye.'));
        wire.close();
      } else {
        attempt += 1;
        goodbye.resolve();
      }
      return goodbye.promise;
    },
  };
}
