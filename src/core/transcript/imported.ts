// A conversation that was held elsewhere: what a client brings of it, in the form that a fact keeps, and the settled turns as which the model reads it.
import { type ContentPart, textOfContent } from '../../../machines/content.ts';
import type { Imported, ImportedMessage, ModelEnded, TurnEnded, TurnOpened } from '../../../machines/facts.ts';
import { type NodeId, noUsage } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/fields.ts';

/** A call that a client says was made. */
export interface BroughtCall {
  readonly name: string;
  /** A JSON text, as the client has it. */
  readonly arguments: string;
}

/** A message as a client brings it. */
export type BroughtMessage =
  | { readonly role: 'user'; readonly content: readonly ContentPart[] }
  | {
      readonly role: 'assistant';
      readonly content: readonly ContentPart[];
      readonly calls?: readonly BroughtCall[] | undefined;
    }
  /** The result of a call. */
  | { readonly role: 'tool'; readonly content: readonly ContentPart[] };

const wordsOfCall = ({ name, arguments: text }: BroughtCall): string =>
  `[A call that the client says was made elsewhere: ${name}(${text})]`;
const wordsOfResult = (content: readonly ContentPart[]): string =>
  `[A result that the client says came from elsewhere: ${textOfContent(content)}]`;

/** Returns the role of a message, and its content with calls and results in words. */
function inWords(message: BroughtMessage): { readonly role: 'user' | 'assistant'; readonly parts: ContentPart[] } {
  if (message.role === 'tool')
    return { role: 'assistant', parts: [{ type: 'text', text: wordsOfResult(message.content) }] };
  const calls = message.role === 'assistant' ? (message.calls ?? []) : [];
  const words = calls.map((call): ContentPart => ({ type: 'text', text: wordsOfCall(call) }));
  return { role: message.role, parts: [...message.content, ...words] };
}

/** Returns the messages that a fact keeps: calls and results in words, and user and assistant in turn. */
export function importedMessages(brought: readonly BroughtMessage[]): readonly ImportedMessage[] {
  const merged: { role: 'user' | 'assistant'; parts: ContentPart[] }[] = [];
  for (const message of brought) {
    const { role, parts } = inWords(message);
    const last = merged.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else merged.push({ role, parts });
  }
  return merged.map(({ role, parts }) => {
    if (parts.some(({ type }) => type !== 'text')) return { role, text: textOfContent(parts), parts };
    return { role, text: parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n\n') };
  });
}

/** Returns the exchanges as the facts of turns that have completed. Their ids name no node: nothing but a summary, or a request that leaves them out, refers to them. */
export function importedTurns({ by, messages }: Imported): readonly (TurnOpened | ModelEnded | TurnEnded)[] {
  const completed = { outcome: 'completed', usage: noUsage } as const;
  return messages.flatMap((message, i) => {
    if (message.role === 'assistant' && i > 0) return []; // the answer to the one before
    const turn: NodeId = `imported:${i}`;
    const { text, parts } = message.role === 'user' ? message : { text: '', parts: undefined };
    const said = { type: 'turn_opened', kind: 'say', owner: by, lane: by, text, ref: null } as const;
    const answer = message.role === 'assistant' ? message : messages[i + 1];
    const answered = { type: 'model_ended', turn, index: 0, ...completed, cutOff: false, owner: by } as const;
    return [
      { ...said, turn, ...dropUndefined({ parts }) },
      ...(answer ? [{ ...answered, text: answer.text }] : []),
      { type: 'turn_ended', turn, effect: 'none', ...completed },
    ];
  });
}
