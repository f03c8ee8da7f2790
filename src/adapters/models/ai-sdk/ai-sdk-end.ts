// Reads how a response of the AI SDK ended, and its usage.
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Finish, Usage } from '../../../../machines/vocabulary.ts';
import { dropUndefined } from '../../../core/collections/drop-undefined.ts';

type Finished = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

/** Returns why a response ended; null: it is not whole. */
export function finishOfPart(finished: Finished | null, hasCalls: boolean): Finish | null {
  if (!finished) return null;
  const { unified, raw } = finished.finishReason;
  switch (unified) {
    case 'length':
      return 'length';
    case 'content-filter':
      return raw === 'refusal' ? 'refusal' : 'content_filter';
    case 'error':
    case 'interrupted':
      return null;
    case 'stop':
    case 'tool-calls':
    case 'other':
      return hasCalls ? 'tool_calls' : 'stop';
  }
}

/** Returns the usage; null if the provider has not said it. */
export function usageOfPart({ usage }: Finished): Usage | null {
  const { inputTokens, outputTokens } = usage;
  const { total: input, cacheRead: cachedInput, cacheWrite } = inputTokens;
  const { total: output, reasoning } = outputTokens;
  if (input === undefined || output === undefined || input + output === 0) return null;
  return { kind: 'exact', input, output, ...dropUndefined({ cachedInput, cacheWrite, reasoning }) };
}
