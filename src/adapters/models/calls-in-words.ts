// Replaces calls and their results by words: some endpoints refuse a call that goes back without the reasoning that led to it.
import type { LoadedPart } from '../../../machines/content.ts';
import type { ResolvedMessage } from './resolve-media.ts';

type Assistant = Extract<ResolvedMessage, { role: 'assistant' }>;
type Result = Extract<ResolvedMessage, { role: 'tool' }>;
type Words = Pick<Result, 'content' | 'parts'>;

/**
 * Replaces calls and their results by words in a message of the user.
 *
 * @param needsWords Whether the calls of a message are replaced; `follows`: the role of the message before it in the request.
 */
export function putCallsInWords(
  messages: readonly ResolvedMessage[],
  needsWords: (message: Assistant, follows: ResolvedMessage['role'] | undefined) => boolean,
): readonly ResolvedMessage[] {
  const replaced: ResolvedMessage[] = [];
  let calls: ReadonlyMap<string, Assistant['calls'][number]> = new Map();
  for (const message of messages) {
    const call = message.role === 'tool' ? calls.get(message.callId) : undefined;
    if (message.role === 'tool' && call) addWords(replaced, callInWords(call, message));
    else if (message.role === 'user') addWords(replaced, message);
    else if (message.role === 'assistant' && message.calls.length > 0 && needsWords(message, replaced.at(-1)?.role)) {
      calls = new Map(message.calls.map((each) => [each.callId, each]));
      if (message.content !== '') replaced.push({ role: 'assistant', content: message.content, calls: [] });
    } else replaced.push(message);
  }
  return replaced;
}

function callInWords({ name, arguments: input }: Assistant['calls'][number], { content, parts }: Result): Words {
  const note = `[Note of the runtime: you called the tool ${name} with ${input}. Its result was:]`;
  return {
    content: `${note}\n${content}`,
    ...(parts && { parts: [{ type: 'text', text: note }, ...parts] }),
  };
}

/** Adds words of the user: to the last message if it is the user's, else as a message of their own. */
export function addWords(messages: ResolvedMessage[], { content, parts }: Words): void {
  const last = messages.at(-1);
  if (last?.role !== 'user') {
    messages.push({ role: 'user', content, ...(parts && { parts }) });
    return;
  }
  const partsOf = (one: Words): readonly LoadedPart[] => one.parts ?? [{ type: 'text', text: one.content }];
  const joined =
    last.parts || parts ? { parts: [...partsOf(last), ...partsOf({ content, ...(parts && { parts }) })] } : {};
  messages.splice(-1, 1, { role: 'user', content: `${last.content}\n\n${content}`, ...joined });
}
