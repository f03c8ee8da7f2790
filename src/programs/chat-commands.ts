// The slash commands of a chat about sessions, their forks, the model and what was used.
import type { Usage } from '../../machines/vocabulary.ts';
import type { ClientSession } from '../client/client-session.ts';
import type { SessionView } from '../client/view/session-view.ts';
import type { UsedWork } from '../core/reports/session-usage.ts';
import type { Clock } from '../core/sources/sources.ts';
import { nearestWord } from '../core/text/nearest-word.ts';
import { countText } from '../core/words/count-text.ts';
import { listTimeText } from '../core/words/list-time.ts';
import { missingHostsText } from '../core/words/missing-hosts.ts';
import { statusTexts } from '../core/words/session-status.ts';
import type { ChatScreen } from './chat-console.ts';
import type { ChatRequests, FilteredSessions } from './chat-requests.ts';
import type { ModelChoice } from './model-choice.ts';

/** The session that a chat goes to. */
export interface NextSession {
  readonly session: string;
  /** Whether its history is printed first. */
  readonly resume: boolean;
  /** The secret of an invite link into it. Left out: there is none. */
  readonly invite?: string;
}

export interface ChatCommandsOptions {
  /** The name of the session of the chat. */
  readonly session: string;
  readonly speaker: string;
  readonly requests: ChatRequests;
  readonly model: ModelChoice;
  readonly view: Pick<SessionView, 'getSnapshot'>;
  readonly screen: Pick<ChatScreen, 'writeLine'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Empties the screen of a terminal. */
  readonly clearScreen: () => void;
  readonly goTo: (next: NextSession) => void;
  readonly fork: ClientSession['fork'];
  readonly onError: (error: unknown) => void;
}

const sessionName = /^[A-Za-z0-9._:@/-]{1,128}$/;

export class ChatCommands {
  readonly #options: ChatCommandsOptions;
  /** Those that were printed last, by their numbers from 1. */
  #listed: readonly string[] = [];
  /** Names for the completion: those that are known. */
  #known: readonly string[] = [];

  constructor(options: ChatCommandsOptions) {
    this.#options = options;
  }

  /** The commands by name. */
  get commands(): ReadonlyMap<string, (args: readonly string[]) => void> {
    return new Map<string, (args: readonly string[]) => void>([
      ['/sessions', (words) => this.#sessions(words)],
      ['/new', ([name]) => this.#openNew(name)],
      ['/fork', ([id]) => this.#fork(id)],
      ['/clear', () => this.#clear()],
      ['/model', ([name]) => this.#model(name)],
      ['/usage', () => this.#usage()],
    ]);
  }

  /** Resolves with the names of the sessions; those that were known last if the gateway does not reply. */
  async sessionNames(): Promise<readonly string[]> {
    const listed = await this.#options.requests.allSessions().catch(() => null);
    this.#known = listed?.map(({ session }) => session) ?? this.#known;
    return this.#known;
  }

  #print(line: string): void {
    this.#options.screen.writeLine(line);
  }

  #sessions(words: readonly string[]): void {
    const { requests, onError } = this.#options;
    const which = words.length === 0 ? undefined : words.join(' ');
    const numbered = which !== undefined && /^\d+$/.test(which) ? this.#listed[Number(which) - 1] : undefined;
    if (numbered !== undefined) return this.#join(numbered);
    if (which === undefined) return void requests.sessions('').then((found) => this.#list(found), onError);
    this.sessionNames()
      .then((names) => {
        if (names.includes(which)) return this.#join(which);
        return requests.sessions(which).then((found) => {
          if (found.listed.length > 0) return this.#list(found);
          const meant = nearestWord(which, names);
          const hint = meant === null ? '' : ` Do you mean ${meant}?`;
          this.#print(`No session is called ${which}, or has these words.${hint}`);
        });
      })
      .catch(onError);
  }

  #list({ listed, others, missing }: FilteredSessions): void {
    const missingHosts = missingHostsText(missing);
    if (missingHosts !== null) this.#print(`     ${missingHosts}`);
    if (listed.length === 0) return this.#print('There is no session yet.');
    this.#listed = listed.map(({ session }) => session);
    const width = Math.min(32, Math.max(...listed.map(({ session }) => session.length)));
    const now = this.#options.clock.now();
    const times = listed.map(({ lastAt }) => (lastAt === null ? '' : listTimeText(lastAt, now)));
    const timeWidth = Math.max(...times.map((time) => time.length));
    for (const [i, { session, title, forkedFrom, status, activeTurns }] of listed.entries()) {
      const running = activeTurns > 0 ? 'runs' : '';
      const state = status === null || status === 'new' ? running : statusTexts[status];
      const about = [
        session === this.#options.session ? 'here' : '',
        state === statusTexts.done ? '' : state,
        forkedFrom === null ? '' : `forked from ${forkedFrom}`,
        title === null ? statusTexts.new : `"${title}"`,
      ].filter((part) => part !== '');
      const time = (times[i] ?? '').padStart(timeWidth);
      this.#print(`${String(i + 1).padStart(3)}  ${time}  ${session.padEnd(width)}  ${about.join(', ')}`);
    }
    if (others > 0)
      this.#print(`     ${others} more: /sessions WORD lists those that have it in their names or in what was said.`);
    this.#print('/sessions NUMBER or /sessions NAME goes to one.');
  }

  #join(session: string): void {
    if (session === this.#options.session) return this.#print(`You are in ${session}.`);
    this.#options.goTo({ session, resume: true });
  }

  #openNew(name: string | undefined): void {
    const session = name ?? `chat-${nameOfTime(this.#options.clock.now())}`;
    if (!sessionName.test(session))
      return this.#print(`${session} cannot be the name of a session: use up to 128 of A-Z a-z 0-9 . _ : @ / -`);
    this.sessionNames().then((names) => {
      if (names.includes(session))
        return this.#print(`There is a session ${session} already: /sessions ${session} goes there.`);
      this.#options.goTo({ session, resume: false });
    }, this.#options.onError);
  }

  /** Forks the session from a turn, and goes to the fork. `id`: of the turn, or a part of it; undefined: the last one that has settled. */
  #fork(id: string | undefined): void {
    const { session, view, fork, goTo, onError } = this.#options;
    const turns = view.getSnapshot().turns.filter(({ node }) => node.parent === null);
    const settled = turns.filter(({ node, kind }) => node.outcome !== null && kind !== 'acknowledgement');
    const found = id === undefined ? settled.slice(-1) : turns.filter(({ node }) => node.id.includes(id));
    const [turn = null] = found;
    if (id === undefined && turn === null) return this.#print('No turn has ended here yet: there is nothing to fork.');
    if (found.length > 1) return this.#print(`${id} is in the ids of ${found.length} turns. Give more of it.`);
    fork(turn?.node.id ?? String(id)).then((forked) => {
      this.#print(`${forked.fork} goes on from ${forked.from.turn}. ${session} stays: /sessions ${session} goes back.`);
      goTo({ session: forked.fork, resume: true });
    }, onError);
  }

  #clear(): void {
    const { session, clearScreen } = this.#options;
    clearScreen();
    this.#print(
      `A new session, with nothing said before. ${session} keeps its history: /sessions ${session} goes back.`,
    );
    this.#openNew(undefined);
  }

  #model(name: string | undefined): void {
    const { model, view } = this.#options;
    const { models } = view.getSnapshot();
    const [own] = models;
    if (name === undefined) {
      this.#print(
        own === undefined ? 'The gateway does not say which model it uses.' : `The model is ${model.name ?? own}.`,
      );
      if (models.length > 1)
        this.#print(`You may choose: ${models.join(', ')}. /model NAME chooses one for what you say from now on.`);
      else
        this.#print('No other one may be chosen here. The setting model.choices of the gateway lists those that may.');
      return;
    }
    if (!models.includes(name)) {
      const meant = nearestWord(name, models);
      const hint = meant === null ? '' : ` Do you mean ${meant}?`;
      const offered = models.length > 0 ? ` These may: ${models.join(', ')}.` : '';
      return this.#print(`The model ${name} may not be chosen here.${hint}${offered}`);
    }
    model.name = name === own ? undefined : name;
    this.#print(`The model is ${name} for what you say from now on. What runs keeps its own, and so do agents.`);
  }

  #usage(): void {
    const { requests, session, onError } = this.#options;
    requests.usage(session).then((used) => {
      this.#print(`The session ${session}: ${workText(used.session)}`);
      if (used.lastTurn) this.#print(`Your last turn: ${workText(used.lastTurn, false)}`);
      this.#print(
        'With sub-agents. Limits of tokens and cost are settings of the gateway (limits); what passes one is stopped, and says so.',
      );
    }, onError);
  }
}

/** Returns the point in time as a part of a name, like `20261122-153045`. */
const nameOfTime = (now: number): string =>
  new Date(now).toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15);

const number = (value: number) => value.toLocaleString('en-US');

function workText({ turns, modelCalls, calls, usage }: UsedWork, hasTurns = true): string {
  const counts = [
    ...(hasTurns ? [countText(turns, 'turn')] : []),
    countText(modelCalls, 'model call'),
    countText(calls, 'tool call'),
  ];
  return `${counts.join(', ')}; ${usageText(usage)}.`;
}

function usageText({ kind, input, output, cachedInput, cost }: Usage): string {
  const about = kind === 'exact' ? '' : 'about ';
  const cached = cachedInput ? ` (${number(cachedInput)} of them from the cache)` : '';
  const tokens =
    input === null && output === null
      ? 'tokens unknown'
      : `${about}${number(input ?? 0)} tokens in${cached}, ${number(output ?? 0)} out`;
  return cost === undefined ? `${tokens}; cost unknown` : `${tokens}; $${cost.toFixed(4)}`;
}
