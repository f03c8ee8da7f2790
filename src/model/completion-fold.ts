// Folds the chunks of a streamed chat completion into text, whole calls, a finish reason and a usage.
//
// 1. Only the first choice counts; an endpoint may send several.
// 2. A chunk is untrusted: it never makes the fold throw, unless it exceeds a limit.

import type { MessageCall } from '../../machines/messages.ts';
import type { Usage } from '../../machines/vocabulary.ts';
import { fieldsOf } from '../collections/untrusted-fields.ts';
import { OverLimit, responseLimits } from './response-limits.ts';
import { StreamedCalls } from './streamed-calls.ts';

export class CompletionFold {
  readonly #calls = new StreamedCalls();
  #finish: string | null = null;
  #hasStarted = false;
  #textChars = 0;
  #hiddenChars = 0;
  #usage: Usage | null = null;

  /** Why the model stopped; null while it has not. */
  get finish(): string | null {
    return this.#finish;
  }

  /** True after the first chunk of a chat completion. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** Characters generated so far, hidden ones included. */
  get chars(): number {
    return this.#textChars + this.#hiddenChars + this.#calls.chars;
  }

  /** The last token counts that the provider sent; null: none, or only zeros. */
  get usage(): Usage | null {
    return this.#usage;
  }

  /** Returns the piece of text in the chunk, perhaps empty. Throws `OverLimit`. */
  addChunk(chunk: unknown): string {
    const fields = fieldsOf(chunk);
    this.#usage = usageOf(fields['usage']) ?? this.#usage;
    if (!Array.isArray(fields['choices'])) return '';
    this.#hasStarted = true;
    const choice = fieldsOf(fields['choices'].find((each) => (fieldsOf(each)['index'] ?? 0) === 0));
    const delta = fieldsOf(choice['delta']);
    const fragments = Array.isArray(delta['tool_calls']) ? delta['tool_calls'] : [];
    for (const fragment of fragments) this.#calls.addFragment(fieldsOf(fragment));
    this.#hiddenChars += joinTexts(delta['reasoning_content'], delta['reasoning']).length;
    // some endpoints send an empty one with every chunk
    if (typeof choice['finish_reason'] === 'string') this.#finish = choice['finish_reason'] || this.#finish;
    const text = joinTexts(delta['content'], delta['refusal']);
    this.#textChars += text.length;
    if (this.#textChars > responseLimits.maxTextChars) throw new OverLimit('maxTextChars');
    return text;
  }

  /** The calls that are whole by now, in the order in which they started. */
  wholeCalls(): readonly MessageCall[] {
    return this.#calls.wholeCalls(this.#finish !== null);
  }
}

function joinTexts(...values: readonly unknown[]): string {
  return values.filter((value) => typeof value === 'string').join('');
}

/** Some endpoints send a usage of zeros with every chunk but the last. */
function usageOf(value: unknown): Usage | null {
  const { prompt_tokens: input, completion_tokens: output } = fieldsOf(value);
  if (typeof input !== 'number' || typeof output !== 'number' || input + output === 0) return null;
  return { kind: 'exact', input, output };
}
