// Translates a request of the runtime into the Responses API.
//
// 1. No response is stored: the endpoint would go on generating after a stop. What it wants back is in the request.
// 2. Some models and organizations refuse encrypted reasoning or summaries of it. Then the request is sent once more without.
import { createHash } from 'node:crypto';
import type OpenAI from 'openai';
import type { Json } from '../../../../machines/messages.ts';
import type { ModelOptions } from '../../../../machines/model-options.ts';
import type { ToolDeclaration } from '../../../../machines/tool-declaration.ts';
import type { ModelRequest } from '../../../core/contracts/provider.ts';
import type { Failure } from '../classify-failure.ts';
import type { ModelExchange } from '../model-exchange.ts';
import type { AcceptedMedia, ResolvedMessage } from '../resolve-media.ts';
import { sentSchema } from '../sent-schema.ts';
import { responsesInput } from './responses-input.ts';
import { ResponsesReader } from './responses-reader.ts';
import { isStrictSchema } from './strict-schema.ts';

const images = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

/** The media that the endpoint takes. */
export const responsesMedia: AcceptedMedia = {
  user: [...images, 'application/pdf'],
  result: [...images, 'application/pdf'],
};

/** Fields that some models refuse, by the name that stands in the refusal. */
const optionalFields = ['reasoning.encrypted_content', 'reasoning.summary', 'prompt_cache_options'] as const;
type OptionalField = (typeof optionalFields)[number];

/** The fields that a model has refused: they are left out of later requests. */
export type RefusedFields = Set<OptionalField>;

export interface ResponsesExchangeOptions {
  readonly model: string;
  /** Is added to when the endpoint refuses a field. */
  readonly refused: RefusedFields;
  /** Fields of the body. */
  readonly extraBody?: Readonly<Record<string, Json>> | undefined;
}

/** Returns what is sent for a request, whose messages have their media. */
export function responsesExchange(
  request: ModelRequest,
  messages: readonly ResolvedMessage[],
  options: ResponsesExchangeOptions,
): ModelExchange {
  const leftOut = new Set(options.refused); // another request may add to it while this one is in flight
  return {
    path: '/responses',
    createBody: () => bodyOf(request, messages, { ...options, refused: leftOut }),
    createReader: (stream) => new ResponsesReader(stream, request),
    replaceRejected({ code, message }: Failure) {
      if (code !== 'model_rejected') return null;
      const field = optionalFields.find((name) => !leftOut.has(name) && isNamedIn(message, name));
      if (!field) return null;
      options.refused.add(field);
      return responsesExchange(request, messages, options);
    },
  };
}

function isNamedIn(message: string, field: OptionalField): boolean {
  if (field === 'reasoning.encrypted_content') return /encrypted.content/i.test(message);
  if (field === 'reasoning.summary') return /reasoning.summar/i.test(message);
  return message.includes(field);
}

type Body = Readonly<Record<string, unknown>>;

function bodyOf(
  request: ModelRequest,
  messages: readonly ResolvedMessage[],
  { model, refused, extraBody }: ResponsesExchangeOptions,
): Body {
  const { options = {}, session } = request;
  const { maxOutputTokens, temperature } = options;
  const { tools: hosted, include: included, ...extra } = { ...extraBody, ...options.extra };
  const { instructions, input } = responsesInput(messages);
  const tools = [...request.tools.map(functionTool), ...listOf(hosted)];
  const include = [
    ...(refused.has('reasoning.encrypted_content') ? [] : ['reasoning.encrypted_content']),
    ...listOf(included),
  ];
  const body = {
    model,
    ...(instructions !== '' && { instructions }),
    input,
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 && options.tools === 'none' && { tool_choice: 'none' }),
    ...(include.length > 0 && { include }),
    ...reasoningOf(options, refused),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...cacheOf(options, session, refused),
    ...extra,
    store: false,
    stream: true,
  };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

function functionTool({ name, description, parameters }: ToolDeclaration): OpenAI.Responses.FunctionTool {
  const schema = sentSchema(parameters);
  return { type: 'function', name, description, parameters: { ...schema }, strict: isStrictSchema(schema) };
}

function reasoningOf({ reasoningEffort }: ModelOptions, refused: RefusedFields): Body {
  const reasoning = {
    ...(reasoningEffort !== undefined && { effort: reasoningEffort }),
    ...(!refused.has('reasoning.summary') && { summary: 'auto' }),
  };
  return Object.keys(reasoning).length > 0 ? { reasoning } : {};
}

/** The requests of a session have the same key, so that they reach the machine that has their front in its cache. */
function cacheOf({ cache = 'short' }: ModelOptions, session: string | undefined, refused: RefusedFields): Body {
  if (cache === 'off') return {};
  const key = session === undefined ? null : createHash('sha256').update(session).digest('hex').slice(0, 32);
  return {
    ...(key !== null && { prompt_cache_key: key }),
    ...(cache === 'long' && !refused.has('prompt_cache_options') && { prompt_cache_options: { ttl: '12h' } }),
  };
}
