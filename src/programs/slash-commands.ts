// The slash commands of a chat: they are for the chat itself, not for the bot.
import type { Policy } from '../../machines/vocabulary.ts';
import type { Client } from '../client/client.ts';
import type { ClientSession } from '../client/joined-session.ts';
import { findNodes } from '../client/view/live-tree.ts';
import { findQuestions } from '../client/view/questions.ts';
import type { SessionView } from '../client/view/session-view.ts';
import type { QuestionView } from '../client/view/snapshot.ts';
import { targetOf } from '../core/receipt/cancel-target.ts';
import { nearestWord } from '../core/text/nearest-word.ts';
import { measuredText } from '../core/words/durations.ts';
import { approvalLines } from './approval-lines.ts';
import type { ChatScreen } from './chat-console.ts';
import type { InterruptibleTurns } from './interruptible-turns.ts';
import { slashHelp } from './slash-help.ts';
import { treeLines } from './tree-lines.ts';

const policySentences: Readonly<Record<Policy, string>> = {
  anyone: 'anyone may stop the bot',
  addressed: 'whoever speaks to the bot may stop it',
  owner: 'each stops what is theirs',
};

/** How long a link works where no hours are given. */
const defaultLinkHours = 24;
const msPerHour = 3_600_000;

export interface SlashCommandsOptions {
  readonly client: Pick<Client, 'speaker' | 'roles'>;
  readonly session: Pick<
    ClientSession,
    | 'id'
    | 'approve'
    | 'deny'
    | 'answer'
    | 'delegate'
    | 'invite'
    | 'inviteLink'
    | 'revoke'
    | 'remove'
    | 'read'
    | 'rename'
    | 'setToolTimeout'
  >;
  /** Returns the address of the page that lets one speaker into a session by the secret of an invite link. */
  readonly inviteHref: (session: string, secret: string) => string;
  readonly view: Pick<SessionView, 'getSnapshot'>;
  readonly turns: Pick<InterruptibleTurns, 'stop' | 'resume'>;
  /** Says words to the turn that runs. */
  readonly steer: (text: string) => void;
  /** Further commands by name. */
  readonly more: ReadonlyMap<string, (args: readonly string[]) => void>;
  readonly screen: Pick<ChatScreen, 'writeLine'>;
  /** Returns how long a node has run, in milliseconds; null: that is not known. */
  readonly ageMs: (node: string) => number | null;
  /** Called by `/exit`. `stopsWork`: by `/exit stop`. */
  readonly exit: (stopsWork: boolean) => void;
  /** Called with the error of an answer that was rejected or could not be sent. */
  readonly onError: (error: unknown) => void;
}

export class SlashCommands {
  readonly #options: SlashCommandsOptions;
  /** By name; each gets its words one by one, and as they were typed. */
  readonly #commands: ReadonlyMap<string, (args: readonly string[], words: string) => void>;

  constructor(options: SlashCommandsOptions) {
    this.#options = options;
    this.#commands = new Map<string, (args: readonly string[], words: string) => void>([
      ...options.more,
      ['/stop', (args) => this.#stop(args)],
      ['/steer', (_, words) => this.#steer(words)],
      ['/resume', (args) => this.#resume(args)],
      ['/tree', () => this.#printTree()],
      ['/who', () => this.#printSpeakers()],
      ['/approve', ([id]) => this.#decide('approve', id)],
      ['/deny', ([id]) => this.#decide('deny', id)],
      ['/show', ([id]) => this.#printApproval(id)],
      ['/answer', (args) => this.#answer(args)],
      ['/delegate', (args) => this.#delegate(args)],
      ['/invite', (args) => this.#invite(args)],
      ['/remove', ([name]) => this.#remove(name)],
      ['/timeout', (args) => this.#setTimeout(args)],
      ['/rename', (_, words) => this.#rename(words)],
      ['/offers', ([server]) => this.#printOffers(server)],
      ['/exit', ([rest]) => options.exit(rest === 'stop')],
      ['/help', () => slashHelp.forEach((line) => void options.screen.writeLine(line))],
    ]);
  }

  /** Runs the line if it starts with one slash. Returns whether it did. */
  run(line: string): boolean {
    if (!line.startsWith('/') || line.startsWith('//')) return false;
    const [name = '', ...args] = line.trim().split(/\s+/);
    if (name.includes(':')) return false; // it names a prompt
    const command = this.#commands.get(name);
    if (command) command(args, line.trim().slice(name.length).trim());
    else this.#reportUnknown(name);
    return true;
  }

  #reportUnknown(name: string): void {
    const meant = nearestWord(name, [...this.#commands.keys()]);
    this.#print(
      meant === null
        ? `There is no command ${name}. /help lists the commands; //… says a text that begins with a slash.`
        : `There is no command ${name}. Do you mean ${meant}?`,
    );
  }

  #print(line: string): void {
    this.#options.screen.writeLine(line);
  }

  #stop(args: readonly string[]): void {
    const { client, turns, view } = this.#options;
    const force = args.at(-1) === 'force';
    const [target] = force ? args.slice(0, -1) : args;
    const { nodes } = view.getSnapshot();
    if (target === undefined) {
      if (nodes.length === 0) return this.#print('Nothing is running.');
      return turns.stop(nodes.some(({ owner }) => owner === client.speaker) ? 'mine' : 'session', { force });
    }
    if (target === 'tools') return turns.stop(targetOf('tools', 'mine'), { force });
    if (target === 'all') return turns.stop('session', { force });
    const found = findNodes(nodes, target);
    if (found.length > 1) return this.#print(`${target} matches ${found.join(' and ')}. Give more of the id.`);
    turns.stop(found[0] ?? target, { force });
  }

  #steer(words: string): void {
    if (words === '') return this.#print('The words are missing. Write /steer TEXT.');
    this.#options.steer(words);
  }

  #resume(args: readonly string[]): void {
    const { client, turns, view } = this.#options;
    const [first = '', ...rest] = args;
    const all = view.getSnapshot().turns;
    const isId = first.startsWith('turn_') || all.some(({ node }) => node.id === first);
    const resumable = all.filter(({ node, isResumable }) => isResumable && node.owner === client.speaker);
    // a stop cancels what waits, too: what has started is what was interrupted
    const own = resumable.findLast(({ node }) => node.effect !== 'not_started') ?? resumable.at(-1);
    const turn = isId ? first : own?.node.id;
    if (turn === undefined)
      return this.#print('None of your turns here was interrupted. Give the id of one: /resume ID.');
    const text = (isId ? rest : args).join(' ');
    turns.resume(turn, text === '' ? {} : { text });
  }

  #printTree(): void {
    const { client, ageMs, view } = this.#options;
    const { nodes, state } = view.getSnapshot();
    if (state === 'away') return this.#print('There is no connection: what runs is unknown.');
    if (nodes.length === 0) return this.#print('Nothing is running.');
    for (const line of treeLines(nodes, client.speaker, ageMs)) this.#print(line);
  }

  #printSpeakers(): void {
    const { client, session, view } = this.#options;
    const { policy, nodes, speakers, room } = view.getSnapshot();
    if (policy === null) return this.#print(`The session ${session.id} is not joined yet.`);
    const { speaker, roles } = client;
    this.#print(`You are ${speaker} (${roles.join(', ')}), in the session ${session.id}: ${policySentences[policy]}.`);
    const members = new Map<string, string>(room?.members.map(({ speaker, role }) => [speaker, role]));
    if (room?.owner) members.set(room.owner, members.get(room.owner) === 'moderator' ? 'owner, moderator' : 'owner');
    for (const name of new Set([speaker, ...members.keys(), ...(room?.present ?? []), ...speakers])) {
      const count = nodes.filter(({ owner, parent }) => owner === name && parent === null).length;
      const activity =
        count === 0 ? 'nothing is running' : count === 1 ? '1 turn is running' : `${count} turns are running`;
      const about = [members.get(name), room && (room.present.includes(name) ? 'here' : 'away')].filter(Boolean);
      this.#print(
        `  ${name}${name === speaker ? ' (you)' : ''}: ${activity}${about.length > 0 ? ` (${about.join(', ')})` : ''}`,
      );
    }
  }

  #decide(decision: 'approve' | 'deny', id: string | undefined): void {
    const asked = this.#findOne('approval', id ?? null);
    if (asked) this.#send(this.#options.session[decision](asked.node, { question: asked.question }));
  }

  #printApproval(id: string | undefined): void {
    const [approval, ...others] = this.#find('approval', id ?? null);
    if (!approval) return this.#print('No call asks for your approval.');
    if (others.length > 0) return this.#print('Several calls ask for an approval. Give the id of one: /show ID.');
    for (const line of approvalLines(approval)) this.#print(line);
  }

  #answer([first, ...rest]: readonly string[]): void {
    if (first === undefined) return this.#print('The answer is missing. Write /answer TEXT, or /answer ID TEXT.');
    const isId = rest.length > 0 && this.#find('question', first).length > 0;
    const asked = this.#findOne('question', isId ? first : null);
    const text = (isId ? rest : [first, ...rest]).join(' ');
    if (asked) this.#send(this.#options.session.answer(asked.node, text, { question: asked.question }));
  }

  #delegate([name, id]: readonly string[]): void {
    const { client, session, view, onError } = this.#options;
    if (name === undefined) return this.#print('The name is missing. Write /delegate NAME, or /delegate NAME ID.');
    const own = view.getSnapshot().nodes.filter(({ owner }) => owner === client.speaker);
    const found = id === undefined ? [] : findNodes(own, id);
    if (found.length > 1) return this.#print(`${id} matches ${found.join(' and ')}. Give more of the id.`);
    const target = found[0] ?? id;
    session.delegate(name, { target }).then(() => {
      this.#print(`${name} may stop ${target === undefined ? 'what is yours' : target} from now on.`);
    }, onError);
  }

  #invite([name, ...rest]: readonly string[]): void {
    if (name === undefined) return this.#print('The name is missing. Write /invite NAME. /invite --link makes a link.');
    if (name === '--link') return this.#makeLink(rest);
    if (name === '--list') return this.#printLinks();
    if (name === '--revoke') return this.#revoke(rest[0]);
    const [role] = rest;
    if (role !== undefined && role !== 'member' && role !== 'moderator')
      return this.#print(`${role} is no role. Write member or moderator.`);
    const invited = this.#options.session.invite(name, { role });
    invited.then(({ repeated }) => {
      if (repeated) this.#print(`${name} is a member already.`);
    }, this.#options.onError);
  }

  /** Prints the link: it is nowhere else. */
  #makeLink(words: readonly string[]): void {
    const { session, inviteHref, onError } = this.#options;
    const role = words.includes('moderator') ? 'moderator' : 'member';
    const hours = Number(words.find((word) => word !== role) ?? defaultLinkHours);
    if (!Number.isFinite(hours)) return this.#print('Write /invite --link, or /invite --link HOURS moderator.');
    session.inviteLink({ ms: Math.round(hours * msPerHour), role }).then(({ secret, until, invite }) => {
      const end = new Date(until).toISOString();
      this.#print(
        `This link lets one ${role} in, once, until ${end}. It is shown only here (/invite --revoke ${invite}):`,
      );
      this.#print(`  ${inviteHref(session.id, secret)}`);
    }, onError);
  }

  #printLinks(): void {
    const invites = this.#options.view.getSnapshot().room?.invites ?? [];
    if (invites.length === 0) return this.#print('There is no invite link that can be used.');
    for (const { invite, role, until, by } of invites)
      this.#print(`  ${invite}: for a ${role}, until ${new Date(until).toISOString()}, by ${by ?? 'the host'}`);
  }

  #revoke(invite: string | undefined): void {
    const { session, onError } = this.#options;
    if (invite === undefined) return this.#print('The id is missing. Write /invite --revoke ID.');
    session.revoke(invite).then(({ repeated }) => {
      if (repeated) this.#print(`There is no link ${invite} that can be used.`);
    }, onError);
  }

  #setTimeout([tool, seconds]: readonly string[]): void {
    const { session, view, onError } = this.#options;
    if (tool === undefined) {
      const set = Object.entries(view.getSnapshot().toolTimeouts);
      if (set.length === 0) return this.#print('No timeout is set here: each tool has its configured one.');
      return set.forEach(([name, ms]) => void this.#print(`${name}: ${measuredText(ms)}`));
    }
    const ms = seconds === 'off' ? null : Math.round(Number(seconds) * 1_000);
    if (seconds === undefined || (ms !== null && !Number.isFinite(ms))) {
      const problem = seconds === undefined ? 'The seconds are missing' : `${seconds} is no number of seconds`;
      return this.#print(`${problem}. Write /timeout TOOL SECONDS, or /timeout TOOL off.`);
    }
    session.setToolTimeout(tool, ms).then(({ repeated }) => {
      if (repeated) this.#print(`The timeout of ${tool} has this value already.`);
    }, onError);
  }

  #rename(title: string): void {
    this.#options.session.rename(title === '' ? null : title).then(({ repeated }) => {
      if (repeated) this.#print(title === '' ? 'The session has no title.' : 'The session has this title already.');
    }, this.#options.onError);
  }

  #remove(name: string | undefined): void {
    if (name === undefined) return this.#print('The name is missing. Write /remove NAME.');
    const removed = this.#options.session.remove(name);
    removed.then(({ repeated }) => {
      if (repeated) this.#print(`${name} is no member.`);
    }, this.#options.onError);
  }

  #printOffers(server: string | undefined): void {
    this.#options.session.read({ server }).then(({ offers = [] }) => {
      if (offers.length === 0) return this.#print('No MCP server of this session offers anything.');
      for (const offer of offers) {
        for (const { uri, name } of offer.resources) this.#print(`@${offer.server}:${uri}  ${name}`);
        for (const prompt of offer.prompts) {
          const fields = prompt.arguments.map(({ name, required }) => ` ${name}=…${required ? '' : '?'}`).join('');
          this.#print(`/${offer.server}:${prompt.name}${fields}`);
        }
      }
    }, this.#options.onError);
  }

  #send(answer: Promise<unknown>): void {
    answer.catch(this.#options.onError);
  }

  #find(kind: QuestionView['kind'], id: string | null): readonly QuestionView[] {
    const { client, view } = this.#options;
    return findQuestions(view.getSnapshot().questions, kind, client.speaker, id);
  }

  /** Returns the question that is meant. Prints a line and returns null if there is none, or more than one. Returns an unknown id as it is: the gateway rejects it. */
  #findOne(kind: QuestionView['kind'], id: string | null): { node: string; question?: string | undefined } | null {
    const questions = this.#find(kind, id);
    const [first] = questions;
    if (first && questions.length === 1) return { node: first.node, question: first.id ?? undefined };
    if (questions.length > 1) {
      this.#print(`Several calls ask that: ${questions.map(({ node }) => node).join(', ')}. Give the id of one.`);
      return null;
    }
    if (id === null)
      this.#print(kind === 'approval' ? 'No call asks for your approval.' : 'No call asks you a question.');
    return id === null ? null : { node: id };
  }
}
