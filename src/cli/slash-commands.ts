// The slash commands of a chat: they are for the chat itself, not for the bot.
import type { Policy } from '../../machines/vocabulary.ts';
import type { Client } from '../client/client.ts';
import type { ClientSession } from '../client/joined-session.ts';
import { findNodes } from '../client/view/live-tree.ts';
import { findQuestions } from '../client/view/questions.ts';
import type { SessionView } from '../client/view/session-view.ts';
import type { QuestionView } from '../client/view/snapshot.ts';
import type { Clock } from '../sources/sources.ts';
import type { InterruptibleTurns } from './interruptible-turns.ts';
import { stripControls } from './outcome-text.ts';
import type { Screen } from './screen.ts';
import { treeLines } from './tree-lines.ts';

export const slashUsage = `/stop              stop what you have running; if you have nothing running, whatever you may stop
/stop ID           stop one node: an id, the beginning or the end of one, or a name; all: the whole session
/stop ID force     without the grace: what can be killed is killed now
/tree              what runs, and below what
/who               who you are, and who else has done something here
/approve [ID]      say yes to what a call asks for
/deny [ID]         say no
/answer [ID] TEXT  answer a question
/exit              leave; what runs goes on
//text             say something that begins with a slash`;

const policies: Readonly<Record<Policy, string>> = {
  anyone: 'anyone may stop the bot',
  owner: 'each stops what is theirs',
};

export interface SlashCommandsOptions {
  readonly client: Pick<Client, 'speaker' | 'roles'>;
  readonly session: Pick<ClientSession, 'id' | 'approve' | 'deny' | 'answer'>;
  readonly view: Pick<SessionView, 'getSnapshot'>;
  readonly turns: Pick<InterruptibleTurns, 'stop'>;
  readonly screen: Pick<Screen, 'writeLine'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Called by `/exit`. */
  readonly exit: () => void;
  /** Called with the error of an answer that was refused or not sent. */
  readonly onError: (error: unknown) => void;
}

export class SlashCommands {
  readonly #options: SlashCommandsOptions;
  readonly #commands: ReadonlyMap<string, (args: readonly string[]) => void>;

  constructor(options: SlashCommandsOptions) {
    this.#options = options;
    this.#commands = new Map<string, (args: readonly string[]) => void>([
      ['/stop', (args) => this.#stop(args)],
      ['/tree', () => this.#printTree()],
      ['/who', () => this.#printSpeakers()],
      ['/approve', ([id]) => this.#decide('approve', id)],
      ['/deny', ([id]) => this.#decide('deny', id)],
      ['/answer', (args) => this.#answer(args)],
      ['/exit', () => options.exit()],
      ['/help', () => slashUsage.split('\n').forEach((line) => void options.screen.writeLine(line))],
    ]);
  }

  /** Carries out a line that is a command; false where it is none. */
  run(line: string): boolean {
    if (!line.startsWith('/') || line.startsWith('//')) return false;
    const [name = '', ...args] = line.trim().split(/\s+/);
    const command = this.#commands.get(name);
    if (command) command(args);
    else this.#print(`There is no ${stripControls(name)}. There are ${[...this.#commands.keys()].join(', ')}.`);
    return true;
  }

  #print(line: string): void {
    this.#options.screen.writeLine(line);
  }

  #stop(args: readonly string[]): void {
    const { client, turns, view } = this.#options;
    const force = args.at(-1) === 'force';
    const [word] = force ? args.slice(0, -1) : args;
    const { nodes } = view.getSnapshot();
    if (word === undefined) {
      if (nodes.length === 0) return this.#print('Nothing runs.');
      return turns.stop(nodes.some(({ owner }) => owner === client.speaker) ? 'mine' : 'session', force);
    }
    if (word === 'all') return turns.stop('session', force);
    const found = findNodes(nodes, word);
    if (found.length > 1) return this.#print(`${stripControls(word)} may be ${found.join(' or ')}: which one?`);
    turns.stop(found[0] ?? word, force);
  }

  #printTree(): void {
    const { client, clock, view } = this.#options;
    const { nodes } = view.getSnapshot();
    if (nodes.length === 0) return this.#print('Nothing runs.');
    for (const line of treeLines(nodes, client.speaker, clock.now())) this.#print(line);
  }

  #printSpeakers(): void {
    const { client, session, view } = this.#options;
    const { policy, nodes, speakers } = view.getSnapshot();
    if (policy === null) return this.#print(`The session ${session.id} is not joined yet.`);
    const { speaker, roles } = client;
    this.#print(`You are ${speaker} (${roles.join(', ')}), in the session ${session.id}: ${policies[policy]}.`);
    for (const name of new Set([speaker, ...speakers])) {
      const count = nodes.filter(({ owner, parent }) => owner === name && parent === null).length;
      const activity = count === 0 ? 'nothing runs' : count === 1 ? '1 turn runs' : `${count} turns run`;
      this.#print(`  ${stripControls(name)}${name === speaker ? ' (you)' : ''}: ${activity}`);
    }
  }

  #decide(how: 'approve' | 'deny', id: string | undefined): void {
    const node = this.#questionNode('approval', id ?? null);
    if (node !== null) this.#send(this.#options.session[how](node));
  }

  #answer([first, ...rest]: readonly string[]): void {
    if (first === undefined) return this.#print('/answer what?');
    const isId = rest.length > 0 && this.#find('question', first).length > 0;
    const node = this.#questionNode('question', isId ? first : null);
    if (node !== null) this.#send(this.#options.session.answer(node, (isId ? rest : [first, ...rest]).join(' ')));
  }

  #send(answer: Promise<unknown>): void {
    answer.catch(this.#options.onError);
  }

  #find(kind: QuestionView['kind'], id: string | null): readonly QuestionView[] {
    const { client, view } = this.#options;
    return findQuestions(view.getSnapshot().questions, kind, client.speaker, id);
  }

  /** The call whose question is meant; null, after a line about it, where there is none or more than one. An id that nothing is known of is left to the gateway. */
  #questionNode(kind: QuestionView['kind'], id: string | null): string | null {
    const open = this.#find(kind, id);
    const [one] = open;
    if (one && open.length === 1) return one.node;
    if (open.length > 1) {
      this.#print(`Several calls ask that: ${open.map(({ node }) => node).join(', ')}. Which one?`);
      return null;
    }
    if (id === null)
      this.#print(kind === 'approval' ? 'No call asks for your approval.' : 'No call asks you a question.');
    return id;
  }
}
