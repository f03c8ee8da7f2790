// The other end of the wire, for Node and browsers: connect, join sessions, let go. It needs the global WebSocket and nothing else.
import type { ServerFrame, ServerFrameOf } from '../protocol/frames.ts';
import type { FrameLimits } from '../protocol/limits.ts';
import type { ConnectionClosed } from './errors.ts';
import { handled } from './handled.ts';
import { type Refs, randomRefs } from './refs.ts';
import { type ClientSession, createSession, type SessionFeed } from './session.ts';
import { openWire, type Wire } from './wire.ts';

export interface ConnectOptions {
  /** Like `ws://127.0.0.1:7077/belay`. */
  readonly url: string;
  /** Not needed where the gateway has one fixed local speaker. */
  readonly token?: string;
  /** Names for commands, unique for the speaker; random ones by default. */
  readonly refs?: Refs;
}

export interface Client {
  readonly connection: string;
  readonly speaker: string;
  readonly roles: readonly string[];
  readonly limits: FrameLimits;
  /** Joins a session, or gives the one that is joined. `after`: replay the facts behind that number (0: all of them). */
  session(id: string, options?: { readonly after?: number }): ClientSession;
  /** Resolves with how the connection has ended, whoever ended it. */
  readonly closed: Promise<ConnectionClosed>;
  /** Leaves every session and closes the connection; resolves when it has ended. */
  close(): Promise<void>;
}

/** Resolves when the gateway has said welcome; rejects with `ConnectionClosed`, whose reason tells what was wrong. */
export async function connect({ url, token, refs = randomRefs }: ConnectOptions): Promise<Client> {
  const sessions = new Map<string, SessionFeed>();
  const welcomed = Promise.withResolvers<ServerFrameOf<'welcome'>>();
  handled(welcomed.promise);
  const closed = Promise.withResolvers<ConnectionClosed>();
  let end: ConnectionClosed | null = null;

  const wire: Wire = await openWire(url, {
    frame(frame: ServerFrame) {
      if (frame.type === 'welcome') return welcomed.resolve(frame);
      if ('session' in frame && frame.session !== undefined) return sessions.get(frame.session)?.take(frame);
      // an error that names no session: its ref finds the command
      for (const session of [...sessions.values()]) session.take(frame);
    },
    closed(why) {
      end = why;
      welcomed.reject(why);
      for (const session of sessions.values()) session.fail(why);
      sessions.clear();
      closed.resolve(why);
    },
  });
  wire.send({ type: 'HELLO', ...(token !== undefined && { token }) });
  const { connection, speaker, roles, limits } = await welcomed.promise;

  return {
    connection,
    speaker,
    roles,
    limits,
    session(id, { after } = {}) {
      const known = sessions.get(id);
      if (known) return known.session;
      const feed = createSession({ id, after: after ?? null, refs, wire, over: () => sessions.delete(id) });
      if (end) feed.fail(end);
      else sessions.set(id, feed);
      return feed.session;
    },
    closed: closed.promise,
    async close() {
      wire.close();
      await closed.promise;
    },
  };
}
