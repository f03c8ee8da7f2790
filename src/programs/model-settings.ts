// The settings of the model: its endpoint, the options of its calls, and the prices of models.
import * as z from 'zod';
import type { Json } from '../../machines/messages.ts';
import type { ModelOptions } from '../../machines/model-options.ts';
import { aiSdkPackages } from '../adapters/models/ai-sdk/ai-sdk-apis.ts';
import { baseUrlProblem } from '../adapters/models/base-url.ts';
import { families } from '../adapters/models/chat/families.ts';
import { openAIApis } from '../adapters/models/openai-apis.ts';
import { silenceLimits } from '../adapters/models/response-limits.ts';
import { dropUndefined, namesOf } from '../core/collections/fields.ts';
import { emojiProblem } from '../core/workers/acknowledgement-rules.ts';
import { turnOptionsSchema } from '../wire/client-frames.ts';
import { maxModelChars } from '../wire/frame-limits.ts';

/** A model of OpenAI: balanced between what it can do and what it costs. */
export const defaultModel = 'gpt-6.1-terra';

const milliseconds = z.int().min(0).max(2_147_483_647);
const { reasoningEffort, maxOutputTokens, temperature } = turnOptionsSchema.shape;

/** Values of the JSON file, which has nothing but JSON in it. */
const json = z.custom<Json>(() => true);

export const modelSchema = z.strictObject({
  /** The address above /chat/completions. */
  baseUrl: z
    .string()
    .refine((address) => baseUrlProblem(address) === null, {
      error: ({ input }) => baseUrlProblem(String(input)) ?? '',
    })
    .optional(),
  apiKey: z.string().min(1).optional(),
  /** A file with the key. */
  apiKeyFile: z.string().min(1).optional(),
  name: z.string().min(1).default(defaultModel),
  /** Further models of the endpoint that a SAY may ask for. */
  choices: z.array(z.string().min(1).max(maxModelChars)).max(64).default([]),
  /** The API that is spoken. Left out: chosen by the address. */
  api: z.enum([...openAIApis, 'realtime', ...namesOf(aiSdkPackages)]).optional(),
  /** How a model of the API `realtime` sounds, and how it hears. */
  realtime: z
    .strictObject({
      voice: z.string().min(1).optional(),
      transcription: z.string().min(1).optional(),
      language: z.string().min(2).max(8).optional(),
      silenceMs: z.int().min(100).max(10_000).optional(),
    })
    .optional(),
  /** The family of the endpoint. Left out: chosen by the address. */
  family: z.enum(namesOf(families)).optional(),
  /** Headers of each request. */
  headers: z.record(z.string().min(1), z.string()).default({}),
  reasoningEffort: reasoningEffort.optional(),
  maxOutputTokens: maxOutputTokens.optional(),
  temperature: temperature.optional(),
  cache: z.enum(['off', 'short', 'long']).optional(),
  /** Fields of the body of each request. */
  extraBody: z.record(z.string().min(1), json).default({}),
  /** How long the endpoint may send nothing, before and after the first byte of a response, in milliseconds; 0: without a limit. */
  firstByteMs: milliseconds.default(silenceLimits.firstByteMs),
  idleMs: milliseconds.default(silenceLimits.idleMs),
});

/** The model call that acknowledges a stop. */
export const acknowledgementSchema = z.strictObject({
  /** The endpoint's name of a model. Left out: `model.name`. */
  model: z.string().min(1).optional(),
  reasoningEffort: reasoningEffort.optional(),
  maxOutputTokens: maxOutputTokens.optional(),
  /** What stands for words in a text session. */
  emoji: z
    .string()
    .refine((text) => emojiProblem(text) === null, { error: ({ input }) => emojiProblem(String(input)) ?? '' })
    .optional(),
});

export type ModelSettings = z.output<typeof modelSchema>;

const dollars = z
  .number({ error: 'must be a number: US dollars for a million tokens' })
  .min(0, { error: 'must not be negative' });

/** By the endpoint's name of the model. */
export const pricesSchema = z.record(
  z.string().min(1),
  z.strictObject({
    input: dollars,
    output: dollars,
    cachedInput: dollars.optional(),
    cacheWrite: dollars.optional(),
  }),
);

/** Returns the options of every model call. */
export function modelOptionsOf(settings: ModelSettings): ModelOptions {
  const { reasoningEffort, maxOutputTokens, temperature, cache, extraBody } = settings;
  const extra = Object.keys(extraBody).length > 0 ? extraBody : undefined;
  return dropUndefined({ reasoningEffort, maxOutputTokens, temperature, cache, extra });
}
