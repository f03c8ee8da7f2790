// Collects the frames of one turn into the body of the reply to a request that asks for no stream.
import * as z from 'zod';
import type { ServerFrame } from '../../wire/server-frames.ts';
import type { Outbox } from '../outbox.ts';

const answeredCallSchema = z.object({
  node: z.string(),
  name: z.string(),
  outcome: z.string().nullable(),
  effect: z.string().nullable(),
});

export const turnAnswerSchema = z.object({
  session: z.string(),
  turn: z.string(),
  outcome: z.string(),
  effect: z.string(),
  code: z.string().exactOptional(),
  message: z.string().exactOptional(),
  finish: z.string().exactOptional(),
  text: z.string(),
  calls: z.array(answeredCallSchema),
  usage: z.looseObject({}),
  receipt: z.unknown(),
  seq: z.int(),
});
export type TurnAnswer = z.infer<typeof turnAnswerSchema>;

export class TurnCollector implements Outbox {
  readonly #turn: string;
  readonly #calls = new Map<string, z.infer<typeof answeredCallSchema>>();
  #text = '';
  #end: Extract<ServerFrame, { type: 'turn_ended' }> | null = null;
  #receipt: Extract<ServerFrame, { type: 'cancel_settled' }> | null = null;

  constructor(turn: string) {
    this.#turn = turn;
  }

  /** The answer; null: the turn has not ended. */
  get answer(): TurnAnswer | null {
    if (!this.#end) return null;
    const { type: _, at: __, seq, ...end } = this.#end;
    return {
      ...end,
      usage: { ...end.usage },
      text: this.#text,
      calls: [...this.#calls.values()],
      receipt: this.#receipt,
      seq: Number(seq),
    };
  }

  /** Receives a frame of the turn, of a turn below it, or of a receipt. */
  frame(text: string): void {
    const frame = JSON.parse(text) as ServerFrame; // encoded by a joined session
    if (frame.type === 'cancel_settled') this.#receipt = frame;
    if (!('turn' in frame) || frame.turn !== this.#turn) return;
    switch (frame.type) {
      case 'model_ended':
        this.#text = frame.text;
        break;
      case 'tool_call':
        this.#calls.set(frame.node, { node: frame.node, name: frame.name, outcome: null, effect: null });
        break;
      case 'tool_result': {
        const call = this.#calls.get(frame.node);
        if (call) this.#calls.set(frame.node, { ...call, outcome: frame.outcome, effect: frame.effect });
        break;
      }
      case 'turn_ended':
        this.#end = frame;
        break;
      default:
    }
  }

  waitForRoom(): null {
    return null;
  }

  // the rest of an outbox: live frames, of which the facts have the text
  text(): void {}
  output(): void {}
  preview(): void {}
  dropBlock(): void {}
  dropTurns(): void {}
  dropSession(): void {}
}
