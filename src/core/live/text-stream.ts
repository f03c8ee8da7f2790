// The text of a session's model calls while it streams, and the live output of its tools.
//
// 1. A block is addressed by (turn, index). It is open, then closed; closing freezes its text.
// 2. A block's text is sent after the fact of its start and before that of its end: it is held until the start has committed, even if
//    the block is closed by then.
// 3. A cut mutes the blocks of its turn: no text of a stopped turn follows.
import type { ModelStarted, TextCheckpoint } from '../../../machines/facts.ts';
import type { ModelPreview, OutputDelta, TextDelta, ToolProgress, ToolWaiting } from '../../../machines/live-view.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { Clock, Disarm } from '../sources/sources.ts';
import type { NodeEntry } from './node-entry.ts';
import type { TreeObserver } from './tree.ts';

/** Receives everything that is streamed, in the tick in which it comes. */
export interface StreamListener {
  text(delta: TextDelta): void;
  preview(preview: ModelPreview): void;
  output(delta: OutputDelta): void;
  progress(progress: ToolProgress): void;
  waiting(waiting: ToolWaiting): void;
}

/** Writes checkpoints to the session's journal. */
export interface CheckpointWriter {
  append(facts: readonly TextCheckpoint[]): Promise<void>;
}

export interface TextStreamOptions {
  readonly clock: Clock;
  readonly listener: StreamListener;
  readonly journal: CheckpointWriter;
  /** How often the text of an open block is written to the journal, in milliseconds; 0: never. */
  readonly checkpointMs: number;
}

interface Block {
  readonly turn: NodeId;
  readonly index: number;
  text: string;
  /** What came beside the text while it was held. */
  previews: ModelPreview[];
  /** How much of `text` has been sent, in UTF-16 code units. */
  sent: number;
  /** How much of `text` is in the journal. */
  checkpointed: number;
  /** `read`: closed, and its text has been read for the fact of its end. */
  state: 'open' | 'closed' | 'read';
  audience: 'held' | 'shown' | 'muted';
}

const maxHeldPreviews = 256;

/** Called when the fact of a type has committed: the text of a block follows the fact of its start. */
interface CommitHandlers {
  readonly model_started: (this: TextStream, started: ModelStarted) => undefined;
}

export class TextStream implements TreeObserver {
  static readonly #handlers: CommitHandlers = {
    model_started({ turn, index }) {
      this.show(turn, index);
    },
  };
  readonly committed = TextStream.#handlers;
  readonly #clock: Clock;
  readonly #listener: StreamListener;
  readonly #journal: CheckpointWriter;
  readonly #checkpointMs: number;
  /** One for each turn that streams: few, so an array is enough. */
  #blocks: Block[] = [];
  #disarm: Disarm | null = null;
  /** Called before a piece of the text of a turn is sent, in a session that speaks: who plays it knows by then whether it waits. */
  onPublished: ((turn: NodeId) => void) | null = null;

  constructor({ clock, listener, journal, checkpointMs }: TextStreamOptions) {
    this.#clock = clock;
    this.#listener = listener;
    this.#journal = journal;
    this.#checkpointMs = checkpointMs;
  }

  /** Blocks that exist. */
  get size(): number {
    return this.#blocks.length;
  }

  /** Opens a block. Its text is held until `show`. */
  open(turn: NodeId, index: number): void {
    this.#blocks.push({
      turn,
      index,
      text: '',
      previews: [],
      sent: 0,
      checkpointed: 0,
      state: 'open',
      audience: 'held',
    });
    this.#armCheckpoint();
  }

  write(turn: NodeId, index: number, text: string): void {
    const block = this.#blockAt(turn, index);
    if (block?.state !== 'open') return;
    block.text += text;
    // the piece as it came: a slice of the whole would copy the whole, for each piece
    if (block.audience === 'shown') this.#send(block, text);
  }

  /** Sends what a model call streams beside its text. It is not kept: of what is held, the oldest pieces are dropped. */
  preview(preview: ModelPreview): void {
    const block = this.#blockAt(preview.turn, preview.index);
    if (block?.state !== 'open') return;
    if (block.audience === 'shown') return this.#listener.preview(preview);
    block.previews.push(preview);
    if (block.previews.length > maxHeldPreviews) block.previews.shift();
  }

  /** Sends what was held, in the order of a response: reasoning, text, calls. The start of the model call has committed. */
  show(turn: NodeId, index: number): void {
    const block = this.#blockAt(turn, index);
    if (block?.audience !== 'held') return;
    block.audience = 'shown';
    const held = block.previews.splice(0);
    for (const preview of held) if (preview.type !== 'tool_input_delta') this.#listener.preview(preview);
    if (block.text !== '') this.#send(block, block.text);
    for (const preview of held) if (preview.type === 'tool_input_delta') this.#listener.preview(preview);
    if (block.state === 'read') this.#forget(block);
  }

  /** Closes the blocks of a turn that is cut: what has not been sent of them never is. */
  nodeChanged({ kind, id }: NodeEntry): void {
    if (kind !== 'turn') return;
    for (const block of this.#blocks.filter(({ turn }) => turn === id)) {
      if (block.state === 'open') block.state = 'closed';
      block.audience = 'muted';
      if (block.state === 'read') this.#forget(block);
    }
  }

  /** Live output of a call: sent to those who are there, not kept. */
  output(node: NodeId, text: string): void {
    this.#listener.output({ node, text });
  }

  /** A call is still running. */
  progress(progress: ToolProgress): void {
    this.#listener.progress(progress);
  }

  /** A call waits for another one. */
  waiting(waiting: ToolWaiting): void {
    this.#listener.waiting(waiting);
  }

  /** Closes the blocks of a turn: their text stays as it is until it is read. */
  closeBlocks(turn: NodeId): void {
    for (const block of this.#blocks) if (block.turn === turn && block.state === 'open') block.state = 'closed';
  }

  /** The whole text of a closed block, which is forgotten when it has been sent. */
  readText(turn: NodeId, index: number): string {
    const block = this.#blockAt(turn, index);
    if (!block) return '';
    block.state = 'read';
    if (block.audience !== 'held') this.#forget(block);
    return block.text;
  }

  /** How much of an open block has been sent, in UTF-16 code units. */
  publishedChars(turn: NodeId, index: number): number {
    return this.#blockAt(turn, index)?.sent ?? 0;
  }

  /** The open blocks with the text that has been sent so far: where a listener that joins now goes on. */
  openBlocks(): readonly TextDelta[] {
    return this.#blocks
      .filter(({ state, audience }) => state === 'open' && audience === 'shown')
      .map(({ turn, index, text }) => ({ turn, index, offset: 0, text }));
  }

  /** Drops all blocks. */
  close(): void {
    this.#blocks = [];
    this.#disarm?.();
    this.#disarm = null;
  }

  #send(block: Block, text: string): void {
    const piece = { turn: block.turn, index: block.index, offset: block.sent, text };
    block.sent = block.text.length;
    this.onPublished?.(block.turn);
    this.#listener.text(piece);
  }

  #blockAt(turn: NodeId, index: number): Block | undefined {
    return this.#blocks.find((block) => block.turn === turn && block.index === index);
  }

  #forget(block: Block): void {
    this.#blocks = this.#blocks.filter((each) => each !== block);
    if (this.#blocks.length === 0) this.close();
  }

  #armCheckpoint(): void {
    if (this.#checkpointMs === 0 || this.#disarm || this.#blocks.length === 0) return;
    this.#disarm = this.#clock.after(this.#checkpointMs, () => this.#checkpoint());
  }

  #checkpoint(): void {
    this.#disarm = null;
    for (const block of this.#blocks) {
      if (block.state !== 'open' || block.checkpointed === block.text.length) continue;
      const { turn, index, checkpointed: offset } = block;
      block.checkpointed = block.text.length;
      void this.#journal.append([{ type: 'text_checkpoint', turn, index, offset, text: block.text.slice(offset) }]);
    }
    this.#armCheckpoint();
  }
}
