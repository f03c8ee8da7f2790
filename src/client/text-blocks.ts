// The text blocks of a session as a client holds them, by the rules of docs/protocol.md: which part of each piece is new.
//
// 1. The deltas that are emitted of a block, put together, are a prefix of it at every moment, and all of it at its end. Two exceptions: the end of a block that
//    was cancelled may have more, and the end of one that a crash has cut may have less.
import { BoundedMap } from '../core/collections/bounded-map.ts';
import type { ServerFrameOf, TextDelta, TextDeltaFrame } from '../wire/server-frames.ts';

/** Turns that are over and still remembered, so that their late deltas are ignored. */
const maxClosedTurns = 1_000;

interface Block {
  readonly text: string;
  readonly state: 'open' | 'ended';
}

/** New text: each delta begins where the text before it has ended. */
export type NewText = readonly TextDeltaFrame[];

export class TextBlocks {
  readonly #session: string;
  readonly #turns = new Map<string, Map<number, Block>>();
  readonly #closedTurns = new BoundedMap<string, true>(maxClosedTurns);
  /** Text of blocks whose beginning the replay has not come to yet. */
  readonly #beforeReplay = new Map<string, TextDelta>();

  constructor(session: string) {
    this.#session = session;
  }

  /** All that is held of open blocks. */
  get open(): readonly TextDelta[] {
    return [...this.#turns].flatMap(([turn, blocks]) =>
      [...blocks].flatMap(([index, { text, state }]) =>
        state === 'open' && text !== '' ? [{ turn, index, offset: 0, text }] : [],
      ),
    );
  }

  textOf(turn: string, index: number): string | null {
    return this.#turns.get(turn)?.get(index)?.text ?? null;
  }

  /** Adds a delta. It is ignored if its text is held already, and if text before it was lost. */
  add(delta: TextDeltaFrame): NewText {
    return [...this.#release(delta.turn, delta.index), ...this.#grow(delta)];
  }

  /** Replaces what is held of these blocks. */
  put(pieces: readonly TextDelta[]): void {
    for (const { turn, index, offset, text } of pieces) {
      const before = this.textOf(turn, index)?.slice(0, offset) ?? '';
      this.#blocksOf(turn).set(index, { text: before + text, state: 'open' });
    }
  }

  /** Adds the text of open blocks after a time without a connection. A block that is not held yet waits until the replay comes to it. */
  resume(pieces: readonly TextDelta[]): NewText {
    return pieces.flatMap((piece) => {
      const { turn, index } = piece;
      if (this.#turns.get(turn)?.has(index)) return this.#grow(piece);
      this.#beforeReplay.set(keyOf(turn, index), piece);
      return [];
    });
  }

  /** Opens a block. */
  startBlock(turn: string, index: number): NewText {
    const isNew = !this.#closedTurns.has(turn) && !this.#blocksOf(turn).has(index);
    if (isNew) this.#blocksOf(turn).set(index, { text: '', state: 'open' });
    return this.#release(turn, index);
  }

  /** The replay is over: adds the text that has waited for it. */
  finishReplay(): NewText {
    const added = [...this.#beforeReplay.values()].flatMap((piece) => this.#grow(piece));
    this.#beforeReplay.clear();
    return added;
  }

  /** Closes a block, whose whole text is known now. Of one that was cancelled the rest is not emitted. */
  endBlock({ turn, index, text, outcome }: ServerFrameOf<'model_ended'>): NewText {
    this.#beforeReplay.delete(keyOf(turn, index));
    const added =
      outcome === 'cancelled' || outcome === 'abandoned' ? [] : this.#grow({ turn, index, offset: 0, text });
    this.#blocksOf(turn).set(index, { text, state: 'ended' });
    return added;
  }

  /** Late deltas of these turns are ignored. */
  closeTurns(turns: readonly string[]): void {
    for (const turn of turns) this.#closedTurns.set(turn, true);
  }

  /** The turn is over: its text is not held any more. */
  forgetTurn(turn: string): void {
    this.#turns.delete(turn);
    this.closeTurns([turn]);
  }

  /** Another log: nothing of it is known. */
  clear(): void {
    this.#turns.clear();
    this.#closedTurns.clear();
    this.#beforeReplay.clear();
  }

  #blocksOf(turn: string): Map<number, Block> {
    const blocks = this.#turns.get(turn) ?? new Map<number, Block>();
    this.#turns.set(turn, blocks);
    return blocks;
  }

  #grow({ turn, index, offset, text }: TextDelta): NewText {
    const block = this.#turns.get(turn)?.get(index);
    if (this.#closedTurns.has(turn) || block?.state === 'ended') return [];
    const before = block?.text ?? '';
    const held = before.length;
    if (offset > held || offset + text.length <= held) return [];
    const added = text.slice(held - offset);
    this.#blocksOf(turn).set(index, { text: before + added, state: 'open' });
    return [{ type: 'text_delta', session: this.#session, turn, index, offset: held, text: added }];
  }

  /** Adds the text that has waited for this block. */
  #release(turn: string, index: number): NewText {
    const key = keyOf(turn, index);
    const piece = this.#beforeReplay.get(key);
    this.#beforeReplay.delete(key);
    return piece ? this.#grow(piece) : [];
  }
}

const keyOf = (turn: string, index: number) => JSON.stringify([turn, index]);
