// The directory of all hosts: what is stored is read here, and what is awake elsewhere is asked of its hosts.
import type { AccessAction } from '../../../machines/access.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { Bus } from '../contracts/bus.ts';
import type { Caller, SessionDirectory } from '../session/api.ts';
import type {
  ActiveTurns,
  AwakeSession,
  AwakeSessions,
  DescribedHost,
  DrainReply,
  HostReport,
  OpenQuestions,
  PageOfSessions,
  SessionQuery,
} from '../session/directory-api.ts';
import type { HeldSessions } from './held-sessions.ts';
import type { HostDrain } from './host-drain.ts';
import type { Peers } from './peers.ts';
import { hostSubject } from './subjects.ts';

/** How long a host may take, in milliseconds. */
const replyMs = 1_000;

/** What a host is asked of its own sessions. */
interface HostAnswers {
  activeTurns(caller: Caller): Promise<ActiveTurns>;
  questions(caller: Caller): Promise<OpenQuestions>;
  awake(caller: Caller): Promise<readonly AwakeSession[]>;
  sessionOf(action: AccessAction, caller: Caller, node: NodeId): Promise<string | null>;
  ancestorsOf(session: string, node: NodeId): Promise<readonly NodeId[] | null>;
  report(caller: Caller): Promise<HostReport>;
  /** Drains the host with this id of a lease; null: it is another one. */
  drain(host: string): Promise<ReturnType<HostDrain['ask']> | null>;
}

interface HostQuestion {
  readonly name: keyof HostAnswers;
  readonly given: readonly unknown[];
}

/** What a host knows of itself. */
interface OwnState {
  readonly held: Pick<HeldSessions, 'host'>;
  readonly drain: Pick<HostDrain, 'isWanted' | 'ask'>;
}

const answersOf = (own: SessionDirectory, state: OwnState): HostAnswers => ({
  activeTurns: (...given) => own.activeTurns(...given),
  questions: (...given) => own.questions(...given),
  awake: async (...given) => own.awakeHere.describe(...given),
  sessionOf: (...given) => own.sessionOf(...given),
  ancestorsOf: (...given) => own.ancestorsOf(...given),
  report: async (caller) => reportOf(own, state, caller),
  drain: async (host) => (host === state.held.host ? state.drain.ask() : null),
});

/** Returns what a host says of itself. */
function reportOf(own: SessionDirectory, { held, drain }: OwnState, caller: Caller): HostReport {
  const awake = own.awakeHere.describe(caller);
  const activeTurns = awake.reduce((sum, session) => sum + session.activeTurns, 0);
  return { host: held.host ?? '', sessions: awake.length, activeTurns, ...(drain.isWanted && { drains: true }) };
}

interface OwnHost extends OwnState {
  directory(): Promise<SessionDirectory>;
}

/** Answers what other hosts ask of the sessions of this one, until the returned function is called. */
export function answerHosts(bus: Bus, host: string, { directory, ...state }: OwnHost): () => void {
  return bus.answer(hostSubject(host), async (text) => {
    const { name, given } = JSON.parse(text) as HostQuestion; // sealed by a host of the cluster
    const answer: (...given: never[]) => Promise<unknown> = answersOf(await directory(), state)[name];
    const answered = await answer(...(given as never[])); // a host of the cluster gives what its question takes
    return JSON.stringify(answered ?? null);
  });
}

interface AskedHosts<T> {
  readonly replies: readonly T[];
  readonly missing: readonly string[];
}

export class ClusterDirectory implements SessionDirectory {
  readonly #own: SessionDirectory;
  readonly #bus: Bus;
  readonly #peers: Peers;
  readonly #state: OwnState;
  readonly awakeHere: AwakeSessions;
  readonly check: SessionDirectory['check'];
  readonly readFacts: SessionDirectory['readFacts'];

  constructor(own: SessionDirectory, bus: Bus, { peers, ...state }: OwnState & { readonly peers: Peers }) {
    this.#own = own;
    this.#bus = bus;
    this.#peers = peers;
    this.#state = state;
    this.awakeHere = own.awakeHere;
    this.check = (...given) => own.check(...given);
    this.readFacts = (...given) => own.readFacts(...given);
  }

  async list(caller: Caller, query: SessionQuery): Promise<PageOfSessions> {
    const { replies, missing } = await this.#ask('awake', caller);
    const elsewhere = new Map(replies.flat().map((awake) => [awake.session, awake]));
    return { ...(await this.#own.list(caller, query, elsewhere)), missing };
  }

  async activeTurns(caller: Caller): Promise<ActiveTurns> {
    const { turns } = await this.#own.activeTurns(caller);
    const { replies, missing } = await this.#ask('activeTurns', caller);
    return { turns: [...turns, ...replies.flatMap((reply) => reply.turns)], missing };
  }

  async questions(caller: Caller): Promise<OpenQuestions> {
    const { questions } = await this.#own.questions(caller);
    const { replies, missing } = await this.#ask('questions', caller);
    return { questions: [...questions, ...replies.flatMap((reply) => reply.questions)], missing };
  }

  async hosts(caller: Caller): Promise<readonly DescribedHost[]> {
    const { replies } = await this.#ask('report', caller);
    return this.#own.hosts(caller, [reportOf(this.#own, this.#state, caller), ...replies]);
  }

  async drainHost(caller: Caller, wanted: string): Promise<DrainReply> {
    const named = (await this.hosts(caller)).filter(({ host, name }) => host === wanted || name === wanted);
    const [one] = named;
    if (!one) return { type: 'unknown' };
    if (named.length > 1) return { type: 'ambiguous', hosts: named.map(({ host }) => host) };
    const { host, name, isAsked } = one;
    const replies = isAsked ? [this.#state.drain.ask()] : (await this.#ask('drain', host)).replies;
    const type = replies.find((reply) => reply !== null) ?? 'unreachable';
    return type === 'drains' || type === 'known' ? { type, host, name } : { type, name };
  }

  async sessionOf(action: AccessAction, caller: Caller, node: NodeId): Promise<string | null> {
    const own = await this.#own.sessionOf(action, caller, node);
    if (own !== null) return own;
    const { replies } = await this.#ask('sessionOf', action, caller, node);
    return replies.find((session) => session !== null) ?? null;
  }

  async ancestorsOf(session: string, node: NodeId): Promise<readonly NodeId[] | null> {
    const own = await this.#own.ancestorsOf(session, node);
    if (own !== null) return own;
    const { replies } = await this.#ask('ancestorsOf', session, node);
    return replies.find((above) => above !== null) ?? null;
  }

  /** Asks all other hosts at once. Never rejects. */
  async #ask<Name extends keyof HostAnswers>(
    name: Name,
    ...given: Parameters<HostAnswers[Name]>
  ): Promise<AskedHosts<Awaited<ReturnType<HostAnswers[Name]>>>> {
    const question: HostQuestion = { name, given };
    const text = JSON.stringify(question);
    const { all, missing: gone } = this.#peers;
    const asked = all.map(async (peer) => ({
      peer,
      answer: await this.#bus.ask(hostSubject(peer.host), text, replyMs),
    }));
    const missing = new Set(gone);
    const replies: Awaited<ReturnType<HostAnswers[Name]>>[] = [];
    for (const { peer, answer } of await Promise.all(asked))
      if (answer.type === 'answer')
        replies.push(JSON.parse(answer.text) as Awaited<ReturnType<HostAnswers[Name]>>); // its host has made it by this name
      else missing.add(peer.name);
    return { replies, missing: [...missing].sort() };
  }
}
