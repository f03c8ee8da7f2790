// Reads the usage in a chunk: endpoints disagree on its place, on the names of its details, and on what counts as output.
import type { Usage } from '../../../../machines/vocabulary.ts';
import { dropUndefined } from '../../../core/collections/drop-undefined.ts';
import { fieldsOf, type UntrustedFields } from '../../../core/collections/untrusted-fields.ts';

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
