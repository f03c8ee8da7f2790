// The request of Chat Completions: its schema, what of it Belay does not do, and what it says.
import * as z from 'zod';
import type { TurnOptions } from '../../../machines/model-options.ts';
import { maxOutputTokensAsked, maxReasoningEffortChars, maxTemperature } from '../../wire/frame-limits.ts';
import {
  type BroughtConversation,
  imageOfUrl,
  type SaidMessage,
  type SaidPiece,
  splitConversation,
} from '../door-turns/brought-words.ts';
import { turnOptionsOf } from './openai-session.ts';
import { assertNoneAsked, isList, isNotText, isThere, type RefusedField } from './refused-fields.ts';

const maxMessages = 1_001;
const maxContentParts = 64;

const part = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
  z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string() }) }),
]);
const content = z.union([z.string(), z.array(part).max(maxContentParts)]);
const call = z.looseObject({ function: z.looseObject({ name: z.string(), arguments: z.string() }) });

const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.enum(['system', 'developer', 'user']), content }),
  z.looseObject({
    role: z.literal('assistant'),
    content: content.nullish(),
    tool_calls: z.array(call).nullish(),
  }),
  z.looseObject({ role: z.literal('tool'), content }),
]);
type Message = z.output<typeof message>;

/** Fields that are not here are left alone: clients send many, and most change nothing that Belay does. */
export const chatRequestSchema = z.looseObject({
  model: z.string().min(1).max(128),
  messages: z.array(message).min(1).max(maxMessages),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_completion_tokens: z.int().min(1).max(maxOutputTokensAsked).nullish(),
  max_tokens: z.int().min(1).max(maxOutputTokensAsked).nullish(),
  reasoning_effort: z.string().min(1).max(maxReasoningEffortChars).nullish(),
  temperature: z.number().min(0).max(maxTemperature).nullish(),
});
export type ChatRequest = z.output<typeof chatRequestSchema>;

const refusedFields: readonly RefusedField[] = [
  { field: 'tools', isAsked: isList, why: 'tools run inside Belay: name a profile that has them' },
  { field: 'functions', isAsked: isList, why: 'tools run inside Belay: name a profile that has them' },
  { field: 'n', isAsked: (n) => typeof n === 'number' && n > 1, why: 'there is one answer to a request' },
  { field: 'audio', isAsked: isThere, why: 'answers are text' },
  { field: 'logprobs', isAsked: (asked) => asked === true, why: 'the probabilities of tokens are not known here' },
  { field: 'response_format', isAsked: isNotText, why: 'answers are text, of no schema' },
];

/** Throws an `HttpProblem` if the request asks for something that is not done here. */
export const assertChatSupported = (request: ChatRequest): void => assertNoneAsked(request, refusedFields);

function pieceOf(one: z.output<typeof part>): SaidPiece {
  if (one.type === 'text') return { type: 'text', text: one.text };
  if (one.type === 'refusal') return { type: 'text', text: one.refusal };
  return imageOfUrl(one.image_url.url, 'messages');
}

const piecesOf = (given: z.output<typeof content> | null | undefined): readonly SaidPiece[] => {
  if (given === null || given === undefined) return [];
  return typeof given === 'string' ? [{ type: 'text', text: given }] : given.map(pieceOf);
};

function saidMessageOf(one: Message): SaidMessage {
  const pieces = piecesOf(one.content);
  if (one.role === 'tool') return { role: 'tool', content: pieces };
  if (one.role === 'assistant')
    return {
      role: 'assistant',
      content: pieces,
      calls: (one.tool_calls ?? []).map((each) => ({ name: each.function.name, arguments: each.function.arguments })),
    };
  // the instructions of a client are words of its speaker: those of the gateway stay above them
  return { role: 'user', content: pieces };
}

/** Returns the conversation of a request. Throws an `HttpProblem` if it says nothing new. */
export const chatConversationOf = ({ messages }: ChatRequest): BroughtConversation =>
  splitConversation(messages.map(saidMessageOf), 'messages');

/** Returns what the request asks of the model calls of its turn. */
export const chatOptionsOf = (request: ChatRequest): TurnOptions | undefined =>
  turnOptionsOf({
    reasoningEffort: request.reasoning_effort,
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens,
    temperature: request.temperature,
  });
