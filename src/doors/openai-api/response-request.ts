// The request of Responses: its schema, what of it Belay does not do, and what it says.
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

const maxItems = 1_001;
const maxContentParts = 64;

const part = z.discriminatedUnion('type', [
  z.looseObject({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() }),
  z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
  z.looseObject({ type: z.literal('input_image'), image_url: z.string() }),
]);
const content = z.union([z.string(), z.array(part).max(maxContentParts)]);

const message = z.looseObject({
  type: z.literal('message').optional(),
  role: z.enum(['system', 'developer', 'user', 'assistant']),
  content,
});
/** What an answer had beside its texts, sent again. */
const returnedItem = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('function_call'), name: z.string(), arguments: z.string() }),
  z.looseObject({ type: z.literal('function_call_output'), output: content }),
  z.looseObject({
    type: z.literal('mcp_call'),
    name: z.string(),
    arguments: z.string(),
    output: z.string().nullish(),
    error: z.unknown().optional(),
  }),
  z.looseObject({ type: z.literal('reasoning') }),
]);
const item = z.union([returnedItem, message]);

/** Fields that are not here are left alone: clients send many, and most change nothing that Belay does. */
export const responseRequestSchema = z.looseObject({
  model: z.string().min(1).max(128),
  input: z.union([z.string(), z.array(item).min(1).max(maxItems)]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().min(1).max(2_048).nullish(),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
  store: z.boolean().nullish(),
  max_output_tokens: z.int().min(1).max(maxOutputTokensAsked).nullish(),
  reasoning: z.looseObject({ effort: z.string().min(1).max(maxReasoningEffortChars).nullish() }).nullish(),
  temperature: z.number().min(0).max(maxTemperature).nullish(),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }).nullish() }).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
});
export type ResponseRequest = z.output<typeof responseRequestSchema>;

const refusedFields: readonly RefusedField[] = [
  { field: 'tools', isAsked: isList, why: 'tools run inside Belay: name a profile that has them' },
  {
    field: 'conversation',
    isAsked: isThere,
    why: 'name the session by its header, or the answer by previous_response_id',
  },
  { field: 'prompt', isAsked: isThere, why: 'there are no stored prompts here' },
  {
    field: 'top_logprobs',
    isAsked: (n) => typeof n === 'number' && n > 0,
    why: 'the probabilities of tokens are not known here',
  },
];

/** Throws an `HttpProblem` if the request asks for something that is not done here. */
export function assertResponseSupported(request: ResponseRequest): void {
  assertNoneAsked(request, refusedFields);
  assertNoneAsked({ 'text.format': request.text?.format }, [
    { field: 'text.format', isAsked: isNotText, why: 'answers are text, of no schema' },
  ]);
}

function pieceOf(one: z.output<typeof part>): SaidPiece {
  if (one.type === 'input_image') return imageOfUrl(one.image_url, 'input');
  return { type: 'text', text: one.type === 'refusal' ? one.refusal : one.text };
}

const piecesOf = (given: z.output<typeof content>): readonly SaidPiece[] =>
  typeof given === 'string' ? [{ type: 'text', text: given }] : given.map(pieceOf);

const saidText = (text: string): readonly SaidPiece[] => [{ type: 'text', text }];

function saidMessagesOf(one: z.output<typeof item>): readonly SaidMessage[] {
  switch (one.type) {
    case 'function_call':
      return [{ role: 'assistant', content: [], calls: [{ name: one.name, arguments: one.arguments }] }];
    case 'function_call_output':
      return [{ role: 'tool', content: piecesOf(one.output) }];
    case 'mcp_call': {
      const { name, arguments: given, output, error } = one;
      const result = output ?? (error === undefined || error === null ? '' : JSON.stringify(error));
      return [
        { role: 'assistant', content: [], calls: [{ name, arguments: given }] },
        { role: 'tool', content: saidText(result) },
      ];
    }
    case 'reasoning':
      return []; // it is the model's own, and means nothing to another one
    default:
      if (one.role === 'assistant') return [{ role: 'assistant', content: piecesOf(one.content), calls: [] }];
      // the instructions of a client are words of its speaker: those of the gateway stay above them
      return [{ role: 'user', content: piecesOf(one.content) }];
  }
}

/** Returns the conversation of a request. Throws an `HttpProblem` if it says nothing new. */
export function responseConversationOf({ input, instructions }: ResponseRequest): BroughtConversation {
  const items =
    typeof input === 'string' ? [{ role: 'user', content: saidText(input) } as const] : input.flatMap(saidMessagesOf);
  const { before, said } = splitConversation(items, 'input');
  return instructions ? { before, said: [...saidText(instructions), ...said] } : { before, said };
}

/** Returns what the request asks of the model calls of its turn. */
export const responseOptionsOf = (request: ResponseRequest): TurnOptions | undefined =>
  turnOptionsOf({
    reasoningEffort: request.reasoning?.effort,
    maxOutputTokens: request.max_output_tokens,
    temperature: request.temperature,
  });
