// A turn in one object, when it has ended: its text, its calls with their output, and its receipt.
import { type CallKind, callKind } from '../core/words/call-kinds.ts';
import type { ServerFrame, ServerFrameOf } from '../wire/server-frames.ts';
import { titleOfCall } from './view/call-title.ts';

/** A call of a turn, or of a sub-agent below it. */
export interface CallSummary {
  readonly node: string;
  /** The turn that it belongs to. */
  readonly turn: string;
  readonly name: string;
  /** One line: its name, and the argument that distinguishes it from its siblings. */
  readonly title: string;
  readonly kind: CallKind;
  /** A JSON text, as the model wrote it. */
  readonly arguments: string;
  /** Its result; null: it ran on after the turn, and nothing is known of its end. */
  readonly result: ServerFrameOf<'tool_result'> | null;
  /** The output of its result; without one, what it has streamed. */
  readonly output: string;
}

export interface TurnSummary {
  readonly end: ServerFrameOf<'turn_ended'>;
  /** The texts of its own model calls, one after the other. */
  readonly texts: readonly string[];
  /** In the order in which they were made, those of sub-agents among them. */
  readonly calls: readonly CallSummary[];
  /** What its stop has done; null: nobody has stopped it. */
  readonly receipt: ServerFrameOf<'cancel_settled'> | null;
}

/** Characters of streamed output that are kept of each call without a result. */
const maxStreamed = 65_536;

/** Sums up the events of a turn as they come. */
export class TurnFold {
  readonly #texts: string[] = [];
  readonly #calls = new Map<string, CallSummary>();

  /** `own`: the id of the turn. */
  add(event: ServerFrame, own: string | null): void {
    if (event.type === 'model_ended' && event.turn === own && event.text !== '') this.#texts.push(event.text);
    if (event.type === 'tool_call') {
      const { node, turn, name, arguments: text } = event;
      const [title, kind] = [titleOfCall(name, text), callKind(name)];
      this.#calls.set(node, { node, turn, name, title, kind, arguments: text, result: null, output: '' });
    }
    const call = event.type === 'tool_result' || event.type === 'tool_output' ? this.#calls.get(event.node) : undefined;
    if (!call) return;
    if (event.type === 'tool_result')
      this.#calls.set(call.node, { ...call, result: event, output: event.output ?? call.output });
    else if (event.type === 'tool_output' && call.output.length < maxStreamed)
      this.#calls.set(call.node, { ...call, output: (call.output + event.text).slice(0, maxStreamed) });
  }

  /** Returns the sum, at the end of the turn. */
  sum(end: TurnSummary['end'], receipt: TurnSummary['receipt']): TurnSummary {
    return { end, texts: [...this.#texts], calls: [...this.#calls.values()], receipt };
  }
}
