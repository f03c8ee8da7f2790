// Prices of models: what a model call costs where its endpoint does not say so.
import type { Usage } from '../../../machines/vocabulary.ts';

/** In US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** The price of input that was read from a cache. Default: `input`. */
  readonly cachedInput?: number | undefined;
  /** The price of input that was written into a cache. Default: `input`. */
  readonly cacheWrite?: number | undefined;
}

const million = 1_000_000;

/** Returns the usage with its cost. One whose cost is known, or whose tokens are not, stays as it is. */
export function addCost(usage: Usage, price: ModelPrice | undefined): Usage {
  const { input, output, cachedInput = 0, cacheWrite = 0 } = usage;
  if (!price || usage.cost !== undefined || input === null || output === null) return usage;
  const plainInput = Math.max(0, input - cachedInput - cacheWrite);
  const dollars =
    plainInput * price.input +
    cachedInput * (price.cachedInput ?? price.input) +
    cacheWrite * (price.cacheWrite ?? price.input) +
    output * price.output;
  return { ...usage, cost: dollars / million };
}
