// The text of a session's turns as speech: how much was published, and how much was heard of it.
//
// 1. Only root turns are spoken: an agent below one reports to its turn.
// 2. If a bridge has sent PLAYED, only what was played counts as heard. Else it is what had been published when speech was stopped.
// 3. The speech at one speaker's own connection is of the turns of that speaker of which something was played there: the others are only read.
import type { SequencedFact } from '../../../machines/facts.ts';
import type { SpokenTurn } from '../../../machines/speech.ts';
import type { NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
import type { HeardBlock } from '../../../machines/voice-facts.ts';
import { BoundedMap } from '../collections/bounded-map.ts';

/** The length of the text that clients have received of an open block. */
export interface PublishedText {
  publishedChars(turn: NodeId, index: number): number;
}

/** How much of a block was played. */
interface PlayedBlock {
  readonly turn: NodeId;
  readonly index: number;
  readonly offset: number;
  readonly estimated?: boolean | undefined;
}

interface Block {
  readonly index: number;
  /** The length of its whole text; null: it is still streaming. */
  length: number | null;
  /** How much of it was played. */
  played: number;
  /** `played` was not measured: the voice does not say which words it speaks. */
  isEstimated: boolean;
  speech: BlockSpeech;
}

/** How far the speech of a block is; `at`: how much of the block had been published when its speech was paused, or was over. */
type BlockSpeech = { readonly state: 'flowing' } | { readonly state: 'paused' | 'over'; readonly at: number };

const flowing: BlockSpeech = { state: 'flowing' };

/** A turn that may be spoken, with the sequence number of its opening. */
export interface OpenedTurn extends SpokenTurn {
  readonly openedAt: number;
  /** The receipt that it acknowledges; undefined: it is no acknowledgement. */
  readonly acknowledges: string | undefined;
}

interface Spoken extends OpenedTurn {
  hasEnded: boolean;
  /** Something of it was played. */
  isPlayed: boolean;
  readonly blocks: Block[];
}

/** How much of a block counts as heard. */
interface HeardPart {
  readonly offset: number;
  /** It is more than before. */
  readonly isNew: boolean;
  /** Nothing of the turn was played before. */
  readonly isFirst: boolean;
}

/** Turns whose speech is kept: the oldest is forgotten for a new one. */
const maxTurns = 64;

export class SpokenText {
  readonly #text: PublishedText;
  /** The only speaker whose turns are spoken here; null: the turns of all are. */
  readonly #of: SpeakerId | null;
  readonly #turns = new BoundedMap<NodeId, Spoken>(maxTurns);
  /** The turn of which a bridge has played something last; null: no bridge has said what it plays. */
  #lastPlayed: NodeId | null = null;

  constructor(text: PublishedText, of: SpeakerId | null = null) {
    this.#text = text;
    this.#of = of;
  }

  /** Turns that are kept. */
  get size(): number {
    return this.#turns.size;
  }

  /** Reads a fact of the session, in the tick of its append. */
  onAppended({ seq, fact }: SequencedFact): void {
    if (fact.type === 'turn_opened' && fact.kind !== 'agent' && (this.#of ?? fact.owner) === fact.owner) {
      const { turn, owner, cancel: acknowledges } = fact;
      this.#turns.set(turn, { turn, owner, openedAt: seq, acknowledges, hasEnded: false, isPlayed: false, blocks: [] });
    }
    if (fact.type === 'model_started') {
      const block = { index: fact.index, length: null, played: 0, isEstimated: false, speech: flowing };
      this.#turns.get(fact.turn)?.blocks.push(block);
    }
    if (fact.type === 'model_ended') {
      const block = this.#blockAt(fact.turn, fact.index);
      if (block) block.length = fact.text.length;
    }
    if (fact.type === 'turn_ended') this.#endTurn(fact.turn);
  }

  /**
   * The turn that is being spoken: the one that was played last, if some of it is left. Before a bridge has said what it plays, a turn of this speaker, or else
   * the last one. Null: nothing is being spoken. `waiting`: turns of which nothing is played yet.
   */
  currentFor(speaker: SpeakerId, waiting: readonly NodeId[] = []): SpokenTurn | null {
    const spoken = this.spoken().filter(({ turn }) => !waiting.includes(turn));
    return (
      spoken.find(({ turn }) => turn === this.#lastPlayed) ??
      spoken.findLast(({ owner }) => owner === speaker) ??
      spoken.at(-1) ??
      null
    );
  }

  /** The turns that are being spoken, or wait to be. */
  spoken(): readonly SpokenTurn[] {
    return [...this.#turns.values()].filter((one) => this.#isSpoken(one));
  }

  isSpoken(turn: NodeId): boolean {
    const spoken = this.#turns.get(turn);
    return spoken !== undefined && this.#isSpoken(spoken);
  }

  /** Whether a bridge says what it plays: only then the end of speech is known. */
  get isReported(): boolean {
    return this.#lastPlayed !== null;
  }

  /** Whether something of the turn was played. */
  isPlayed(turn: NodeId): boolean {
    return this.#turns.get(turn)?.isPlayed === true;
  }

  /** Returns the turn; undefined: it is not kept. */
  find(turn: NodeId): OpenedTurn | undefined {
    return this.#turns.get(turn);
  }

  /** Notes how much of a block was played. Null: the block is not known. */
  notePlayed({ turn, index, offset, estimated = false }: PlayedBlock): HeardPart | null {
    const spoken = this.#turns.get(turn);
    const block = this.#blockAt(turn, index);
    if (!spoken || !block) return null;
    const isFirst = !spoken.isPlayed;
    this.#lastPlayed = turn;
    spoken.isPlayed = true;
    const before = block.played;
    block.played = Math.max(before, Math.min(offset, this.#published(turn, block)));
    if (block.played > before) block.isEstimated = estimated;
    this.#forgetIfHeard(spoken);
    return { offset: block.played, isNew: block.played > before, isFirst };
  }

  /** Speech is paused: without PLAYED nothing that comes later counts as heard. */
  pause(turn: NodeId): void {
    for (const block of this.#blocksOf(turn))
      if (block.speech.state === 'flowing') block.speech = { state: 'paused', at: this.#published(turn, block) };
  }

  resume(turn: NodeId): void {
    for (const block of this.#blocksOf(turn)) if (block.speech.state === 'paused') block.speech = flowing;
  }

  /**
   * Ends the speech of what the turn has said so far; what it says in later model calls is spoken again. Returns the blocks that were not heard to their end.
   * `streamsOn`: the model runs on, and nobody hears what it adds to the block that streams.
   */
  cut(turn: NodeId, { streamsOn }: { readonly streamsOn: boolean }): readonly HeardBlock[] {
    this.pause(turn);
    for (const block of this.#blocksOf(turn)) {
      if (block.speech.state !== 'paused') continue;
      block.speech = { state: 'over', at: block.speech.at };
      if (!streamsOn) block.length ??= this.#text.publishedChars(turn, block.index);
    }
    return this.cutBlocks(turn);
  }

  /** Returns the blocks of a turn whose speech was cut, and that were not heard to their end. */
  cutBlocks(turn: NodeId): readonly HeardBlock[] {
    return this.#blocksOf(turn)
      .filter((block) => block.speech.state === 'over' && !this.#isWhole(block))
      .map((block) => ({
        index: block.index,
        offset: this.#heard(block),
        ...(block.isEstimated && { estimated: true as const }),
      }));
  }

  /** Whether all of a block was heard. Of one that streams, nobody has heard the rest. */
  #isWhole(block: Block): boolean {
    return block.length !== null && this.#heard(block) >= block.length;
  }

  #heard({ played, speech, length }: Block): number {
    if (this.#lastPlayed !== null) return played;
    return speech.state === 'flowing' ? (length ?? 0) : speech.at;
  }

  #isSpoken({ turn, hasEnded, isPlayed, blocks }: Spoken): boolean {
    if (this.#of !== null && !isPlayed) return false;
    return blocks.some((block) => {
      const { state } = block.speech;
      if (state === 'over') return false;
      const published = this.#published(turn, block);
      // speech that is paused may go on after the end of its turn
      if (this.#lastPlayed === null) return (!hasEnded || state === 'paused') && published > 0;
      return block.played < published || (block.length === null && published > 0);
    });
  }

  #published(turn: NodeId, { index, length }: Block): number {
    return length ?? this.#text.publishedChars(turn, index);
  }

  #blocksOf(turn: NodeId): readonly Block[] {
    return this.#turns.get(turn)?.blocks ?? [];
  }

  #blockAt(turn: NodeId, index: number): Block | undefined {
    return this.#blocksOf(turn).find((block) => block.index === index);
  }

  #endTurn(turn: NodeId): void {
    const spoken = this.#turns.get(turn);
    if (!spoken) return;
    spoken.hasEnded = true;
    this.#forgetIfHeard(spoken);
  }

  /** A turn that has ended, and of which nothing is left to be spoken or cut. */
  #forgetIfHeard({ turn, hasEnded, blocks }: Spoken): void {
    if (this.#lastPlayed === null || !hasEnded) return; // without PLAYED it may be spoken for long after its end
    if (blocks.every((block) => block.speech.state !== 'over' && this.#isWhole(block))) this.#turns.delete(turn);
  }
}
