// Collects the frames of one turn into the answer of a request that wants no stream.
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
    const [text, calls, receipt] = [this.#text, [...this.#calls.values()], this.#receipt];
    return { ...end, usage: { ...end.usage }, text, calls, receipt, seq: Number(seq) };
  }

  frame(text: string): void {
    const frame = JSON.parse(text) as ServerFrame; // passed on by a filter
    if (frame.type === 'cancel_settled') this.#receipt = frame;
    if (!('turn' in frame) || frame.turn !== this.#turn) return;
    if (frame.type === 'model_ended') this.#text = frame.text;
    if (frame.type === 'turn_ended') this.#end = frame;
    if (frame.type === 'tool_call')
      this.#calls.set(frame.node, { node: frame.node, name: frame.name, outcome: null, effect: null });
    const call = frame.type === 'tool_result' ? this.#calls.get(frame.node) : undefined;
    if (call && frame.type === 'tool_result')
      this.#calls.set(frame.node, { ...call, outcome: frame.outcome, effect: frame.effect });
  }

  waitForRoom(): null {
    return null;
  }

  text(): void {}
  output(): void {}
  preview(): void {}
  dropBlock(): void {}
  dropTurns(): void {}
  dropSession(): void {}
}
