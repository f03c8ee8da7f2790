// The requests of a chat to its gateway beside its socket, over HTTP: the list of sessions, what a session has used, and bytes to be said.
import { type SessionStatus, sessionStatuses } from '../../machines/vocabulary.ts';
import type { EarlierFacts } from '../client/view/earlier-turns.ts';
import type { ReadEarlier } from '../client/view/session-view.ts';
import { fieldsOf } from '../core/collections/fields.ts';
import type { SessionUsage } from '../core/reports/session-usage.ts';
import type { FactFrame } from '../wire/fact-frames.ts';
import { type GatewayAddress, type GatewayReply, GatewayRequests, missingHostsOf } from './gateway-requests.ts';
import { shorten } from './line-text.ts';

export interface ReadableSession {
  readonly session: string;
  readonly activeTurns: number;
  /** What happens there; null: the gateway is of an earlier version, which does not say. */
  readonly status: SessionStatus | null;
  /** The time of its last fact, in milliseconds since 1970; null: as for `status`. */
  readonly lastAt: number | null;
  /** What it was called, or the first words that were said there; null: none were. */
  readonly title: string | null;
  /** The session that it was forked from; null: it is no fork. */
  readonly forkedFrom: string | null;
}

/** Sessions, and the hosts of which there are none in the list, because they did not reply in time. */
interface SessionsOfHosts {
  readonly sessions: readonly ReadableSession[];
  readonly missing: readonly string[];
}

export interface FilteredSessions extends Pick<SessionsOfHosts, 'missing'> {
  readonly listed: readonly ReadableSession[];
  /** How many more there are. */
  readonly others: number;
}

const maxListed = 20;
const factsOfPage = 1_000;
const titleChars = 50;

const pathOf = (session: string) => `/api/sessions/${encodeURIComponent(session)}`;

export class ChatRequests {
  readonly #address: GatewayAddress;

  constructor(address: GatewayAddress) {
    this.#address = address;
  }

  /** Resolves with the sessions that the speaker may read, the newest first. */
  async allSessions(): Promise<readonly ReadableSession[]> {
    return (await this.#list({})).sessions;
  }

  /** Resolves also with the hosts that did not reply in time. `query`: filters of the route. */
  async #list(query: Readonly<Record<string, string>>): Promise<SessionsOfHosts> {
    const limit = String(factsOfPage);
    const body = await this.#read('/api/sessions', { limit, order: 'newest', ...query })
      // a gateway of an earlier version knows no order
      .catch((error: unknown) => this.#read('/api/sessions', { limit }).catch(() => Promise.reject(error)));
    const found = (Array.isArray(body['sessions']) ? body['sessions'] : []).map(fieldsOf);
    const sessions = found.map(({ session, activeTurns, title, forkedFrom, status, lastAt }) => ({
      session: String(session),
      activeTurns: Number(activeTurns ?? 0),
      status: sessionStatuses.find((each) => each === status) ?? null,
      lastAt: typeof lastAt === 'number' ? lastAt : null,
      title: typeof title === 'string' ? shorten(title, titleChars) : null,
      forkedFrom: textOf(fieldsOf(forkedFrom)['session']),
    }));
    return { sessions, missing: missingHostsOf(body) };
  }

  /** Resolves with the sessions that have the words in their names, their titles or what was said there, up to 20; how many there are beside them, and the hosts that did not reply in time. */
  async sessions(text: string): Promise<FilteredSessions> {
    const [all, found] = await Promise.all([this.#list({}), text === '' ? null : this.#list({ words: text })]);
    const said = new Set(found?.sessions.map(({ session }) => session));
    const wanted = all.sessions.filter(({ session }) => session.includes(text) || said.has(session));
    const listed = wanted.slice(0, maxListed);
    const missing = [...new Set([...all.missing, ...(found?.missing ?? [])])];
    return { listed, others: wanted.length - listed.length, missing };
  }

  /** Resolves with what a session, and the speaker's last turn in it, have used so far. */
  async usage(session: string): Promise<SessionUsage> {
    return (await this.#read(`${pathOf(session)}/usage`, {})) as unknown as SessionUsage; // as its route declares it
  }

  /** Resolves with the last facts of a session with a sequence number below `before`. */
  async earlierFacts(session: string, { before, limit }: Parameters<ReadEarlier>[0]): Promise<EarlierFacts> {
    const page = { before: String(before), limit: String(limit) };
    const { events, next } = await this.#read(`${pathOf(session)}/events`, page);
    const facts = (Array.isArray(events) ? events : []) as FactFrame[]; // as its route declares it
    return { events: facts, next: typeof next === 'number' ? next : null };
  }

  /** Stores bytes in a session. Resolves with the id of the blob. */
  async storeBlob(session: string, bytes: Uint8Array): Promise<string> {
    const requests = new GatewayRequests(this.#address);
    const { blob } = bodyOf(await requests.send('POST', `${pathOf(session)}/blobs`, { bytes }));
    return String(blob);
  }

  async #read(path: string, query: Readonly<Record<string, string>>): Promise<GatewayReply['body']> {
    return bodyOf(await new GatewayRequests(this.#address).send('GET', path, { query }));
  }
}

function bodyOf({ status, body, message }: GatewayReply): GatewayReply['body'] {
  if (status >= 400) throw new Error(message);
  return body;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
