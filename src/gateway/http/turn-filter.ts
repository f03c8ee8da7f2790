// Passes on those frames of a session that are about one turn and what is below it, from its opening to its end.
//
// 1. After a stop the end is that of the receipt: the last frame says what became of each node.
// 2. Facts up to `after` are not passed on: the reader has them. They are read all the same, because they say what is below the turn.
// 3. The deltas of a block that has completed have all of its text, also if it was streamed before the session was joined.
import type { NodeId } from '../../../machines/vocabulary.ts';
import { listedNodes } from '../../core/receipt/receipt.ts';
import type { ModelPreviewFrame, ServerFrame, TextDeltaFrame, ToolOutputFrame } from '../../wire/server-frames.ts';
import type { Outbox } from '../outbox.ts';

/** Receives the frames of a turn. */
export interface TurnReader extends Outbox {
  /** Called once, when all that was before is passed on. */
  onLive?(): void;
}

export class TurnFilter implements Outbox {
  readonly #to: TurnReader;
  readonly #turn: NodeId;
  readonly #after: number;
  /** `lost`: the session has ended first. */
  readonly #onOver: (how: 'ended' | 'lost') => void;
  /** The turn, and everything below it. */
  readonly #nodes: Set<NodeId>;
  /** Receipts over the turn that have not settled. */
  readonly #receipts = new Set<string>();
  #blocks: readonly TextDeltaFrame[] = [];
  /** Characters that were passed on, of blocks that are open. */
  readonly #passedOn = new Map<string, number>();
  /** `absent`: it was not live when the session was joined, so that its end is in the log, or nowhere. */
  #state: 'live' | 'absent' | 'ended' = 'live';

  constructor(turn: NodeId, after: number, to: TurnReader, onOver: (how: 'ended' | 'lost') => void) {
    this.#to = to;
    this.#turn = turn;
    this.#after = after;
    this.#onOver = onOver;
    this.#nodes = new Set([turn]);
  }

  frame(text: string, when?: 'now' | 'soon'): void {
    const frame = JSON.parse(text) as ServerFrame; // encoded by a joined session
    if (frame.type === 'joined') return this.#start(frame);
    if (frame.type === 'replayed') return this.#goLive();
    if (frame.type === 'left') return this.#onOver('lost');
    this.#learn(frame);
    if (!this.#isAbout(frame)) return;
    if (!('seq' in frame) || Number(frame.seq) > this.#after) {
      if (frame.type === 'model_ended') this.#completeBlock(frame);
      this.#to.frame(text, when);
    }
    this.#checkEnd(frame);
  }

  text(delta: TextDeltaFrame): void {
    if (!this.#nodes.has(delta.turn)) return;
    this.#passedOn.set(keyOf(delta), delta.offset + delta.text.length);
    this.#to.text(delta);
  }

  output(delta: ToolOutputFrame): void {
    if (this.#nodes.has(delta.node)) this.#to.output(delta);
  }

  preview(preview: ModelPreviewFrame): void {
    if (this.#nodes.has(preview.turn)) this.#to.preview(preview);
  }

  waitForRoom(): Promise<void> | null {
    return this.#to.waitForRoom();
  }

  dropBlock(session: string, turn: NodeId, index: number): void {
    this.#blocks = this.#blocks.filter((block) => block.turn !== turn || block.index !== index);
    this.#to.dropBlock(session, turn, index);
  }

  dropTurns(session: string, turns: readonly NodeId[]): void {
    this.#blocks = this.#blocks.filter(({ turn }) => !turns.includes(turn));
    this.#to.dropTurns(session, turns);
  }

  dropSession(session: string): void {
    this.#to.dropSession(session);
  }

  #start({ session, nodes, blocks }: Extract<ServerFrame, { type: 'joined' }>): void {
    if (!nodes.some(({ node }) => node === this.#turn)) this.#state = 'absent';
    this.#blocks = blocks.map((block) => ({ type: 'text_delta', session, ...block }));
  }

  /** The text so far of open blocks comes after the facts that opened them. */
  #goLive(): void {
    for (const block of this.#blocks) if (block.text !== '') this.text(block);
    this.#blocks = [];
    if (this.#state === 'absent') return this.#onOver('lost'); // its end is not in the log
    this.#to.onLive?.();
  }

  /** A slow reader has the rest with `model_ended` only. */
  #completeBlock(ended: Extract<ServerFrame, { type: 'model_ended' }>): void {
    const { session, turn, index, text, outcome } = ended;
    const offset = this.#passedOn.get(keyOf(ended)) ?? 0;
    this.#passedOn.delete(keyOf(ended));
    if (outcome !== 'completed' || offset >= text.length || this.#to.waitForRoom() !== null) return;
    this.#to.text({ type: 'text_delta', session, turn, index, offset, text: text.slice(offset) });
  }

  #learn(frame: ServerFrame): void {
    if (frame.type === 'tool_call' && this.#nodes.has(frame.turn)) this.#nodes.add(frame.node);
    if (frame.type === 'turn_started' && frame.parent !== null && this.#nodes.has(frame.parent))
      this.#nodes.add(frame.turn);
    if (frame.type === 'cancel_accepted' && listedNodes(frame).includes(this.#turn)) this.#receipts.add(frame.cancel);
  }

  #isAbout(frame: ServerFrame): boolean {
    const has = (node: unknown) => typeof node === 'string' && this.#nodes.has(node);
    if (frame.type === 'cancel_settled') return frame.nodes.some(({ node }) => has(node));
    if (frame.type === 'cancel_accepted')
      return [...listedNodes(frame), ...frame.refused.map(({ node }) => node)].some(has);
    if (frame.type === 'cancel_refused') return frame.refused.some(({ node }) => has(node));
    return ('turn' in frame && has(frame.turn)) || ('node' in frame && has(frame.node));
  }

  #checkEnd(frame: ServerFrame): void {
    if (frame.type === 'turn_ended' && frame.turn === this.#turn) this.#state = 'ended';
    if (frame.type === 'cancel_settled') this.#receipts.delete(frame.cancel);
    if (this.#state === 'ended' && this.#receipts.size === 0) this.#onOver('ended');
  }
}

const keyOf = ({ turn, index }: { readonly turn: NodeId; readonly index: number }) => `${turn} ${index}`;
