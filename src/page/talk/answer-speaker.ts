// Speaks the answers of turns with a voice, piece by piece, and knows how much of each block was heard.
//
// 1. A voice that names its words is believed. One that names none within a second is estimated from the time, and what it has spoken is marked so.
// 2. Silence is immediate: nothing waits for the voice. Paused speech goes on from the last word that was heard.
import { msSince } from '../../core/sources/monotonic-time.ts';
import { pageClock, type StopTimer } from '../page-state/page-clock.ts';
import { endOfPiece, speakableText } from './speakable-text.ts';
import type { Voice } from './speech-contract.ts';

/** How long a voice may take to name its first word, in milliseconds: from then on its place is estimated. */
const boundaryMs = 1_000;
const estimateMs = 250;
/** How fast voices speak. */
const charsPerSecond = 14;

/** How much of what was spoken may come back by the microphone, and for how many milliseconds after it. */
const echoChars = 300;
const echoMs = 2_000;

const keyOf = ({ turn, index }: Pick<Block, 'turn' | 'index'>): string => `${turn} ${index}`;

/** A text block of a turn, and how far it is spoken. */
interface Block {
  readonly turn: string;
  readonly index: number;
  text: string;
  /** Nothing is added to `text` any more. */
  isWhole: boolean;
  /** How much of it was spoken; null: it has not begun. */
  at: number | null;
  isEstimated: boolean;
}

/** What is spoken just now. */
export interface SpokenPiece {
  readonly turn: string;
  readonly text: string;
  /** How much of `text` was spoken. */
  readonly at: number;
  readonly isEstimated: boolean;
  readonly isPaused: boolean;
}

/** How much of a block was heard. */
export interface HeardPlace {
  readonly turn: string;
  readonly index: number;
  readonly offset: number;
  readonly estimated: boolean;
}

export interface AnswerSpeakerListener {
  /** Something was heard, or a block begins, at 0. */
  onHeard(place: HeardPlace): void;
  onChange(): void;
  onProblem(problem: string): void;
}

export class AnswerSpeaker {
  readonly #voice: Voice;
  readonly #listener: AnswerSpeakerListener;
  #blocks: readonly Block[] = [];
  #piece: { readonly block: Block; readonly from: number; readonly end: number } | null = null;
  #pausedTurn: string | null = null;
  /** Blocks of which nothing more is spoken, although their text goes on. */
  readonly #over = new Set<string>();
  #stopEstimate: StopTimer = () => {};
  /** What was spoken last, for the recognition of an echo, and when it was over. */
  #lastSpoken = '';
  #silentSince = pageClock.elapsed();

  constructor(voice: Voice, listener: AnswerSpeakerListener) {
    this.#voice = voice;
    this.#listener = listener;
  }

  /** What is spoken, or paused; null: nothing is. */
  get piece(): SpokenPiece | null {
    const block = this.#piece?.block ?? this.#blocks.find(({ turn }) => turn === this.#pausedTurn);
    if (!block) return null;
    const { turn, text, isEstimated } = block;
    const from = this.#piece?.from ?? block.at ?? 0;
    const end = this.#piece?.end ?? endOfPiece(text, from, true) ?? text.length;
    const isPaused = this.#pausedTurn === turn;
    return { turn, text: text.slice(from, end), at: Math.max(0, (block.at ?? from) - from), isEstimated, isPaused };
  }

  get isSpeaking(): boolean {
    return this.#piece !== null;
  }

  /** What may come back by the microphone now; empty a while after it was spoken: the same words are the person's own then. */
  get lastSpoken(): string {
    return this.isSpeaking || msSince(pageClock, this.#silentSince) < echoMs ? this.#lastSpoken : '';
  }

  /** Adds text to a block. `offset`: where it begins in the block. */
  addText(turn: string, index: number, offset: number, text: string): void {
    const block = this.#blockOf(turn, index);
    if (!block || block.isWhole) return;
    block.text = block.text.slice(0, offset) + text;
    this.#speakNext();
  }

  /** A block has all of its text. */
  finishBlock(turn: string, index: number, text: string): void {
    const block = this.#blockOf(turn, index);
    if (!block) return;
    block.text = text;
    block.isWhole = true;
    this.#speakNext();
  }

  /** Is silent at once, until `resume` or `drop`. */
  pause(turn: string): void {
    this.#silenceTurn(turn);
    this.#pausedTurn = turn;
    this.#listener.onChange();
  }

  resume(turn: string): void {
    if (this.#pausedTurn !== turn) return;
    this.#pausedTurn = null;
    this.#speakNext();
    this.#listener.onChange();
  }

  /** Is silent at once, and speaks nothing of what the turn has said so far. */
  drop(turn: string): void {
    this.#silenceTurn(turn);
    if (this.#pausedTurn === turn) this.#pausedTurn = null;
    for (const block of this.#blocks) if (block.turn === turn) this.#over.add(keyOf(block));
    this.#blocks = this.#blocks.filter((block) => block.turn !== turn);
    this.#speakNext();
    this.#listener.onChange();
  }

  /** Is silent at once, and speaks nothing of what all turns have said so far. */
  dropAll(): void {
    for (const block of this.#blocks) this.#over.add(keyOf(block));
    this.close();
    this.#listener.onChange();
  }

  close(): void {
    this.#blocks = [];
    this.#pausedTurn = null;
    this.#endPiece();
    this.#voice.silence();
  }

  /** Returns the block; null: nothing of it is spoken any more. */
  #blockOf(turn: string, index: number): Block | null {
    if (this.#over.has(keyOf({ turn, index }))) return null;
    const known = this.#blocks.find((block) => block.turn === turn && block.index === index);
    if (known) return known;
    const block: Block = { turn, index, text: '', isWhole: false, at: null, isEstimated: false };
    this.#blocks = [...this.#blocks, block];
    return block;
  }

  /** Speaks the next piece, if nothing is spoken and its turn is not paused. */
  #speakNext(): void {
    while (this.#piece === null) {
      const [block] = this.#blocks;
      if (!block || block.turn === this.#pausedTurn) return;
      const { at, text, isWhole } = block;
      if (at === null && text !== '') this.#note(block, 0, false);
      const from = block.at ?? 0;
      const end = endOfPiece(text, from, isWhole);
      if (end === null && !isWhole) return; // its sentence goes on
      if (end === null) this.#blocks = this.#blocks.slice(1);
      else this.#speak(block, from, end);
    }
  }

  #speak(block: Block, from: number, end: number): void {
    const text = speakableText(block.text).slice(from, end);
    if (!/[\p{L}\p{N}]/u.test(text)) return this.#note(block, end, block.isEstimated); // nothing in it makes a sound
    this.#lastSpoken = `${this.lastSpoken} ${text}`.slice(-echoChars);
    this.#piece = { block, from, end };
    this.#voice.speak(text, {
      onStart: () => this.#awaitBoundary(block, from, text.length),
      onBoundary: (at) => {
        this.#stopEstimate();
        this.#note(block, from + at, false);
      },
      onEnd: () => {
        this.#endPiece();
        this.#note(block, end, false);
        this.#speakNext();
      },
      onProblem: (problem) => {
        this.#endPiece();
        this.#blocks = [];
        this.#listener.onProblem(problem);
      },
    });
    this.#listener.onChange();
  }

  /** From a second on without a word by name, the place is what the time says. */
  #awaitBoundary(block: Block, from: number, length: number): void {
    const startedAt = pageClock.elapsed();
    this.#stopEstimate();
    this.#stopEstimate = pageClock.after(boundaryMs, () => {
      const estimate = () => {
        const spoken = Math.floor((msSince(pageClock, startedAt) / 1_000) * charsPerSecond);
        this.#note(block, from + Math.min(length, spoken), true);
      };
      estimate();
      this.#stopEstimate = pageClock.every(estimateMs, estimate);
    });
  }

  #note(block: Block, offset: number, estimated: boolean): void {
    if (block.at !== null && offset <= block.at) return;
    block.at = offset;
    block.isEstimated = estimated;
    this.#listener.onHeard({ turn: block.turn, index: block.index, offset, estimated });
    this.#listener.onChange();
  }

  #endPiece(): void {
    this.#stopEstimate();
    if (this.#piece) this.#silentSince = pageClock.elapsed();
    this.#piece = null;
  }

  #silenceTurn(turn: string): void {
    if (this.#piece?.block.turn !== turn) return;
    this.#voice.silence();
    this.#endPiece();
  }
}
