// The text blocks of a session as a client holds them: what each piece adds, by the law of docs/protocol.md.
//
// 1. What is told of a block, put together, is a prefix of it at every moment, and all of it at its end; but for a block that was
//    cancelled, whose end may have more, and one that a crash has cut, whose end may have less.
import type { ServerFrameOf, TextDelta, TextDeltaFrame } from '../protocol/server-frames.ts';

/** Turns that are over and still remembered, so that their late deltas are ignored. */
const rememberedTurns = 1_000;

interface Block {
  readonly text: string;
  readonly state: 'open' | 'ended';
}

/** What is told: a delta that begins where the last one has ended. */
export type Told = readonly TextDeltaFrame[];

export interface Blocks {
  /** What the delta adds to what is held: nothing, where that is known, or where something before it was lost. */
  add(delta: TextDeltaFrame): Told;
  /** Replaces what is held of blocks: their text is known. */
  put(pieces: readonly TextDelta[]): void;
  /** The text of open blocks by now, after a time away. What is not known of blocks that have begun is told; the rest waits until the replay has come to it. */
  resume(pieces: readonly TextDelta[]): Told;
  /** The replay has come to the beginning of a block. */
  begin(turn: string, index: number): Told;
  /** The replay is over: what has waited for it. */
  replayed(): Told;
  /** The block is whole: the rest of it, where it was not cancelled. */
  end(block: ServerFrameOf<'model_ended'>): Told;
  /** Late deltas of these turns are ignored. */
  stop(turns: readonly string[]): void;
  /** The turn is over: nothing of it is held any more. */
  forget(turn: string): void;
  text(turn: string, index: number): string | null;
  /** All that is held of open blocks: what a client shows of streams that it has joined. */
  open(): readonly TextDelta[];
  /** Another log: nothing is known. */
  clear(): void;
}

export function createBlocks(session: string): Blocks {
  const turns = new Map<string, Map<number, Block>>();
  const over = new Set<string>();
  const coming = new Map<string, TextDelta>();

  const keyOf = (turn: string, index: number) => JSON.stringify([turn, index]);
  const blocksOf = (turn: string) => {
    const known = turns.get(turn) ?? new Map<number, Block>();
    turns.set(turn, known);
    return known;
  };
  const close = (turn: string) => {
    over.delete(turn);
    over.add(turn);
    if (over.size > rememberedTurns) over.delete(over.values().next().value as string);
  };
  const isLate = (turn: string, index: number) => over.has(turn) || turns.get(turn)?.get(index)?.state === 'ended';

  /** Takes what is new in a piece. */
  function grow({ turn, index, offset, text }: TextDelta): Told {
    if (isLate(turn, index)) return [];
    const before = blocksOf(turn).get(index)?.text ?? '';
    const held = before.length;
    if (offset > held || offset + text.length <= held) return [];
    const added = text.slice(held - offset);
    blocksOf(turn).set(index, { text: before + added, state: 'open' });
    return [{ type: 'text_delta', session, turn, index, offset: held, text: added }];
  }
  /** What has waited for this block. */
  function arrive(turn: string, index: number): Told {
    const piece = coming.get(keyOf(turn, index));
    coming.delete(keyOf(turn, index));
    return piece ? grow(piece) : [];
  }

  return {
    add: (delta) => [...arrive(delta.turn, delta.index), ...grow(delta)],
    put(pieces) {
      for (const { turn, index, offset, text } of pieces) {
        const before = blocksOf(turn).get(index)?.text.slice(0, offset) ?? '';
        blocksOf(turn).set(index, { text: before + text, state: 'open' });
      }
    },
    resume: (pieces) =>
      pieces.flatMap((piece) => {
        const { turn, index } = piece;
        if (turns.get(turn)?.has(index)) return grow(piece);
        coming.set(keyOf(turn, index), piece);
        return [];
      }),
    begin(turn, index) {
      if (!over.has(turn) && !blocksOf(turn).has(index)) blocksOf(turn).set(index, { text: '', state: 'open' });
      return arrive(turn, index);
    },
    replayed() {
      const told = [...coming.values()].flatMap(grow);
      coming.clear();
      return told;
    },
    end({ turn, index, text, outcome }) {
      coming.delete(keyOf(turn, index));
      const told = outcome === 'cancelled' ? [] : grow({ turn, index, offset: 0, text });
      blocksOf(turn).set(index, { text, state: 'ended' });
      return told;
    },
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
        [...blocks].flatMap(([index, { text, state }]) =>
          state === 'open' && text !== '' ? [{ turn, index, offset: 0, text }] : [],
        ),
      ),
    clear() {
      turns.clear();
      over.clear();
      coming.clear();
    },
  };
}
