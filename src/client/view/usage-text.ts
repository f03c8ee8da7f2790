// Tokens and cost of a turn, in words.
import type { TurnView } from './snapshot.ts';

type Usage = NonNullable<TurnView['usage']>;

/** Formats tokens: `940`, `1.2k`, `2.3M`. */
export function tokensText(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 1_000_000 ? `${(tokens / 1_000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** Formats US dollars: cents and their parts are what turns cost. */
export const costText = (dollars: number): string =>
  dollars === 0 ? '$0' : dollars < 0.01 ? `$${dollars.toPrecision(2)}` : `$${dollars.toFixed(2)}`;

/** Formats the usage of a turn: `1.2k tokens in, 340 out, $0.004`; empty if nothing is known. */
export function usageText(usage: Usage): string {
  const { kind, input, output, cost } = usage;
  if (input === null && output === null) return '';
  const about = kind === 'estimated' ? 'about ' : '';
  const parts = [`${about}${tokensText(input ?? 0)} tokens in`, `${tokensText(output ?? 0)} out`];
  if (cost !== undefined) parts.push(costText(cost));
  return parts.join(', ');
}
