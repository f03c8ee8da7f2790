// Makes the body of a request to the Chat Completions API: its messages, its tools and its options, by the rules of the endpoint's family.
import { createHash } from 'node:crypto';
import type { ModelOptions } from '../../../../machines/model-options.ts';
import type { JsonSchema, ToolDeclaration } from '../../../../machines/tool-declaration.ts';
import type { ModelRequest } from '../../../core/contracts/provider.ts';
import type { ResolvedMessage } from '../resolve-media.ts';
import type { ChatFamily } from './chat-family.ts';
import { chatMessages } from './chat-messages.ts';

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

function toolFields(tools: readonly ToolDeclaration[], options: ModelOptions): Fields {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters: schemaOf(parameters) },
    })),
    // the tools stay, so that the front of the request stays in the endpoint's cache
    ...(options.tools === 'none' && { tool_choice: 'none' }),
  };
}

/** Some endpoints refuse a schema that names its dialect, or an object without properties. */
function schemaOf({ $schema: _, ...schema }: JsonSchema): JsonSchema {
  return { type: 'object', properties: {}, ...schema };
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
