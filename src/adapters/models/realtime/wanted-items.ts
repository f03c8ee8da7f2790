// The messages of a request as the items that a conversation of the Realtime API has.
import type { Message } from '../../../../machines/messages.ts';
import { callIdsFor } from '../endpoint-ids.ts';

/** An item without an id. */
export type WantedItem =
  | { readonly kind: 'text'; readonly role: 'user' | 'assistant'; readonly text: string }
  /** Words that were heard: the item that has their sound. */
  | { readonly kind: 'heard'; readonly id: string }
  | { readonly kind: 'call'; readonly callId: string; readonly name: string; readonly arguments: string }
  | { readonly kind: 'output'; readonly callId: string; readonly output: string };

/** Words that the conversation has as sound. */
export interface HeardItem {
  readonly id: string;
  readonly words: string;
}

export interface WantedConversation {
  /** The system message; empty: there is none. */
  readonly instructions: string;
  readonly items: readonly WantedItem[];
}

/** Returns the items for messages. `heard`: words that were heard, in their order; sound stands for them where a message ends with them. */
export function wantedItems(messages: readonly Message[], heard: readonly HeardItem[] = []): WantedConversation {
  const ids = callIdsFor(messages, 'word');
  const unused = [...heard];
  const callIdOf = (callId: string): string => ids.get(callId) ?? callId;
  const items = messages.flatMap((message) => itemsOf(message, callIdOf, unused));
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  return { instructions: system.join('\n\n'), items };
}

function itemsOf(message: Message, callIdOf: (callId: string) => string, unused: HeardItem[]): readonly WantedItem[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return userItems(message.content, unused);
    case 'tool':
      return [{ kind: 'output', callId: callIdOf(message.callId), output: message.content }];
    case 'assistant': {
      const { content, calls } = message;
      const text: readonly WantedItem[] = content === '' ? [] : [{ kind: 'text', role: 'assistant', text: content }];
      return [
        ...text,
        ...calls.map(
          ({ callId, name, arguments: given }): WantedItem => ({
            kind: 'call',
            callId: callIdOf(callId),
            name,
            arguments: given,
          }),
        ),
      ];
    }
  }
}

/** Returns the items of what was said. What stands before the words, a name or a note, is an item of its own. */
function userItems(content: string, unused: HeardItem[]): readonly WantedItem[] {
  const at = unused.findIndex(({ words }) => endsWithWords(content, words));
  const found = unused[at];
  if (!found) return content === '' ? [] : [{ kind: 'text', role: 'user', text: content }];
  unused.splice(0, at + 1);
  const before = content.slice(0, content.length - found.words.length).trimEnd();
  const sound = { kind: 'heard', id: found.id } as const;
  return before === '' ? [sound] : [{ kind: 'text', role: 'user', text: before }, sound];
}

/** Whether a message ends with these words: they are all of it, or stand after a name or on a line of their own. */
function endsWithWords(content: string, words: string): boolean {
  if (words === '' || !content.endsWith(words)) return false;
  const before = content.slice(0, content.length - words.length);
  return before === '' || before.endsWith('\n') || before.endsWith(': ');
}
