// The text blocks of a session as a client holds them: what each delta adds, by the law of docs/protocol.md.
import type { ServerFrameOf, TextDeltaFrame, TextPiece } from '../protocol/frames.ts';

/** Turns that are over and still remembered, so that their late deltas are ignored. */
const rememberedTurns = 1_000;

export interface Blocks {
  /** What the delta adds to what is held; null: nothing, or something before it was lost. */
  add(delta: TextDeltaFrame): TextDeltaFrame | null;
  /** Replaces what is held of a block, while it streams. */
  put(piece: TextPiece): void;
  /** The block is whole. */
  end(block: ServerFrameOf<'model_ended'>): void;
  /** Late deltas of these turns are ignored. */
  stop(turns: readonly string[]): void;
  /** The turn is over: nothing of it is held any more. */
  forget(turn: string): void;
  text(turn: string, index: number): string | null;
  /** All that is held: what a client shows of streams that it has joined. */
  open(): readonly TextPiece[];
}

export function createBlocks(): Blocks {
  const turns = new Map<string, Map<number, { text: string; state: 'open' | 'ended' }>>();
  const over = new Set<string>();

  const blocksOf = (turn: string) => {
    const known = turns.get(turn) ?? new Map<number, { text: string; state: 'open' | 'ended' }>();
    turns.set(turn, known);
    return known;
  };
  const close = (turn: string) => {
    over.delete(turn);
    over.add(turn);
    if (over.size > rememberedTurns) over.delete(over.values().next().value as string);
  };

  return {
    add(delta) {
      const { turn, index, offset, text } = delta;
      if (over.has(turn)) return null;
      const blocks = blocksOf(turn);
      const block = blocks.get(index) ?? { text: '', state: 'open' };
      const held = block.text.length;
      if (block.state === 'ended' || offset > held || offset + text.length <= held) return null;
      const added = text.slice(held - offset);
      blocks.set(index, { ...block, text: block.text + added });
      return { ...delta, offset: held, text: added };
    },
    put: ({ turn, index, offset, text }) => {
      const before = blocksOf(turn).get(index)?.text.slice(0, offset) ?? '';
      blocksOf(turn).set(index, { text: before + text, state: 'open' });
    },
    end: ({ turn, index, text }) => void blocksOf(turn).set(index, { text, state: 'ended' }),
    stop(stopped) {
      for (const turn of stopped) close(turn);
    },
    forget(turn) {
      turns.delete(turn);
      close(turn);
    },
    text: (turn, index) => turns.get(turn)?.get(index)?.text ?? null,
    open: () =>
      [...turns].flatMap(([turn, blocks]) =>
        [...blocks].flatMap(([index, { text, state }]) => (state === 'open' ? [{ turn, index, offset: 0, text }] : [])),
      ),
  };
}
