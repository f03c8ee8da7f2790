// Translates the messages of a request into those of the Chat Completions API, by the rules of the endpoint's family.
//
// 1. A response goes back with its state. One without state goes back as its family accepts it: as calls, or in words.
// 2. Speaker and model take turns in every case: words that stand for calls are joined with what the user says before or after them.
import type { LoadedPart } from '../../../../machines/content.ts';
import type { Json } from '../../../../machines/messages.ts';
import { callIdsFor } from '../call-ids.ts';
import { addWords, putCallsInWords } from '../calls-in-words.ts';
import { chatContentPart } from '../chat-content.ts';
import type { ResolvedMessage } from '../resolve-media.ts';
import type { ChatFamily, StateFields } from './chat-family.ts';
import { type ChatState, readState } from './chat-state.ts';

/** A message as it is sent. */
export type WireMessage = Readonly<Record<string, unknown>>;

type Assistant = Extract<ResolvedMessage, { role: 'assistant' }>;

/** Returns the messages of the body. */
export function chatMessages(messages: readonly ResolvedMessage[], family: ChatFamily): readonly WireMessage[] {
  const isStateless = ({ state }: Assistant): boolean => readState(state) === null;
  const instructed = family.instructions === 'user' ? instructUser(messages) : messages;
  const accepted = family.withoutState === 'words' ? putCallsInWords(instructed, isStateless) : instructed;
  const ids = callIdsFor(accepted, family.callIds);
  return accepted.map((message) => wireMessage(message, ids, family));
}

function wireMessage(message: ResolvedMessage, ids: ReadonlyMap<string, string>, family: ChatFamily): WireMessage {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: contentOf(message) };
    case 'tool':
      return { role: 'tool', tool_call_id: ids.get(message.callId) ?? message.callId, content: contentOf(message) };
    case 'assistant':
      return assistantMessage(message, ids, family);
  }
}

const contentOf = ({ content, parts }: { readonly content: string; readonly parts?: readonly LoadedPart[] }) =>
  parts ? parts.map(chatContentPart) : content;

const noState: ChatState = { message: {}, calls: [], content: [] };

function assistantMessage(message: Assistant, ids: ReadonlyMap<string, string>, family: ChatFamily): WireMessage {
  const { content, calls } = message;
  const known = readState(message.state);
  const state = known ? allowed(known, family.state) : noState;
  if (calls.length === 0) return { role: 'assistant', content: withThinking(content, state), ...state.message };
  const { withoutState } = family;
  const isUnsigned = Object.keys(state.calls[0] ?? {}).length === 0; // also Gemini itself leaves out a signature at times
  const placeholder = isUnsigned && typeof withoutState === 'object' ? withoutState.firstCall : {};
  return {
    role: 'assistant',
    ...(content === '' && state.content.length === 0
      ? emptyContent[family.emptyContent]
      : { content: withThinking(content, state) }),
    ...state.message,
    tool_calls: calls.map((call, i) => ({
      id: ids.get(call.callId) ?? call.callId,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
      ...(i === 0 && placeholder),
      ...state.calls[i],
    })),
  };
}

const emptyContent = { null: { content: null }, text: { content: '' }, left_out: {} } as const;

/** Leaves out what the endpoint does not take: it may have refused a field that it took before. */
function allowed({ message, calls, content }: ChatState, names: StateFields): ChatState {
  const pick = (fields: ChatState['message'], taken: readonly string[]) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => taken.includes(name)));
  return {
    message: pick(message, names.message),
    calls: calls.map((fields) => pick(fields, names.call)),
    content: names.inContent ? content : [],
  };
}

function withThinking(content: string, state: ChatState): string | readonly Json[] {
  if (state.content.length === 0) return content;
  return [...state.content, ...(content === '' ? [] : [{ type: 'text', text: content }])];
}

/** Puts the instructions before the first words of the user. */
function instructUser(messages: readonly ResolvedMessage[]): readonly ResolvedMessage[] {
  const instructed: ResolvedMessage[] = [];
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'user') addWords(instructed, message);
    else instructed.push(message);
  }
  return instructed;
}
