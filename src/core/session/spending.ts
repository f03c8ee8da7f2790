// Sums of tokens and money, and the limit that one of them has reached.
import type { Usage } from '../../../machines/vocabulary.ts';

export interface Spent {
  readonly tokens: number;
  /** In US dollars. */
  readonly dollars: number;
}

export const nothingSpent: Spent = { tokens: 0, dollars: 0 };

/** Returns the sum with what a model call has used. Tokens that are not known count as none. */
export const addSpent = ({ tokens, dollars }: Spent, { input, output, cost }: Usage): Spent => ({
  tokens: tokens + (input ?? 0) + (output ?? 0),
  dollars: dollars + (cost ?? 0),
});

export const sumSpent = (a: Spent, b: Spent): Spent => ({
  tokens: a.tokens + b.tokens,
  dollars: a.dollars + b.dollars,
});

/** The limits of one sum; 0: none. */
export interface SpendingLimit {
  readonly tokens: number;
  readonly cents: number;
  /** The names of these limits in the configuration. */
  readonly names: { readonly tokens: string; readonly cents: string };
}

/** Returns a clause on the limit that a sum has reached, for the reason of a CANCEL; null: it has reached none. `who`: what has spent it. */
export function reachedLimit({ tokens, dollars }: Spent, limit: SpendingLimit, who: string): string | null {
  if (limit.tokens > 0 && tokens >= limit.tokens)
    return `${who} has used ${tokens} tokens, and ${limit.names.tokens} is ${limit.tokens}`;
  if (limit.cents > 0 && dollars * 100 >= limit.cents)
    return `${who} has cost ${dollars.toFixed(2)} US dollars, and ${limit.names.cents} is ${limit.cents}`;
  return null;
}
