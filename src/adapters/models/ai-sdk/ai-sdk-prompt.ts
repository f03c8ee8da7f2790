// Translates the messages of a request into a prompt of the AI SDK.
import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import type { LoadedPart } from '../../../../machines/content.ts';
import type { MessageCall } from '../../../../machines/messages.ts';
import type { ModelOptions } from '../../../../machines/model-options.ts';
import { putCallsInWords } from '../calls-in-words.ts';
import { callIdsFor } from '../endpoint-ids.ts';
import type { ResolvedMessage } from '../resolve-media.ts';
import type { AiSdkFamily } from './ai-sdk-family.ts';
import { type AssistantContent, contentFromState, startsWithReasoning } from './ai-sdk-state.ts';

type AssistantMessage = Extract<ResolvedMessage, { role: 'assistant' }>;
type ToolMessage = Extract<ResolvedMessage, { role: 'tool' }>;

/** Translates messages that have their media. */
export function promptOf(
  messages: readonly ResolvedMessage[],
  family: AiSdkFamily,
  cache: ModelOptions['cache'] = 'short',
): LanguageModelV4Prompt {
  const accepted = family.signsCalls ? putUnsignedCallsInWords(messages) : messages;
  const prompt = new PromptWriter(accepted, family).write();
  return cache === 'off' ? prompt : markForCache(prompt, family, cache);
}

class PromptWriter {
  readonly #messages: readonly ResolvedMessage[];
  readonly #ids: ReadonlyMap<string, string>;
  readonly #names = new Map<string, string>();
  readonly #prompt: LanguageModelV4Prompt = [];

  constructor(messages: readonly ResolvedMessage[], { callIds }: AiSdkFamily) {
    this.#messages = messages;
    this.#ids = callIdsFor(messages, callIds);
  }

  write(): LanguageModelV4Prompt {
    for (const message of this.#messages) this.#add(message);
    return this.#prompt;
  }

  #add(message: ResolvedMessage): void {
    switch (message.role) {
      case 'system':
        this.#prompt.push({ role: 'system', content: message.content });
        return;
      case 'user':
        this.#prompt.push({ role: 'user', content: userContent(message.content, message.parts) });
        return;
      case 'assistant':
        for (const { callId, name } of message.calls) this.#names.set(callId, name);
        this.#prompt.push({ role: 'assistant', content: this.#assistantContent(message) });
        return;
      case 'tool':
        this.#addResult(message);
    }
  }

  #assistantContent(message: AssistantMessage): AssistantContent {
    const callPart = ({ callId, name, arguments: written }: MessageCall) =>
      ({
        type: 'tool-call',
        toolCallId: this.#ids.get(callId) ?? callId,
        toolName: name,
        input: JSON.parse(written),
      }) as const;
    const kept = contentFromState(message, callPart);
    if (kept) return kept;
    const text: AssistantContent = message.content === '' ? [] : [{ type: 'text', text: message.content }];
    return [...text, ...message.calls.map(callPart)];
  }

  /** The results of a round are one message. */
  #addResult({ callId, content, parts }: ToolMessage): void {
    const result: LanguageModelV4ToolResultPart = {
      type: 'tool-result',
      toolCallId: this.#ids.get(callId) ?? callId,
      toolName: this.#names.get(callId) ?? '_',
      output: parts ? { type: 'content', value: parts.map(mediaPart) } : { type: 'text', value: content },
    };
    const last = this.#prompt.at(-1);
    if (last?.role === 'tool') last.content.push(result);
    else this.#prompt.push({ role: 'tool', content: [result] });
  }
}

type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content'];

const userContent = (content: string, parts: readonly LoadedPart[] | undefined): UserContent =>
  parts ? parts.map(mediaPart) : [{ type: 'text', text: content }];

function mediaPart(part: LoadedPart): UserContent[number] {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { mediaType, data, name } = part;
  return { type: 'file', mediaType, data: { type: 'data', data }, ...(name !== undefined && { filename: name }) };
}

/**
 * Replaces by words those calls of the current turn whose reasoning was dropped: the endpoint refuses them as calls. Those of earlier turns it
 * accepts. Where words stand at the start of the turn, the next response has to begin with its reasoning.
 */
function putUnsignedCallsInWords(messages: readonly ResolvedMessage[]): readonly ResolvedMessage[] {
  const start = messages.findLastIndex(({ role }) => role === 'user');
  const current = new Set(messages.slice(start + 1));
  let hasWords = false;
  return putCallsInWords(messages, (message, follows) => {
    if (!current.has(message)) return false;
    const { state } = message;
    const needsReasoning = hasWords && follows === 'user';
    const needsWords = !state || (needsReasoning && !startsWithReasoning(state.parts));
    hasWords ||= needsWords;
    return needsWords;
  });
}

/** Marks the instructions, which all requests have in common, and the last message, which the next request has too. */
function markForCache(
  prompt: LanguageModelV4Prompt,
  { cacheMark }: AiSdkFamily,
  cache: NonNullable<ModelOptions['cache']>,
): LanguageModelV4Prompt {
  if (!cacheMark) return prompt;
  // the options are JSON by their type
  const providerOptions = cacheMark(cache) as NonNullable<LanguageModelV4Message['providerOptions']>;
  return prompt.map((message, i) =>
    message.role === 'system' || i === prompt.length - 1 ? { ...message, providerOptions } : message,
  );
}
