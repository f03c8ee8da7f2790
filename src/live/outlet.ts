// The outlet of a session: the text blocks of its model calls while they stream, and who listens to them.
//
// 1. A block is addressed by (turn, index). It is held, shown, then closed; closing freezes its text.
// 2. Nothing of a closed block is ever sent, so nothing of a stopped turn comes behind its cut.
// 3. Before the start of its model call has committed, its text is kept, not sent: no text comes before the facts that it belongs to.
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Clock, Disarm } from '../sources/sources.ts';

export interface Piece {
  readonly turn: NodeId;
  readonly index: number;
  /** Where `text` begins in its block, in UTF-16 code units. */
  readonly offset: number;
  readonly text: string;
}

export interface OutletListener {
  text(piece: Piece): void;
  output(piece: { readonly node: NodeId; readonly text: string }): void;
  progress(call: { readonly node: NodeId; readonly elapsedMs: number }): void;
}

interface Block {
  readonly turn: NodeId;
  readonly index: number;
  text: string;
  /** How much of `text` has been sent. */
  sent: number;
  /** How much of `text` has been written down. */
  checkpointed: number;
  state: 'held' | 'shown' | 'closed';
}

export interface OutletOptions {
  readonly clock: Clock;
  /** How often the text of an open block is written down; 0: never. */
  readonly checkpointMs: number;
  readonly checkpoint: (piece: Piece) => void;
}

export type Outlet = ReturnType<typeof createOutlet>;

const addressOf = (turn: NodeId, index: number) => `${turn}/${index}`;

export function createOutlet({ clock, checkpointMs, checkpoint }: OutletOptions) {
  const blocks = new Map<string, Block>();
  const listeners = new Set<OutletListener>();
  let disarm: Disarm | null = null;

  const send = (block: Block, text: string) => {
    const piece = { turn: block.turn, index: block.index, offset: block.sent, text };
    block.sent = block.text.length;
    for (const listener of listeners) listener.text(piece);
  };
  const writeDown = () => {
    disarm = null;
    for (const block of blocks.values()) {
      if (block.state === 'closed' || block.checkpointed === block.text.length) continue;
      const { turn, index, checkpointed: offset } = block;
      block.checkpointed = block.text.length;
      checkpoint({ turn, index, offset, text: block.text.slice(offset) });
    }
    armCheckpoint();
  };
  const armCheckpoint = () => {
    if (checkpointMs > 0 && !disarm && blocks.size > 0) disarm = clock.after(checkpointMs, writeDown);
  };

  return {
    /** Its text is kept back until `show`. */
    open(turn: NodeId, index: number): void {
      blocks.set(addressOf(turn, index), { turn, index, text: '', sent: 0, checkpointed: 0, state: 'held' });
      armCheckpoint();
    },
    write(turn: NodeId, index: number, text: string): void {
      const block = blocks.get(addressOf(turn, index));
      if (!block || block.state === 'closed') return;
      block.text += text;
      // the piece as it came: to slice it off the whole would copy the whole, for each piece
      if (block.state === 'shown') send(block, text);
    },
    show(turn: NodeId, index: number): void {
      const block = blocks.get(addressOf(turn, index));
      if (block?.state !== 'held') return;
      block.state = 'shown';
      if (block.text !== '') send(block, block.text);
    },
    /** Live output of a call: shown to who listens now, not kept. */
    output(node: NodeId, text: string): void {
      for (const listener of listeners) listener.output({ node, text });
    },
    /** A call is still running. */
    progress(node: NodeId, elapsedMs: number): void {
      for (const listener of listeners) listener.progress({ node, elapsedMs });
    },
    /** Closes the blocks of a turn: their text stays as it is until it is taken. */
    close(turn: NodeId): void {
      for (const block of blocks.values()) if (block.turn === turn) block.state = 'closed';
    },
    /** The whole text of a block, which is forgotten. */
    take(turn: NodeId, index: number): string {
      const address = addressOf(turn, index);
      const text = blocks.get(address)?.text ?? '';
      blocks.delete(address);
      if (blocks.size === 0) {
        disarm?.();
        disarm = null;
      }
      return text;
    },
    /** The open blocks with the text that has been sent so far: where one who joins now goes on. */
    streaming(): readonly Piece[] {
      return [...blocks.values()]
        .filter(({ state }) => state === 'shown')
        .map(({ turn, index, text }) => ({ turn, index, offset: 0, text }));
    },
    listen(listener: OutletListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    end(): void {
      disarm?.();
      disarm = null;
      blocks.clear();
      listeners.clear();
    },
  };
}
