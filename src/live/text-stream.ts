// The outlet of a session: the text blocks of its model calls while they stream, and who listens to them.
//
// 1. A block is addressed by (turn, index). It is open, then closed; closing freezes its text.
// 2. Its text is sent behind the fact of its start and before that of its end: held until the one is told, even if it is closed by then.
// 3. A cut mutes the blocks of its turn: nothing of a stopped turn comes behind it.
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
  open: boolean;
  audience: 'held' | 'shown' | 'muted';
  /** Nobody will ask for its text again. */
  taken: boolean;
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
  const forget = ({ turn, index }: Block) => {
    blocks.delete(addressOf(turn, index));
    if (blocks.size > 0) return;
    disarm?.();
    disarm = null;
  };
  const writeDown = () => {
    disarm = null;
    for (const block of blocks.values()) {
      if (!block.open || block.checkpointed === block.text.length) continue;
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
      blocks.set(addressOf(turn, index), {
        turn,
        index,
        text: '',
        sent: 0,
        checkpointed: 0,
        open: true,
        audience: 'held',
        taken: false,
      });
      armCheckpoint();
    },
    write(turn: NodeId, index: number, text: string): void {
      const block = blocks.get(addressOf(turn, index));
      if (!block?.open) return;
      block.text += text;
      // the piece as it came: to slice it off the whole would copy the whole, for each piece
      if (block.audience === 'shown') send(block, text);
    },
    /** The start of its model call has been told. */
    show(turn: NodeId, index: number): void {
      const block = blocks.get(addressOf(turn, index));
      if (block?.audience !== 'held') return;
      block.audience = 'shown';
      if (block.text !== '') send(block, block.text);
      if (block.taken) forget(block);
    },
    /** Closes the blocks of a turn that is cut: what has not been sent of them never is. */
    mute(turn: NodeId): void {
      for (const block of blocks.values()) {
        if (block.turn !== turn) continue;
        block.open = false;
        block.audience = 'muted';
        if (block.taken) forget(block);
      }
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
      for (const block of blocks.values()) if (block.turn === turn) block.open = false;
    },
    /** The whole text of a closed block, which is forgotten when it has been sent. */
    take(turn: NodeId, index: number): string {
      const block = blocks.get(addressOf(turn, index));
      if (!block) return '';
      block.taken = true;
      if (block.audience !== 'held') forget(block);
      return block.text;
    },
    /** The open blocks with the text that has been sent so far: where one who joins now goes on. */
    streaming(): readonly Piece[] {
      return [...blocks.values()]
        .filter(({ open, audience }) => open && audience === 'shown')
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
