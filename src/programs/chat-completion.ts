// Completions of Tab in a chat: slash commands, the names after them, and paths after `@`.

import type { SessionView } from '../client/view/session-view.ts';
import type { ChatCommands } from './chat-commands.ts';
import { completePath } from './named-files.ts';
import { slashUsage } from './slash-help.ts';
import type { Complete, Completion } from './terminal/terminal-view.ts';

export interface CompletionSources {
  readonly folder: string;
  readonly sessionNames: () => Promise<readonly string[]>;
  readonly models: () => readonly string[];
  /** Ids and names of what runs. */
  readonly nodes: () => readonly string[];
  readonly speakers: () => readonly string[];
}

/** The commands with what they do, from the help. */
const commands = new Map(
  slashUsage
    .split('\n')
    .flatMap((line) => [...line.matchAll(/^ {2}(\/[a-z]+)\b.*? {2,}(.*)$/g)])
    .map(([, name = '', about = '']) => [name, about] as const)
    .toReversed(), // the first line of a command says what it does alone
);

const nodeCommands = ['/stop', '/approve', '/deny', '/show', '/answer', '/resume'];
const speakerCommands = ['/delegate', '/invite', '/remove'];

/** Finds the completions of a text before the cursor; null: there are none. */
async function completeChat(text: string, cursor: number, sources: CompletionSources): Promise<Completion | null> {
  const before = text.slice(0, cursor);
  if (/^\/[a-z]*$/.test(before)) {
    const found = [...commands].filter(([name]) => name.startsWith(before)).sort(([a], [b]) => a.localeCompare(b));
    const candidates = found.map(([name, about]) => ({ text: found.length === 1 ? `${name} ` : name, about }));
    return { from: 0, candidates };
  }
  const [, command = '', typed = ''] = /^(\/[a-z]+)\s+(\S*)$/.exec(before) ?? [];
  const names = command === '' ? null : await namesFor(command, sources);
  if (names === null) return completePath(text, cursor, sources.folder);
  const candidates = [...new Set(names)].filter((name) => name.startsWith(typed)).map((name) => ({ text: name }));
  return { from: cursor - typed.length, candidates };
}

async function namesFor(command: string, sources: CompletionSources): Promise<readonly string[] | null> {
  if (command === '/sessions') return sources.sessionNames();
  if (command === '/model') return sources.models();
  if (nodeCommands.includes(command)) return sources.nodes();
  if (speakerCommands.includes(command)) return sources.speakers();
  return null;
}

/** Returns the completion of a chat in a session. `folder`: where typed paths begin. */
export const chatCompletion =
  (folder: string, view: Pick<SessionView, 'getSnapshot'>, commands: Pick<ChatCommands, 'sessionNames'>): Complete =>
  (text, cursor) => {
    const { models, nodes, speakers } = view.getSnapshot();
    return completeChat(text, cursor, {
      folder,
      sessionNames: () => commands.sessionNames(),
      models: () => models,
      nodes: () => nodes.flatMap(({ id, name }) => (name === null ? [id] : [name, id])),
      speakers: () => speakers,
    });
  };
