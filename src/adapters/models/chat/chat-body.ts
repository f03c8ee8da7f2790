// Makes the body of a request to the Chat Completions API: its messages, its tools and its options, by the rules of the endpoint's family.
//
// 1. A response goes back with its state. One without state goes back as its family accepts it: as calls, or in words.
// 2. Speaker and model take turns in every case: words that stand for calls are joined with what the user says before or after them.
import { createHash } from 'node:crypto';
import type { LoadedPart } from '../../../../machines/content.ts';
import type { Json } from '../../../../machines/messages.ts';
import type { ModelOptions } from '../../../../machines/model-options.ts';
import type { ToolDeclaration } from '../../../../machines/tool-declaration.ts';
import type { ModelRequest } from '../../../core/contracts/provider.ts';
import { addWords, putCallsInWords } from '../calls-in-words.ts';
import { callIdsFor } from '../endpoint-ids.ts';
import type { ResolvedMessage } from '../resolve-media.ts';
import { sentSchema } from '../sent-schema.ts';
import { chatContentPart } from './chat-content.ts';
import type { ChatFamily, StateFields } from './chat-family.ts';
import { type ChatState, readState } from './chat-state.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface BodyInput {
  readonly request: Pick<ModelRequest, 'tools' | 'options' | 'session'>;
  /** The messages of the request, with their media. */
  readonly messages: readonly ResolvedMessage[];
  readonly model: string;
  readonly family: ChatFamily;
}

/** Returns the body. The fields of `options.extra` replace what Belay would send under the same name; null removes one. */
export function chatBody({ request, messages, model, family }: BodyInput): Fields {
  const { options = {} } = request;
  const takesNoChoice = family.toolsOff === 'left_out' || family.toolsOnlyWithoutReasoning?.test(model);
  const tools = options.tools === 'none' && takesNoChoice ? [] : request.tools;
  const body = {
    model,
    messages: chatMessages(messages, family),
    ...toolFields(tools, options),
    ...optionFields({ ...request, tools }, model, family),
    stream: true,
    ...family.usage,
    ...options.extra,
  };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

type Assistant = Extract<ResolvedMessage, { role: 'assistant' }>;

function chatMessages(messages: readonly ResolvedMessage[], family: ChatFamily): readonly Fields[] {
  const isStateless = ({ state }: Assistant): boolean => readState(state) === null;
  const instructed = family.instructions === 'user' ? instructUser(messages) : messages;
  const accepted = family.withoutState === 'words' ? putCallsInWords(instructed, isStateless) : instructed;
  const ids = callIdsFor(accepted, family.callIds);
  return accepted.map((message) => wireMessage(message, ids, family));
}

function wireMessage(message: ResolvedMessage, ids: ReadonlyMap<string, string>, family: ChatFamily): Fields {
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

function assistantMessage(message: Assistant, ids: ReadonlyMap<string, string>, family: ChatFamily): Fields {
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

/** Returns the state without the fields that the endpoint does not accept: it may have refused one that it accepted before. */
function allowed({ message, calls, content }: ChatState, names: StateFields): ChatState {
  const pick = (fields: ChatState['message'], accepted: readonly string[]) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => accepted.includes(name)));
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

function toolFields(tools: readonly ToolDeclaration[], options: ModelOptions): Fields {
  if (tools.length === 0) return {};
  return {
    // some endpoints refuse a schema that names its dialect, or an object without properties
    tools: tools.map(({ name, description, parameters }) => {
      const { $schema: _, ...schema } = sentSchema(parameters);
      return {
        type: 'function',
        function: { name, description, parameters: { type: 'object', properties: {}, ...schema } },
      };
    }),
    // the tools stay, so that the front of the request stays in the endpoint's cache
    ...(options.tools === 'none' && { tool_choice: 'none' }),
  };
}

function optionFields(
  { tools, options = {}, session }: BodyInput['request'],
  model: string,
  family: ChatFamily,
): Fields {
  const { maxOutputTokens, temperature, cache } = options;
  const needsNone = tools.length > 0 && family.toolsOnlyWithoutReasoning?.test(model);
  const reasoningEffort = options.reasoningEffort ?? (needsNone ? 'none' : undefined);
  return {
    ...(maxOutputTokens !== undefined && { [family.maxTokens]: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(reasoningEffort !== undefined && effortFields(reasoningEffort, family)),
    ...(cache !== 'off' && cacheFields(cache, session, family)),
  };
}

function effortFields(word: string, { effort: { path, none, beside = {} } }: ChatFamily): Fields {
  if (word === 'none' && none) return none;
  const field = path.reduceRight<unknown>((value, name) => ({ [name]: value }), word) as Fields; // the path has a name
  return mergeFields(beside, field);
}

function cacheFields(cache: 'short' | 'long' | undefined, session: string | undefined, family: ChatFamily): Fields {
  const key = family.cacheKey && session !== undefined ? { [family.cacheKey]: keyOf(session) } : {};
  return { ...key, ...(cache !== undefined && family.cache?.[cache]) };
}

const keyChars = 32;

/** The id of a session is nobody's business at an endpoint: its key says only which requests belong together. */
const keyOf = (session: string): string => createHash('sha256').update(session).digest('hex').slice(0, keyChars);

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Joins two levels of fields. */
function mergeFields(a: Fields, b: Fields): Fields {
  const joined = Object.entries(b).map(([name, value]) => {
    const before = a[name];
    return [name, isFields(before) && isFields(value) ? { ...before, ...value } : value] as const;
  });
  return { ...a, ...Object.fromEntries(joined) };
}
