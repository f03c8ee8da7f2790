// Reads the text, the reasoning and the usage in a chunk: endpoints disagree on their places, on their names and on their forms.
import type { Json } from '../../../../machines/messages.ts';
import type { Usage } from '../../../../machines/vocabulary.ts';
import { dropUndefined, fieldsOf, type UntrustedFields } from '../../../core/collections/fields.ts';

export interface DeltaPieces {
  readonly text: string;
  readonly reasoning: string;
  readonly isRefusal: boolean;
  /** The parts of the content that are reasoning. */
  readonly thinking: readonly Json[];
}

/** The names of reasoning as text. An endpoint that sends several says the same by each. */
const reasoningNames = ['reasoning_content', 'reasoning', 'thinking', 'reasoning_text', 'thought'];

/** Reads the `delta` of a chunk, or the `message` of a whole completion. */
export function readDelta(delta: UntrustedFields): DeltaPieces {
  const content = readContent(delta['content']);
  const refusal = textOf(delta['refusal']);
  const transcript = textOf(fieldsOf(delta['audio'])['transcript']);
  const { images } = delta;
  const shown = Array.isArray(images) ? '[image]'.repeat(images.length) : '';
  return {
    text: content.text + refusal + transcript + shown,
    reasoning: content.reasoning + reasoningOf(delta),
    isRefusal: refusal !== '' || content.isRefusal,
    thinking: content.thinking,
  };
}

function reasoningOf(delta: UntrustedFields): string {
  for (const name of reasoningNames) {
    const value = delta[name];
    const text = typeof value === 'string' ? value : readContent(value).text;
    if (text !== '') return text;
  }
  const { reasoning_details: details } = delta;
  return Array.isArray(details) ? textOfDetails(details) : '';
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const none: DeltaPieces = { text: '', reasoning: '', isRefusal: false, thinking: [] };

/** Reads a content: a text, a part, or a list of parts. */
function readContent(content: unknown): DeltaPieces {
  if (content === undefined || content === null) return none;
  if (typeof content === 'string') return { ...none, text: content };
  if (Array.isArray(content)) return content.map(readPart).reduce(join, none);
  return typeof content === 'object' ? readPart(content) : none;
}

const join = (a: DeltaPieces, b: DeltaPieces): DeltaPieces => ({
  text: a.text + b.text,
  reasoning: a.reasoning + b.reasoning,
  isRefusal: a.isRefusal || b.isRefusal,
  thinking: [...a.thinking, ...b.thinking],
});

function readPart(part: unknown): DeltaPieces {
  if (typeof part === 'string') return { ...none, text: part };
  const { type, text, thinking, refusal, parts, content } = fieldsOf(part);
  if (thinking !== undefined || type === 'thinking' || type === 'reasoning') {
    const reasoning = readContent(thinking ?? text).text;
    return { ...none, reasoning, thinking: [part as Json] }; // it was read from JSON text
  }
  if (typeof refusal === 'string') return { ...none, text: refusal, isRefusal: true };
  if (typeof text === 'string') return { ...none, text };
  if (parts !== undefined || content !== undefined) return readContent(parts ?? content);
  return { ...none, text: typeof type === 'string' ? `[${type}]` : '' }; // what cannot be shown is named
}

/** The readable part of OpenRouter's `reasoning_details`. */
function textOfDetails(details: readonly unknown[]): string {
  return details
    .map((detail) => {
      const { text, summary } = fieldsOf(detail);
      return textOf(text) || textOf(summary);
    })
    .join('');
}

/** Returns the usage of the response so far; null: the chunk does not say it, or says only zeros. */
export function readUsage(chunk: UntrustedFields, choice: UntrustedFields): Usage | null {
  // Moonshot and Groq have places of their own; llama.cpp counts in `timings`
  const places = [chunk['usage'], choice['usage'], fieldsOf(chunk['x_groq'])['usage']];
  for (const place of places) {
    const usage = place ? usageOf(fieldsOf(place)) : null;
    if (usage) return usage;
  }
  return chunk['timings'] ? timingsOf(chunk['timings']) : null;
}

const numberOf = (...values: readonly unknown[]): number | undefined =>
  values.find((value): value is number => typeof value === 'number' && value >= 0);

function usageOf(fields: UntrustedFields): Usage | null {
  const input = numberOf(fields['prompt_tokens'], fields['input_tokens']);
  const completion = numberOf(fields['completion_tokens'], fields['output_tokens']) ?? 0;
  if (input === undefined || input + completion === 0) return null; // some send zeros with every chunk but the last
  const total = numberOf(fields['total_tokens']) ?? 0;
  const output = Math.max(completion, total - input); // Google and xAI count reasoning in the total alone
  const read = fieldsOf(fields['prompt_tokens_details']);
  const written = fieldsOf(fields['completion_tokens_details']);
  const hidden = output > completion ? output - completion : undefined;
  const details = {
    cachedInput: numberOf(
      read['cached_tokens'],
      fields['prompt_cache_hit_tokens'],
      fields['cached_tokens'],
      fields['cache_read_input_tokens'],
    ),
    cacheWrite: numberOf(
      read['cache_write_tokens'],
      read['cache_creation_tokens'],
      read['cache_creation_input_tokens'],
      fields['cache_creation_input_tokens'],
    ),
    reasoning: numberOf(written['reasoning_tokens'], fields['reasoning_tokens'], hidden),
    cost: numberOf(fields['cost'], fields['total_cost'], ticksInDollars(fields['cost_in_usd_ticks'])),
  };
  return { kind: 'exact', input, output, ...dropUndefined(details) };
}

const ticksPerDollar = 1e10; // xAI

const ticksInDollars = (ticks: unknown): number | undefined =>
  typeof ticks === 'number' ? ticks / ticksPerDollar : undefined;

function timingsOf(timings: unknown): Usage | null {
  const { prompt_n: prompt, cache_n: cached, predicted_n: output } = fieldsOf(timings);
  if (typeof prompt !== 'number' || typeof output !== 'number' || output === 0) return null;
  const cachedInput = numberOf(cached);
  return { kind: 'exact', input: prompt + (cachedInput ?? 0), output, ...dropUndefined({ cachedInput }) };
}
