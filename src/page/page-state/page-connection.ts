// The connection of the page to its gateway: one client, and a view of each session that is open in this tab.

import { type ConnectingClient, type ConnectOptions, connect, createClient } from '../../client/client.ts';
import type { ClientSession } from '../../client/client-session.ts';
import { ConnectionClosed } from '../../client/errors.ts';
import type { ClientState } from '../../client/reconnecting-link.ts';
import { GatewayTime } from '../../client/view/gateway-time.ts';
import { SessionView } from '../../client/view/session-view.ts';
import { msSince } from '../../core/sources/monotonic-time.ts';
import { addressWithKey } from '../../wire/gateway-key.ts';
import type { ServerFrameOf } from '../../wire/server-frames.ts';
import { withShownNames } from '../../wire/shown-names.ts';
import { Continuity } from './continuity.ts';
import type { Credentials } from './credentials.ts';
import { consumeInvite } from './invite-link.ts';
import { pageClock } from './page-clock.ts';

/** Turns that a session is opened with: more than a screen shows. */
const openedTurns = 20;
/** Turns of a session that a tab holds which stays open, beside those that somebody has asked for: each costs time at every piece of text. Earlier ones are read again. */
const keptTurns = 50;

/** A session that is open in this tab. */
export interface OpenSession {
  readonly id: string;
  readonly session: ClientSession;
  readonly view: SessionView;
  readonly continuity: Continuity;
  /** Why the session could not be joined; resolves with null when it was. */
  readonly refusal: Promise<Error | null>;
}

export class PageConnection {
  readonly client: ConnectingClient;
  readonly credentials: Credentials;
  /** The time as the gateway has it. */
  readonly gatewayTime: GatewayTime;
  readonly #sessions = new Map<string, OpenSession>();

  constructor(credentials: Credentials) {
    const openedAt = pageClock.elapsed();
    this.gatewayTime = new GatewayTime(() => msSince(pageClock, openedAt));
    this.credentials = credentials;
    this.client = createClient({ ...connectOptions(credentials), whileDisconnected: 'wait' });
    this.getState = this.getState.bind(this);
    this.subscribe = this.subscribe.bind(this);
    this.openSessions = this.openSessions.bind(this);
    this.gatewayTime.connect(this.client);
  }

  getState(): ClientState {
    return this.client.state;
  }

  /** Calls the listener after each change of the state, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    return this.client.on('state', listener);
  }

  /** The sessions that are open in this tab; the last one was opened last. */
  openSessions(): readonly OpenSession[] {
    return [...this.#sessions.values()];
  }

  /** Joins a session with its last turns, or returns the one that is joined. One that has ended is joined anew. */
  open(id: string): OpenSession {
    const existing = this.#sessions.get(id);
    this.#sessions.delete(id); // it comes to the end of the list
    if (existing && existing.session.state !== 'ended') {
      this.#sessions.set(id, existing);
      return existing;
    }
    this.#makeRoom();
    const session = this.client.session(id, { last: openedTurns, invite: consumeInvite(id) });
    // in the same tick: the view sees every frame
    const view = new SessionView(withShownNames(session), { turns: keptTurns });
    this.gatewayTime.follow(session, { isReplayed: true });
    const refusal = session.joined.then(
      () => null,
      (error: Error) => error,
    );
    const opened = { id, session, view, continuity: new Continuity(session), refusal };
    this.#sessions.set(id, opened);
    return opened;
  }

  /** Leaves a session, as after its deletion. */
  forget(id: string): void {
    const opened = this.#sessions.get(id);
    this.#sessions.delete(id);
    opened?.view.close();
    if (opened && opened.session.state !== 'ended') void opened.session.leave().catch(() => {});
  }

  /** Leaves the sessions that were opened first, down to what the gateway allows on one connection with one more. */
  #makeRoom(): void {
    const most = this.client.limits?.sessions ?? Number.POSITIVE_INFINITY;
    for (const id of [...this.#sessions.keys()].slice(0, Math.max(0, this.#sessions.size - most + 1))) this.forget(id);
  }

  /** Sends a request to the HTTP door of the gateway, with the credentials of this tab. */
  request(path: string, init: RequestInit = {}): Promise<Response> {
    return requestAs(this.credentials, path, init);
  }

  close(): void {
    for (const { view } of this.#sessions.values()) view.close();
    void this.client.close();
  }
}

function requestAs(credentials: Credentials, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (credentials.kind !== 'none') headers.set('authorization', `Bearer ${credentials.secret}`);
  return fetch(new URL(path, document.baseURI), { ...init, headers, credentials: 'omit' });
}

/** Whether the gateway refuses the credentials. A refused upgrade looks like a gateway that is not there to a page, so the HTTP door is asked. Rejects when it is not there. */
export async function areRefused(credentials: Credentials): Promise<boolean> {
  const { status } = await requestAs(credentials, 'api/sessions?limit=1');
  return status === 401;
}

/** Asks the gateway whose credentials these are. Resolves with null where it refuses them; rejects when it is not there. */
export async function speakerOf(credentials: Credentials): Promise<string | null> {
  try {
    const client = await connect({ ...connectOptions(credentials), reconnect: false });
    void client.close();
    return client.speaker;
  } catch (error) {
    const isRefused = error instanceof ConnectionClosed && error.reason === 'unauthorized';
    if (isRefused || (await areRefused(credentials))) return null;
    throw error;
  }
}

function connectOptions(credentials: Credentials): Pick<ConnectOptions, 'url' | 'token'> {
  const address = gatewayAddress();
  return {
    url: credentials.kind === 'key' ? addressWithKey(address, credentials.secret) : address,
    token: credentials.kind === 'token' ? credentials.secret : undefined,
  };
}

/** The limits of the gateway; null before the welcome. */
export type WelcomeLimits = ServerFrameOf<'welcome'>['limits'];

/** The address of the gateway's socket: beside the page, where the gateway has said in it. */
function gatewayAddress(): string {
  const path = document.querySelector('meta[name="belay-path"]')?.getAttribute('content') ?? '/belay';
  const url = new URL(path.replace(/^\//, ''), document.baseURI);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.hash = '';
  return url.href;
}
