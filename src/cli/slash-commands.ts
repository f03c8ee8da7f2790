// What begins with a slash in a chat: commands to the chat, not words to the bot.
import type { ClientSession } from '../client/joined-session.ts';
import type { Talk } from './interrupts.ts';
import type { Live, LiveLine } from './live-tree.ts';
import type { Asked, Open } from './open-questions.ts';
import { printable, seconds } from './render-line.ts';

export const slashUsage = `/stop              stop what you have running; if you have nothing running, whatever you may stop
/stop ID           stop one node: an id, the beginning or the end of one, or a name; all: the whole session
/stop ID force     without the grace: what can be killed is killed now
/tree              what runs, and below what
/who               who you are, and who else was heard of
/approve [ID]      say yes to what a call asks for
/deny [ID]         say no
/answer [ID] TEXT  answer a question
/exit              leave; what runs goes on
//text             say something that begins with a slash`;

export interface SlashInput {
  readonly session: Pick<ClientSession, 'id' | 'approve' | 'deny' | 'answer'>;
  readonly speaker: string;
  readonly roles: () => readonly string[];
  /** Who may stop what, in words; null before the session is joined. */
  readonly policy: () => string | null;
  readonly live: Live;
  readonly asked: Asked;
  readonly talk: Talk;
  now(): number;
  line(text: string): void;
  leave(): void;
  /** An answer could not be sent. */
  failed(error: unknown): void;
}

/** Does what the line says; false where it is no command. */
export type Slash = (line: string) => boolean;

export function createSlash(input: SlashInput): Slash {
  const { session, speaker, live, asked, talk, line } = input;

  function stop(words: readonly string[]): void {
    const force = words.at(-1) === 'force';
    const [word] = force ? words.slice(0, -1) : words;
    if (word === undefined) {
      const all = live.all();
      if (all.length === 0) return line('Nothing runs.');
      return talk.stop(all.some(({ owner }) => owner === speaker) ? 'mine' : 'session', force);
    }
    if (word === 'all') return talk.stop('session', force);
    const meant = live.meant(word);
    if (meant.length > 1) return line(`${printable(word)} may be ${meant.join(' or ')}: which one?`);
    talk.stop(meant[0] ?? word, force);
  }

  function tree(): void {
    const all = live.all();
    if (all.length === 0) return line('Nothing runs.');
    for (const text of treeLines(all, speaker, input.now())) line(text);
  }

  function who(): void {
    const policy = input.policy();
    if (policy === null) return line(`The session ${session.id} is not joined yet.`);
    const all = live.all();
    const running = (name: string) => all.filter(({ owner, parent }) => owner === name && parent === null).length;
    line(`You are ${speaker} (${input.roles().join(', ')}), in the session ${session.id}: ${policy}.`);
    for (const name of new Set([speaker, ...live.speakers()])) {
      const count = running(name);
      const doing = count === 0 ? 'nothing runs' : count === 1 ? '1 turn runs' : `${count} turns run`;
      line(`  ${printable(name)}${name === speaker ? ' (you)' : ''}: ${doing}`);
    }
  }

  /** The one question that is meant; null, and a line about it, where that is none or several. */
  function meant(kind: Open['kind'], id: string | null): string | null {
    const open = asked.open(kind, speaker, id);
    const [one] = open;
    if (one && open.length === 1) return one.node;
    if (open.length > 1) line(`Several wait for that: ${open.map(({ node }) => node).join(', ')}. Which one?`);
    else if (id === null) line(kind === 'approval' ? 'Nothing waits for your yes.' : 'Nobody has asked you anything.');
    return open.length === 0 ? id : null;
  }
  const send = (answer: Promise<unknown>) => void answer.catch(input.failed);

  function approve([id]: readonly string[]): void {
    const node = meant('approval', id ?? null);
    if (node !== null) send(session.approve(node));
  }
  function deny([id]: readonly string[]): void {
    const node = meant('approval', id ?? null);
    if (node !== null) send(session.deny(node));
  }
  function answer([first, ...rest]: readonly string[]): void {
    if (first === undefined) return line('/answer what?');
    const named = rest.length > 0 && asked.open('question', speaker, first).length > 0;
    const node = meant('question', named ? first : null);
    if (node !== null) send(session.answer(node, (named ? rest : [first, ...rest]).join(' ')));
  }

  const commands = new Map<string, (words: readonly string[]) => void>([
    ['/stop', stop],
    ['/tree', tree],
    ['/who', who],
    ['/approve', approve],
    ['/deny', deny],
    ['/answer', answer],
    ['/exit', input.leave],
    ['/help', () => slashUsage.split('\n').forEach(line)],
  ]);

  return (typed) => {
    if (!typed.startsWith('/') || typed.startsWith('//')) return false;
    const [name = '', ...words] = typed.trim().split(/\s+/);
    const command = commands.get(name);
    if (command) command(words);
    else line(`There is no ${printable(name)}. There are ${[...commands.keys()].join(', ')}.`);
    return true;
  };
}

/** The live tree, a line for each node; a sub-agent and its turn are one. */
export function treeLines(all: readonly LiveLine[], speaker: string, now: number): readonly string[] {
  const depths = new Map<string, number>();
  return all.flatMap((node) => {
    const { kind, parent } = node;
    const above = parent === null ? -1 : (depths.get(parent) ?? -1);
    const isInner = kind === 'turn' && parent !== null && depths.has(parent);
    depths.set(node.node, isInner ? above : above + 1);
    if (isInner) return [];
    const what = node.name ?? (node.owner === speaker ? 'your turn' : `${node.owner}'s turn`);
    const whose = kind === 'turn' || node.owner === speaker ? '' : `, ${node.owner}'s`;
    return [
      `${'  '.repeat(above + 2)}${printable(what)} (${node.node})${whose}: ${node.doing}, ${seconds(Math.max(0, now - node.since))}`,
    ];
  });
}
