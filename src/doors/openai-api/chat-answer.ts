// The fields of an answer of Chat Completions: its usage, and why it has ended.
import type { Usage } from '../../../machines/vocabulary.ts';
import type { TurnOutcome } from '../door-turns/turn-outcome.ts';

export interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
  readonly completion_tokens_details: { readonly reasoning_tokens: number };
}

/** Returns the usage in the form of that API, which has no word for "not known": 0. */
export function chatUsageOf({ input, output, cachedInput = 0, reasoning = 0 }: Usage): ChatUsage {
  const [prompt, completion] = [input ?? 0, output ?? 0];
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cachedInput },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

/** Returns the reason for the end. Null: there was no turn. */
export function chatFinishOf(end: TurnOutcome['turnEnd']): 'stop' | 'length' | 'content_filter' {
  const finish = end?.finish;
  return finish === 'length' || finish === 'content_filter' ? finish : 'stop';
}
