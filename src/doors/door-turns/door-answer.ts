// Folds the frames of a turn into the answer of a door: its text whole, or as it comes, its calls, its end and its receipt.
import { failureSentence } from '../../core/words/model-words.ts';
import { causeText } from '../../core/words/receipt-words.ts';
import type { ServerFrame, ServerFrameOf, TextDeltaFrame } from '../../wire/server-frames.ts';
import type { TurnListener } from './door-turn.ts';

/** What became of a turn, where the protocol has no field for it. */
export interface BelayField {
  readonly session: string;
  readonly turn: string;
  readonly outcome: string;
  readonly effect: string;
  readonly code?: string;
  readonly calls: readonly {
    readonly node: string;
    readonly name: string;
    readonly outcome: string | null;
    readonly code?: string;
  }[];
  /** What a stop of the turn has done; null: nobody has stopped it. */
  readonly receipt: ServerFrameOf<'cancel_settled'> | null;
}

interface AnsweredCall {
  readonly name: string;
  readonly outcome: string | null;
  readonly code?: string;
}

export class DoorAnswer implements TurnListener {
  readonly #turn: string;
  readonly #session: string;
  readonly #onText: (text: string) => boolean;
  readonly #calls = new Map<string, AnsweredCall>();
  /** Characters of the open block that were passed on. */
  #passedOn = 0;
  /** Whether the next text begins a block after another one. */
  #isNext = false;
  #end: ServerFrameOf<'turn_ended'> | null = null;
  #receipt: ServerFrameOf<'cancel_settled'> | null = null;

  /** @param onText Receives the text as it comes. Returns false if the reader has no room: the rest then comes with the end of its block. */
  constructor(session: string, turn: string, onText: (text: string) => boolean) {
    this.#session = session;
    this.#turn = turn;
    this.#onText = onText;
  }

  onText({ turn, offset, text }: TextDeltaFrame): void {
    if (turn !== this.#turn || offset !== this.#passedOn) return;
    if (this.#write(text)) this.#passedOn += text.length;
  }

  onFrame(frame: ServerFrame): void {
    switch (frame.type) {
      case 'model_ended':
        if (frame.turn !== this.#turn) return;
        this.#write(frame.text.slice(this.#passedOn));
        this.#isNext ||= frame.text !== '';
        this.#passedOn = 0;
        return;
      case 'tool_call':
        this.#calls.set(frame.node, { name: frame.name, outcome: null });
        return;
      case 'tool_result': {
        const call = this.#calls.get(frame.node);
        const { outcome, code } = frame;
        if (call) this.#calls.set(frame.node, { ...call, outcome, ...(code !== undefined && { code }) });
        return;
      }
      case 'cancel_settled':
        if (frame.nodes.some(({ node }) => node === this.#turn)) this.#receipt ??= frame;
        return;
      case 'turn_ended':
        if (frame.turn === this.#turn) this.#end = frame;
        return;
      default:
    }
  }

  /** The end of the turn; null: it has not ended. */
  get turnEnd(): ServerFrameOf<'turn_ended'> | null {
    return this.#end;
  }

  /** Why there is no answer: its code and its words; null: there is one, perhaps a part of it. */
  get failure(): { readonly code: string; readonly message: string } | null {
    if (!this.#end || this.#end.outcome === 'completed' || this.#receipt) return null;
    const { outcome, code = outcome, message } = this.#end;
    return { code, message: message ?? failureSentence(code) ?? `The turn ended: ${outcome}.` };
  }

  /** What is said after the text, because the protocol has no field for it; empty: nothing. */
  get remarks(): string {
    const unasked = [...this.#calls.values()].filter(({ code }) => code === 'cannot_ask').map(({ name }) => name);
    const denied = unasked.map(
      (name) => `[${name} needed a yes, and this door has nobody to ask (cannot_ask): it did not run.]`,
    );
    const { cause } = this.#receipt ?? {};
    const stopped = cause ? [`[Stopped by ${causeText(cause.source, cause.by)}.]`] : [];
    const all = [...denied, ...stopped];
    return all.length === 0 ? '' : `${this.#isNext ? '\n\n' : ''}${all.join('\n')}`;
  }

  get belay(): BelayField {
    const { outcome = 'failed', effect = 'unknown', code } = this.#end ?? {};
    return {
      session: this.#session,
      turn: this.#turn,
      outcome,
      effect,
      ...(code !== undefined && { code }),
      calls: [...this.#calls].map(([node, call]) => ({ node, ...call })),
      receipt: this.#receipt,
    };
  }

  #write(text: string): boolean {
    if (text === '') return true;
    const separator = this.#isNext && this.#passedOn === 0 ? '\n\n' : '';
    return this.#onText(separator + text);
  }
}
