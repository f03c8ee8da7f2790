// The directory of the sessions that this host has, awake or in its store.
import type { AccessAction } from '../../../machines/access.ts';
import type { SequencedFact } from '../../../machines/facts.ts';
import { answersByRole } from '../../../machines/standing.ts';
import type { NodeId, SessionStatus } from '../../../machines/vocabulary.ts';
import type { Log } from '../contracts/log.ts';
import type { FoundSession, SessionOrder, SessionPlace } from '../contracts/session-search.ts';
import { activityOf } from '../live/node-activity.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import type { Caller, SessionDirectory } from '../session/api.ts';
import type {
  ActiveCall,
  ActiveTurn,
  ActiveTurns,
  AwakeSession,
  AwakeSessions,
  DescribedHost,
  FactPage,
  HostReport,
  ListedSession,
  OpenQuestions,
  PageOfSessions,
  SessionQuery,
} from '../session/directory-api.ts';
import { factOf } from '../session/read-log.ts';
import type { Session } from '../session/session.ts';
import { endedStatus } from '../words/session-status.ts';
import { AccessDenied, type Admission } from './admission.ts';
import { describeHosts } from './describe-hosts.ts';

/** Ids that are read from the store at once. */
const idsPerRead = 500;
/** Sessions that one request looks at: its page is short then, and the next one goes on. */
const maxLookedAt = 5_000;

/** The sessions that are awake on other hosts, by id. */
type Elsewhere = ReadonlyMap<string, AwakeSession>;

/** Nothing is missing in what one host lists of its own. */
const complete = { missing: [] } as const;

export class LocalDirectory implements SessionDirectory {
  readonly awakeHere: AwakeSessions;
  readonly #log: Log;
  readonly #admission: Admission;
  readonly #sessions: ReadonlyMap<string, Session>;

  /** `sessions`: those that are awake, by id. */
  constructor(log: Log, admission: Admission, sessions: ReadonlyMap<string, Session>) {
    this.#log = log;
    this.#admission = admission;
    this.#sessions = sessions;
    this.awakeHere = {
      mayRead: (caller, id) => this.#mayReadAwake(caller, id),
      describe: (caller) => [...this.#sessions.values()].map((session) => awakeSessionOf(session, caller)),
      activity: () => new Map([...this.#sessions].map(([id, session]) => [id, isAtRest(session) ? 'at_rest' : 'busy'])),
      release: (id) => this.#release(id),
    };
  }

  async list(caller: Caller, query: SessionQuery, elsewhere: Elsewhere = new Map()): Promise<PageOfSessions> {
    return this.#log.findSessions && query.action === 'read'
      ? this.#find(caller, query, elsewhere)
      : this.#listByName(caller, query, elsewhere);
  }

  /** Finds sessions in the index of the log. */
  async #find(
    caller: Caller,
    { after, limit, state, order = 'name', status, turn = null }: SessionQuery,
    elsewhere: Elsewhere,
  ): Promise<PageOfSessions> {
    const found: ListedSession[] = [];
    const search = { order, turn, among: state === 'awake' ? this.#awakeAfter(null, elsewhere) : null };
    let place = after === null ? null : placeOf(after, order);
    for (let lookedAt = 0; ; lookedAt += idsPerRead) {
      const page = await this.#log.findSessions?.(search, place, idsPerRead);
      for (const one of page?.found ?? []) {
        const listed = await this.#describe(caller, one, elsewhere);
        if (!listed || (status !== undefined && listed.status !== status)) continue;
        if (found.length === limit) return { sessions: found, next: place && cursorOf(place, order), ...complete };
        found.push(listed);
        place = one;
      }
      place = page?.next ?? null;
      if (place === null || lookedAt + idsPerRead >= maxLookedAt)
        return { sessions: found, next: place && cursorOf(place, order), ...complete };
    }
  }

  /** Resolves with null if the caller may not read the session. */
  async #describe(
    caller: Caller,
    { session, at, title: given, lastTurn }: FoundSession,
    elsewhere: Elsewhere,
  ): Promise<ListedSession | null> {
    const { may, title, forked } = await this.#admission.lookUp('read', caller, session);
    if (!may) return null;
    const awake = this.#sessions.get(session);
    return {
      session,
      title: given ?? title,
      forkedFrom: forked && { session: forked.session, turn: forked.turn },
      lastAt: at,
      status: elsewhere.get(session)?.status ?? statusFor(caller, awake?.shown.tree.entries() ?? null, lastTurn),
      ...this.#stateOf(session, elsewhere),
    };
  }

  /** Lists sessions without an index: of a log that has none, and those in which the caller may stop something, whatever becomes of the store. */
  async #listByName(
    caller: Caller,
    { after, limit, action, state }: SessionQuery,
    elsewhere: Elsewhere,
  ): Promise<PageOfSessions> {
    const found: ListedSession[] = [];
    const ids = state === 'awake' ? this.#awakeAfter(after, elsewhere) : this.#idsAfter(after, elsewhere);
    for await (const id of ids) {
      const { may, title, forked } = await this.#admission.lookUp(action, caller, id);
      if (!may) continue;
      if (found.length === limit) return { sessions: found, next: found.at(-1)?.session ?? null, ...complete };
      const forkedFrom = forked && { session: forked.session, turn: forked.turn };
      found.push({ session: id, title, forkedFrom, lastAt: null, status: null, ...this.#stateOf(id, elsewhere) });
    }
    return { sessions: found, next: null, ...complete };
  }

  async activeTurns(caller: Caller): Promise<ActiveTurns> {
    return { turns: this.#awakeFor('read', caller).flatMap((session) => activeTurnsOf(session)), ...complete };
  }

  async questions(caller: Caller): Promise<OpenQuestions> {
    const questions = this.#awakeFor('read', caller).flatMap(({ id, shown }) =>
      shown.tree
        .entries()
        .flatMap((entry) =>
          entry.question ? [{ session: id, asked: entry.question.asked, mayAnswer: asksCaller(entry, caller) }] : [],
        ),
    );
    return { questions, ...complete };
  }

  hosts(_: Caller, reports?: readonly HostReport[]): Promise<readonly DescribedHost[]> {
    return describeHosts(this.#log, reports);
  }

  async sessionOf(action: AccessAction, caller: Caller, node: NodeId): Promise<string | null> {
    const has = ({ shown }: Session) => shown.tree.get(node) !== undefined || shown.index.knowsNode(node);
    return this.#awakeFor(action, caller).find(has)?.id ?? null;
  }

  async ancestorsOf(session: string, node: NodeId): Promise<readonly NodeId[] | null> {
    const tree = this.#sessions.get(session)?.shown.tree;
    const entry = tree?.get(node);
    if (!tree || !entry) return null;
    return tree
      .pathToRoot(entry)
      .map(({ id }) => id)
      .filter((id) => id !== node);
  }

  async check(action: AccessAction, caller: Caller, session: string): Promise<void> {
    const { may, exists } = await this.#admission.lookUp(action, caller, session);
    if (!may || !(exists || this.#sessions.has(session))) throw new AccessDenied(action);
  }

  async readFacts(
    caller: Caller,
    session: string,
    { after, before, limit }: FactPage,
  ): Promise<readonly SequencedFact[]> {
    await this.check('read', caller, session);
    if (before === null) return (await this.#log.read(session, after, limit)).map(factOf);
    const end = Math.min(before - 1, (await this.#log.head(session)).last);
    const from = Math.max(after, end - limit);
    return end > from ? (await this.#log.read(session, from, end - from)).map(factOf) : [];
  }

  async #release(id: string): Promise<boolean> {
    const session = this.#sessions.get(id);
    return session !== undefined && isAtRest(session) && session.closeAtRest('fenced');
  }

  #mayReadAwake(caller: Caller, id: string): boolean | null {
    const session = this.#sessions.get(id);
    return session?.state.kind === 'open' ? this.#admission.may('read', caller, { id, ...session.guarded }) : null;
  }

  /** Yields the ids of the store and of what is awake, in their order. */
  async *#idsAfter(after: string | null, elsewhere: Elsewhere): AsyncGenerator<string, void, void> {
    let awake = this.#awakeAfter(after, elsewhere);
    let from = after;
    while (this.#log.listSessions) {
      const stored = await this.#log.listSessions(from, idsPerRead);
      const last = stored.at(-1);
      const isLastPage = stored.length < idsPerRead || last === undefined;
      const here = isLastPage ? awake : awake.filter((id) => id <= last);
      awake = awake.filter((id) => !here.includes(id));
      yield* [...new Set([...stored, ...here])].sort();
      if (isLastPage) return;
      from = last;
    }
    yield* awake;
  }

  #awakeAfter(after: string | null, elsewhere: Elsewhere): readonly string[] {
    const all = new Set([...this.#sessions.keys(), ...elsewhere.keys()]);
    return [...all].filter((id) => after === null || id > after).sort();
  }

  #stateOf(id: string, elsewhere: Elsewhere): Pick<ListedSession, 'state' | 'activeTurns'> {
    const session = this.#sessions.get(id);
    const there = elsewhere.get(id);
    if (there) return { state: 'awake', activeTurns: there.activeTurns };
    return session ? { state: 'awake', activeTurns: openTurnsOf(session).length } : { state: 'asleep', activeTurns: 0 };
  }

  #awakeFor(action: AccessAction, caller: Caller): readonly Session[] {
    return [...this.#sessions.values()].filter(
      (session) =>
        session.state.kind === 'open' && this.#admission.may(action, caller, { id: session.id, ...session.guarded }),
    );
  }
}

/** The `next` of a page, as the request for the next one has it. */
const cursorOf = ({ at, session }: SessionPlace, order: SessionOrder): string =>
  order === 'name' ? session : `${at}~${session}`;

/** Returns the place of a cursor; that of the first session where it is none. */
function placeOf(after: string, order: SessionOrder): SessionPlace | null {
  if (order === 'name') return { at: 0, session: after };
  const [, at, session] = /^(\d{1,16})~(.+)$/s.exec(after) ?? [];
  return session === undefined ? null : { at: Number(at), session };
}

/** Whether nothing happens in a session, speech included. */
const isAtRest = ({ state, shown }: Session): boolean => state.kind === 'open' && shown.tree.size === 0;

const openTurnsOf = ({ shown }: Session): readonly NodeEntry[] =>
  shown.tree.entries().filter(({ kind, isSettled }) => kind === 'turn' && !isSettled);

const awakeSessionOf = (session: Session, caller: Caller): AwakeSession => ({
  session: session.id,
  activeTurns: openTurnsOf(session).length,
  status: statusOfAwake(caller, session.shown.tree.entries()),
});

function activeTurnsOf(session: Session): readonly ActiveTurn[] {
  const { tree, history } = session.shown;
  const entries = tree.entries();
  return openTurnsOf(session).map(({ id: turn, owner, parent, name: agent, since, cut, phase }) => {
    const own = history.facts().filter((fact) => 'turn' in fact && fact.turn === turn);
    return {
      session: session.id,
      turn,
      agent,
      parent,
      owner,
      since,
      phase: phase ?? 'queued',
      state: cut ? 'stopping' : 'running',
      calls: entries.filter((entry) => entry.parent === turn && !entry.isSettled).flatMap(activeCallOf),
      callCount: own.filter(({ type }) => type === 'tool_call').length,
      modelCalls: own.filter(({ type }) => type === 'model_started').length,
    };
  });
}

function activeCallOf(entry: NodeEntry): readonly ActiveCall[] {
  const { id, kind, name, owner, since, waitsFor, question } = entry;
  if (kind === 'turn' || kind === 'input' || kind === 'speech') return [];
  const state = activityOf(entry);
  return [{ node: id, kind, name, owner, since, state, waitsFor, question: question?.id ?? null }];
}

/** Returns the status of a session. `entries`: its live tree; null: it is not awake here. */
function statusFor(
  caller: Caller,
  entries: readonly NodeEntry[] | null,
  lastTurn: FoundSession['lastTurn'],
): SessionStatus {
  const live = entries && statusOfAwake(caller, entries);
  if (live) return live;
  if (lastTurn === null) return 'new';
  return lastTurn.outcome === 'open' ? 'runs' : endedStatus(lastTurn.outcome); // another host has one that is open
}

/** Returns what happens in a session that is awake; null: nothing. */
function statusOfAwake(caller: Caller, entries: readonly NodeEntry[]): AwakeSession['status'] {
  if (entries.some((entry) => asksCaller(entry, caller))) return 'asks';
  return entries.some(({ kind, isSettled }) => kind === 'turn' && !isSettled) ? 'runs' : null;
}

/** Whether a node has an open question that the caller may answer. */
const asksCaller = ({ question }: NodeEntry, { speaker }: Caller): boolean =>
  question !== null && (question.asked.to === speaker.id || answersByRole(speaker));
