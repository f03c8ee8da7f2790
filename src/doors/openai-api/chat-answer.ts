// Folds the frames of a turn into the answer of Chat Completions: whole, or as chunks.
import type { Usage } from '../../../machines/vocabulary.ts';
import { causeText } from '../../core/words/receipt-words.ts';
import type { ServerFrame, TextDeltaFrame } from '../../wire/server-frames.ts';
import type { TurnListener } from '../door-turns/door-turn.ts';
import { TurnSummary } from '../door-turns/turn-summary.ts';

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

export class ChatAnswer implements TurnListener {
  readonly summary: TurnSummary;
  readonly #onText: (text: string) => boolean;
  /** Characters of the open block that were passed on. */
  #passedOn = 0;
  /** Whether the next text begins a block after another one. */
  #isNext = false;

  /** @param onText Receives the text as it comes. Returns false if the reader has no room: the rest then comes with the end of its block. */
  constructor(session: string, turn: string, onText: (text: string) => boolean) {
    this.summary = new TurnSummary(session, turn);
    this.#onText = onText;
  }

  onText({ turn, offset, text }: TextDeltaFrame): void {
    if (turn !== this.summary.turn || offset !== this.#passedOn) return;
    if (this.#write(text)) this.#passedOn += text.length;
  }

  onFrame(frame: ServerFrame): void {
    this.summary.onFrame(frame);
    if (frame.type !== 'model_ended' || frame.turn !== this.summary.turn) return;
    this.#write(frame.text.slice(this.#passedOn));
    this.#isNext ||= frame.text !== '';
    this.#passedOn = 0;
  }

  /** What is said after the text, because the protocol has no field for it; empty: nothing. */
  get remarks(): string {
    const denied = this.summary.unasked.map(
      (name) => `[${name} needed a yes, and this door has nobody to ask (cannot_ask): it did not run.]`,
    );
    const { cause } = this.summary.receipt ?? {};
    const stopped = cause ? [`[Stopped by ${causeText(cause.source, cause.by)}.]`] : [];
    const all = [...denied, ...stopped];
    return all.length === 0 ? '' : `${this.#isNext ? '\n\n' : ''}${all.join('\n')}`;
  }

  get finishReason(): 'stop' | 'length' | 'content_filter' {
    const finish = this.summary.end?.finish;
    return finish === 'length' || finish === 'content_filter' ? finish : 'stop';
  }

  #write(text: string): boolean {
    if (text === '') return true;
    const separator = this.#isNext && this.#passedOn === 0 ? '\n\n' : '';
    return this.#onText(separator + text);
  }
}
