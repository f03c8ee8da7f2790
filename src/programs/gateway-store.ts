// Reads the sessions of a gateway over HTTP, as the commands of the one on call read a store: what the speaker of the token may read.
import type { SequencedFact } from '../../machines/facts.ts';
import type { StoredSession, StoreReader } from '../adapters/stores/store-reader.ts';
import { fieldsOf } from '../core/collections/fields.ts';
import type { TurnSearch } from '../core/contracts/session-search.ts';
import { ConfigError } from './config-error.ts';
import type { Flags } from './flags.ts';
import { namesGatewayOnly, readToken, readUrl } from './gateway-flags.ts';
import { GatewayRequests, missingHostsOf } from './gateway-requests.ts';
import { openStore } from './read-store.ts';

/** What the reports need of a store. */
export type ReadableStore = Pick<StoreReader, 'sessions' | 'facts' | 'sessionsWith' | 'close'> & {
  /** The hosts of which a gateway has listed nothing, because they did not reply in time. Left out: it is a store, in which nothing is missing. */
  readonly missing?: readonly string[];
};

/** Sessions that are listed by one request: as many as the gateway lists. */
const sessionsOfPage = 1_000;

/**
 * Opens the store of the flags; where `--url` alone is given, what the gateway shows of its own. Rejects with `ConfigError` if there is no such store, or with the error of the gateway.
 *
 * @param id Names a session, or something in one. Where it is a session, a gateway is asked for the facts of no other.
 * @param search What one turn of a session must be: a gateway is asked for the facts of no other session. Null: any.
 */
export async function openReadableStore(
  values: Flags['values'],
  { id, search = null }: { readonly id?: string | undefined; readonly search?: TurnSearch | null } = {},
): Promise<ReadableStore> {
  if (!namesGatewayOnly(values)) return openStore(values);
  const gateway = new GatewayRequests({ url: readUrl(values), token: readToken(values) });
  const { sessions, missing } = await listSessions(gateway, search);
  const named = sessions.filter(({ session }) => session === id);
  const read = new Map<string, readonly SequencedFact[]>();
  for (const { session } of named.length > 0 ? named : sessions) read.set(session, await readFacts(gateway, session));
  return new GatewayStore(sessions, read, missing);
}

class GatewayStore implements ReadableStore {
  readonly missing: readonly string[];
  readonly #sessions: readonly StoredSession[];
  readonly #facts: ReadonlyMap<string, readonly SequencedFact[]>;

  constructor(
    sessions: readonly StoredSession[],
    facts: ReadonlyMap<string, readonly SequencedFact[]>,
    missing: readonly string[],
  ) {
    this.missing = missing;
    this.#sessions = sessions;
    this.#facts = facts;
  }

  sessions(): readonly StoredSession[] {
    return this.#sessions;
  }

  *facts(session: string): Generator<SequencedFact, void, void> {
    yield* this.#facts.get(session) ?? [];
  }

  sessionsWith(text: string): readonly string[] {
    const isIn = (facts: readonly SequencedFact[]) =>
      facts.some((one) => JSON.stringify(one).includes(JSON.stringify(text)));
    return [...this.#facts].filter(([, facts]) => isIn(facts)).map(([session]) => session);
  }

  close(): void {}
}

interface ListedSessions {
  readonly sessions: readonly StoredSession[];
  readonly missing: readonly string[];
}

async function listSessions(gateway: GatewayRequests, search: TurnSearch | null): Promise<ListedSessions> {
  const found: StoredSession[] = [];
  const missing = new Set<string>();
  for (let after: unknown = null, isFirst = true; isFirst || typeof after === 'string'; isFirst = false) {
    const query = { ...queryOf(search), limit: String(sessionsOfPage), ...(typeof after === 'string' && { after }) };
    const { body, message } = await gateway.send('GET', '/api/sessions', { query });
    const rows = body['sessions'];
    if (!Array.isArray(rows)) throw new ConfigError(`The gateway does not list its sessions: ${message}`);
    for (const { session, state } of rows.map(fieldsOf)) {
      const holder = state === 'awake' ? { host: 'gateway', process: null, isAsked: true as const } : null;
      found.push({ session: String(session), last: 0, holder });
    }
    for (const host of missingHostsOf(body)) missing.add(host);
    after = body['next'];
  }
  return { sessions: found, missing: [...missing] };
}

/** The fields of a search as the route takes them. */
function queryOf(search: TurnSearch | null): Readonly<Record<string, string>> {
  const fields = Object.entries({ ...search, words: search?.words?.join(' ') });
  return Object.fromEntries(fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));
}

/** Resolves with the facts of a session, but for those that the gateway keeps for itself; none if it was deleted meanwhile. */
async function readFacts(gateway: GatewayRequests, session: string): Promise<readonly SequencedFact[]> {
  const { status, text } = await gateway.send('GET', `/api/sessions/${encodeURIComponent(session)}/export`);
  if (status >= 300) return [];
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.flatMap((line) => {
    const { seq, ...fact } = JSON.parse(line) as SequencedFact['fact'] & { readonly seq?: number }; // as the route writes them
    return seq === undefined ? [] : [{ seq, fact: fact as SequencedFact['fact'] }]; // the last line says what is left out
  });
}
