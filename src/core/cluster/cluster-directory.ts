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
  HostReport,
  OpenQuestions,
  PageOfSessions,
  SessionQuery,
} from '../session/directory-api.ts';
import type { HeldSessions } from './held-sessions.ts';
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
}

interface HostQuestion {
  readonly name: keyof HostAnswers;
  readonly given: readonly unknown[];
}

const answersOf = (own: SessionDirectory, held: Pick<HeldSessions, 'host'>): HostAnswers => ({
  activeTurns: (...given) => own.activeTurns(...given),
  questions: (...given) => own.questions(...given),
  awake: async (...given) => own.awakeHere.describe(...given),
  sessionOf: (...given) => own.sessionOf(...given),
  ancestorsOf: (...given) => own.ancestorsOf(...given),
  report: async (caller) => reportOf(own, held, caller),
});

/** Returns what a host says of itself. */
function reportOf(own: SessionDirectory, { host }: Pick<HeldSessions, 'host'>, caller: Caller): HostReport {
  const awake = own.awakeHere.describe(caller);
  const activeTurns = awake.reduce((sum, session) => sum + session.activeTurns, 0);
  return { host: host ?? '', sessions: awake.length, activeTurns };
}

interface OwnHost {
  directory(): Promise<SessionDirectory>;
  readonly held: Pick<HeldSessions, 'host'>;
}

/** Answers what other hosts ask of the sessions of this one, until the returned function is called. */
export function answerHosts(bus: Bus, host: string, { directory, held }: OwnHost): () => void {
  return bus.answer(hostSubject(host), async (text) => {
    const { name, given } = JSON.parse(text) as HostQuestion; // sealed by a host of the cluster
    const answer: (...given: never[]) => Promise<unknown> = answersOf(await directory(), held)[name];
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
  readonly #held: Pick<HeldSessions, 'host'>;
  readonly awakeHere: AwakeSessions;
  readonly check: SessionDirectory['check'];
  readonly readFacts: SessionDirectory['readFacts'];

  constructor(
    own: SessionDirectory,
    bus: Bus,
    { peers, held }: { readonly peers: Peers; readonly held: Pick<HeldSessions, 'host'> },
  ) {
    this.#own = own;
    this.#bus = bus;
    this.#peers = peers;
    this.#held = held;
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
    return this.#own.hosts(caller, [reportOf(this.#own, this.#held, caller), ...replies]);
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
