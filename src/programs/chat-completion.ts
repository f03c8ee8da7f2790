// Completions of Tab in a chat: slash commands, the names after them, and paths after `@`.

import type { SessionView } from '../client/view/session-view.ts';
import type { ChatCommands } from './chat-commands.ts';
import { completePath } from './named-files.ts';
import { type ArgumentKind, slashCommands } from './slash-help.ts';
import type { Complete, Completion } from './terminal/terminal-view.ts';

export interface CompletionSources {
  readonly folder: string;
  readonly sessionNames: () => Promise<readonly string[]>;
  readonly models: () => readonly string[];
  /** Ids and names of what runs. */
  readonly nodes: () => readonly string[];
  readonly speakers: () => readonly string[];
}

/** Finds the completions at the cursor of a text; null: nothing can be completed there. */
async function completeChat(text: string, cursor: number, sources: CompletionSources): Promise<Completion | null> {
  const before = text.slice(0, cursor);
  if (/^\/[a-z]*$/.test(before)) {
    const found = [...slashCommands].filter(([name]) => name.startsWith(before)).sort(([a], [b]) => a.localeCompare(b));
    const candidates = found.map(([name, { does }]) => ({ text: found.length === 1 ? `${name} ` : name, about: does }));
    return { from: 0, candidates };
  }
  const [, command = '', typed = ''] = /^(\/[a-z]+)\s+(\S*)$/.exec(before) ?? [];
  const kind = slashCommands.get(command)?.completes;
  if (kind === undefined) return completePath(text, cursor, sources.folder);
  const candidates = [...new Set(await namesOfKind[kind](sources))]
    .filter((name) => name.startsWith(typed))
    .map((name) => ({ text: name }));
  return { from: cursor - typed.length, candidates };
}

const namesOfKind: Readonly<
  Record<ArgumentKind, (sources: CompletionSources) => readonly string[] | Promise<readonly string[]>>
> = {
  node: ({ nodes }) => nodes(),
  speaker: ({ speakers }) => speakers(),
  session: ({ sessionNames }) => sessionNames(),
  model: ({ models }) => models(),
};

/** Returns the function that completes the line of a chat. `folder`: the one that typed paths are relative to. */
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
