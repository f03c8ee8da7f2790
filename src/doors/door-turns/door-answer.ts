// The answer of a turn for a door whose protocol has texts only: whole, or as it comes, and what is said after it.
import { causeText } from '../../core/words/receipt-words.ts';
import type { ServerFrame, TextDeltaFrame } from '../../wire/server-frames.ts';
import type { TurnListener } from './door-turn.ts';
import { TurnOutcome } from './turn-outcome.ts';

export class DoorAnswer implements TurnListener {
  readonly summary: TurnOutcome;
  readonly #onText: (text: string) => boolean;
  /** Characters of the open block that were passed on. */
  #passedOn = 0;
  /** Whether the next text begins a block after another one. */
  #isNext = false;

  /** @param onText Receives the text as it comes. Returns false if the reader has no room: the rest then comes with the end of its block. */
  constructor(session: string, turn: string, onText: (text: string) => boolean) {
    this.summary = new TurnOutcome(session, turn);
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

  #write(text: string): boolean {
    if (text === '') return true;
    const separator = this.#isNext && this.#passedOn === 0 ? '\n\n' : '';
    return this.#onText(separator + text);
  }
}
