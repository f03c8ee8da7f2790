// The outcome of a turn, which a door reports beside its text: its calls, its end, and what a stop of it has done.
import { failureSentence } from '../../core/words/model-words.ts';
import type { ServerFrame, ServerFrameOf } from '../../wire/server-frames.ts';

/** What the protocol of a door has no field for: the field `belay` of its answer. */
export interface BelayField {
  readonly session: string;
  readonly turn: string;
  /** The outcome of the turn; null: it has not ended. */
  readonly outcome: string | null;
  readonly effect: string | null;
  readonly code?: string;
  readonly calls: readonly (AnsweredCall & { readonly node: string })[];
  /** What a stop of the turn has done; null: nobody has stopped it. */
  readonly receipt: ServerFrameOf<'cancel_settled'> | null;
}

interface AnsweredCall {
  readonly name: string;
  readonly outcome: string | null;
  readonly code?: string;
}

/** Why a turn has no answer. */
export interface TurnFailure {
  readonly code: string;
  readonly message: string;
}

export class TurnOutcome {
  readonly session: string;
  readonly turn: string;
  readonly #calls = new Map<string, AnsweredCall>();
  #end: ServerFrameOf<'turn_ended'> | null = null;
  #receipt: ServerFrameOf<'cancel_settled'> | null = null;

  constructor(session: string, turn: string) {
    this.session = session;
    this.turn = turn;
  }

  onFrame(frame: ServerFrame): void {
    switch (frame.type) {
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
        if (frame.nodes.some(({ node }) => node === this.turn)) this.#receipt ??= frame;
        return;
      case 'turn_ended':
        if (frame.turn === this.turn) this.#end = frame;
        return;
      default:
    }
  }

  /** The end of the turn; null: it has not ended. */
  get turnEnd(): ServerFrameOf<'turn_ended'> | null {
    return this.#end;
  }

  get receipt(): ServerFrameOf<'cancel_settled'> | null {
    return this.#receipt;
  }

  /** The tools of the calls that needed a yes which nobody could give. */
  get unasked(): readonly string[] {
    return [...this.#calls.values()].filter(({ code }) => code === 'cannot_ask').map(({ name }) => name);
  }

  /** Why there is no answer; null: there is one, perhaps a part of it. */
  get failure(): TurnFailure | null {
    if (!this.#end || this.#end.outcome === 'completed' || this.#receipt) return null;
    const { outcome, code = outcome, message } = this.#end;
    return { code, message: message ?? failureSentence(code) ?? `The turn ended: ${outcome}.` };
  }

  get belay(): BelayField {
    const { outcome = null, effect = null, code } = this.#end ?? {};
    return {
      session: this.session,
      turn: this.turn,
      outcome,
      effect,
      ...(code !== undefined && { code }),
      calls: [...this.#calls].map(([node, call]) => ({ node, ...call })),
      receipt: this.#receipt,
    };
  }
}
