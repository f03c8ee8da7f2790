// The lists of the gateway: the sessions that the speaker may read, the newest first, and the questions that the speaker may answer in all of them. They are asked for again from time to time.
import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import type { Refusal } from '../../../machines/facts.ts';
import type { SessionStatus } from '../../../machines/vocabulary.ts';
import { questionOf } from '../../client/view/questions.ts';
import type { QuestionView } from '../../client/view/snapshot.ts';
import { Listeners } from '../../core/collections/listeners.ts';
import { refusalsText } from '../../core/words/receipt-words.ts';
import type { JoinedFrame } from '../../wire/server-frames.ts';
import { useConnection, useConnectionState } from './connection-context.ts';
import { adoptListed, forgetSession, type KnownFork } from './known-sessions.ts';
import { areNoticesOn } from './notices.ts';
import { pageClock } from './page-clock.ts';
import type { PageConnection } from './page-connection.ts';
import { problemText } from './problem-text.ts';

export interface DirectorySession {
  readonly session: string;
  /** The title that it was given, or the beginning of the first words that were said in it; null: there are none. */
  readonly title: string | null;
  /** Where it was forked from; null: it is no fork. */
  readonly forkedFrom?: KnownFork['from'] | null;
  /** The time of its last fact, in milliseconds since 1970. */
  readonly lastAt: number | null;
  readonly status: SessionStatus | null;
}

/** A question that the speaker may answer. */
export interface AskedQuestion {
  readonly session: string;
  readonly question: QuestionView;
}

export interface OverviewSnapshot {
  /** The sessions that are listed; null: not known yet, or the gateway does not say. */
  readonly sessions: readonly DirectorySession[] | null;
  /** What is needed to list more; null: there are no more. */
  readonly next: string | null;
  readonly questions: readonly AskedQuestion[];
  /** The names of the hosts that did not reply in time. */
  readonly missing: readonly string[];
}

interface PageOfSessions {
  readonly sessions: readonly DirectorySession[];
  readonly next: string | null;
  /** The hosts that did not reply in time. Left out by a gateway of an earlier version. */
  readonly missing?: readonly string[];
}

type ListedQuestion = JoinedFrame['questions'][number] & { readonly session: string; readonly mayAnswer: boolean };

/** As its route declares it. `missing` is left out by a gateway of an earlier version. */
interface QuestionsReply {
  readonly questions: readonly ListedQuestion[];
  readonly missing?: readonly string[];
}

interface ListedQuestions {
  readonly asked: readonly AskedQuestion[];
  readonly missing: readonly string[];
}

const everyMs = 5_000;
const sessionsOfPage = 100;

export class Overview {
  readonly #connection: PageConnection;
  readonly #listeners = new Listeners<void>();
  #snapshot: OverviewSnapshot = { sessions: null, next: null, questions: [], missing: [] };
  /** Sessions that are listed: more, where more were asked for. */
  #limit = sessionsOfPage;
  #lastRequest = 0;

  constructor(connection: PageConnection) {
    this.#connection = connection;
    this.subscribe = this.subscribe.bind(this);
    this.getSnapshot = this.getSnapshot.bind(this);
    this.refresh = this.refresh.bind(this);
    this.loadMore = this.loadMore.bind(this);
  }

  getSnapshot(): OverviewSnapshot {
    return this.#snapshot;
  }

  /** Calls the listener after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    return this.#listeners.on('change', listener);
  }

  /** Asks the gateway. Where it does not reply, what was listed before stays. */
  refresh(): void {
    const isOpen = this.#connection.getState().kind === 'open';
    if (!isOpen || (document.visibilityState !== 'visible' && !areNoticesOn())) return;
    this.#lastRequest += 1;
    const request = this.#lastRequest;
    Promise.all([this.#list(), this.#listQuestions()]).then(
      ([{ sessions, next, missing }, questions]) => {
        if (request !== this.#lastRequest) return; // a later one has what is newer
        adoptListed(sessions);
        this.#snapshot = {
          sessions,
          next,
          missing: [...new Set([...missing, ...questions.missing])],
          questions: questions.asked,
        };
        this.#listeners.emit('change', undefined);
      },
      () => {},
    );
  }

  loadMore(): void {
    this.#limit += sessionsOfPage;
    this.refresh();
  }

  async #list(): Promise<Required<PageOfSessions>> {
    const sessions: DirectorySession[] = [];
    const missing = new Set<string>();
    let next: string | null = null;
    do {
      const page = await findSessions(this.#connection, next === null ? {} : { after: next });
      sessions.push(...page.sessions);
      for (const host of page.missing ?? []) missing.add(host);
      next = page.next;
    } while (next !== null && sessions.length < this.#limit);
    return { sessions, next, missing: [...missing] };
  }

  async #listQuestions(): Promise<ListedQuestions> {
    const response = await this.#connection.request('api/questions');
    if (!response.ok) throw new Error(`The list of questions: status ${response.status}.`);
    const { questions, missing = [] } = (await response.json()) as QuestionsReply; // as its route declares it
    const asked = questions
      .filter(({ mayAnswer }) => mayAnswer)
      .map((one) => ({ session: one.session, question: questionOf(one) }));
    return { asked, missing };
  }
}

/** Asks for a page of sessions, the newest first. `filters`: of the route. */
export async function findSessions(
  connection: PageConnection,
  filters: Readonly<Record<string, string>>,
): Promise<PageOfSessions> {
  const query = new URLSearchParams({ order: 'newest', limit: String(sessionsOfPage), ...filters });
  const response = await connection.request(`api/sessions?${query}`);
  if (!response.ok) throw new Error(await problemText(response));
  return (await response.json()) as PageOfSessions; // as its route declares it
}

export const OverviewContext = createContext<Overview | null>(null);

/** Returns what the gateway lists, and follows it. Throws outside of the page of somebody who is signed in. */
export function useOverview(): OverviewSnapshot & Pick<Overview, 'refresh' | 'loadMore'> {
  const overview = useContext(OverviewContext);
  if (!overview) throw new Error('There is no overview here: the component is outside of the shell.');
  const { refresh, loadMore } = overview;
  return { ...useSyncExternalStore(overview.subscribe, overview.getSnapshot), refresh, loadMore };
}

/** Makes the overview of the connection, and keeps it up to date. `place`: another value asks at once. */
export function useNewOverview(place: string): Overview {
  const connection = useConnection();
  const { kind } = useConnectionState();
  const [overview] = useState(() => new Overview(connection));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place may mean another session, or something has happened
  useEffect(overview.refresh, [overview, kind, place]);
  useEffect(() => {
    document.addEventListener('visibilitychange', overview.refresh);
    const disarm = pageClock.every(everyMs, overview.refresh);
    return () => {
      disarm();
      document.removeEventListener('visibilitychange', overview.refresh);
    };
  }, [overview]);
  return overview;
}

const pathOf = (id: string): string => `api/sessions/${encodeURIComponent(id)}`;

function post(connection: PageConnection, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return connection.request(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Deletes a session for good. Rejects with why it could not. */
export async function deleteSession(connection: PageConnection, id: string): Promise<void> {
  const response = await connection.request(pathOf(id), { method: 'DELETE' });
  if (!response.ok && response.status !== 404) throw new Error(await problemText(response));
  connection.forget(id);
  forgetSession(id);
}

/** Gives a session a title; an empty one takes it away. Rejects with why it could not. */
export async function giveTitle(connection: PageConnection, id: string, title: string): Promise<void> {
  const response = await post(connection, `${pathOf(id)}/title`, { title: title.trim() || null });
  if (!response.ok) throw new Error(await problemText(response));
}

/** Stops what the speaker may stop in a session. Resolves with what runs on, in words; null: nothing does. Rejects with why nothing was stopped. */
export async function stopSession(connection: PageConnection, id: string): Promise<string | null> {
  const response = await post(connection, `${pathOf(id)}/abort`, {});
  if (response.status === 404) return null; // it has ended meanwhile
  if (!response.ok) throw new Error(await problemText(response));
  const { refused = [] } = (await response.json()) as { readonly refused?: readonly Refusal[] }; // as its route declares it
  return refusalsText(refused);
}

/** An answer to a question: what it is, and the fields of its request. */
export type HttpAnswer = { readonly verb: 'approve' | 'deny' } | { readonly verb: 'answer'; readonly given: object };

/** Answers a question of any session. Rejects with why the answer does not count. */
export async function answerQuestion(
  connection: PageConnection,
  { session, question: { id, node } }: AskedQuestion,
  answer: HttpAnswer,
): Promise<void> {
  const path = `api/nodes/${encodeURIComponent(node)}/${answer.verb}?session=${encodeURIComponent(session)}`;
  const body = { ...(id !== null && { question: id }), ...('given' in answer && answer.given) };
  const response = await post(connection, path, body);
  if (!response.ok) throw new Error(await problemText(response));
}
