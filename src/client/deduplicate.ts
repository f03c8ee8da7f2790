// Deduplicates incoming frames: each fact once and in order, each piece of text once and in its place, each receipt once.
import { BoundedMap } from '../collections/bounded-map.ts';
import type { ServerFrame, ServerFrameOf, TextDelta } from '../protocol/server-frames.ts';
import { TextBlocks } from './text-blocks.ts';

/** Receipts whose acceptance was emitted, remembered so that it is not emitted again. */
const maxAccepted = 1_000;

export class Deduplicator {
  readonly #blocks: TextBlocks;
  readonly #accepted = new BoundedMap<string, true>(maxAccepted);
  #after: number | null;
  #seq: number;
  #joinRef: string | null = null;
  #isReplaying = false;

  /** `after`: facts with a higher sequence number are replayed; null: none. */
  constructor(session: string, after: number | null) {
    this.#blocks = new TextBlocks(session);
    this.#after = after;
    this.#seq = after ?? 0;
  }

  /** The `after` of the next JOIN. Null: no replay. */
  get after(): number | null {
    return this.#after;
  }

  /** The sequence number of the last fact. */
  get seq(): number {
    return this.#seq;
  }

  get blocks(): readonly TextDelta[] {
    return this.#blocks.open;
  }

  get wasJoined(): boolean {
    return this.#joinRef !== null;
  }

  /** Whether facts of the past are still being sent. */
  get isReplaying(): boolean {
    return this.#isReplaying;
  }

  /** Whether the JOIN of this ref has its reply. */
  hasJoined(ref: string): boolean {
    return this.#joinRef === ref;
  }

  /** Whether the log is not the one that was known: it ends before what was received of it. */
  isOtherLog(frame: ServerFrameOf<'joined'>): boolean {
    return this.#after !== null && frame.seq < this.#after;
  }

  /** Forgets the log that was known; the next JOIN asks for all of the other one. */
  forgetLog(): void {
    this.#blocks.clear();
    this.#accepted.clear();
    this.#after = 0;
    this.#seq = 0;
  }

  /** The frames to emit for a reply to a JOIN, in order. */
  joined(frame: ServerFrameOf<'joined'>): readonly ServerFrame[] {
    this.#joinRef = frame.ref;
    this.#isReplaying = this.#after !== null;
    if (this.#isReplaying) return [frame, ...this.#blocks.resume(frame.blocks)];
    // nothing is replayed: this frame alone has the state of before
    this.#blocks.put(frame.blocks);
    this.#seq = frame.seq;
    this.#after = frame.seq;
    return [frame];
  }

  /** The frames to emit at the end of the replay. */
  replayed(frame: ServerFrameOf<'replayed'>): readonly ServerFrame[] {
    this.#isReplaying = false;
    return [...this.#blocks.finishReplay(), frame];
  }

  /** The frames to emit for any other frame: none where it is a repeat. */
  filter(frame: ServerFrame): readonly ServerFrame[] {
    if ('seq' in frame && frame.seq !== undefined && frame.type !== 'joined') {
      if (frame.seq <= this.#seq) return [];
      this.#seq = frame.seq;
      this.#after = frame.seq;
    }
    switch (frame.type) {
      case 'turn_opened':
        return frame.repeated ? [] : [frame]; // the fact itself was emitted, or follows: no SAY goes out before `joined`
      case 'text_delta':
        return this.#blocks.add(frame);
      case 'model_started':
        return [frame, ...this.#blocks.startBlock(frame.turn, frame.index)];
      case 'model_ended':
        return [...this.#blocks.endBlock(frame), frame];
      case 'turn_ended':
        this.#blocks.forgetTurn(frame.turn);
        return [frame];
      case 'cancel_accepted':
        this.#blocks.closeTurns(frame.stopping);
        return frame.repeated || !this.#isFirst(frame) ? [] : [frame];
      case 'cancel_settled':
        return frame.repeated ? [] : [frame];
      default:
        return [frame];
    }
  }

  /** False where the acceptance was emitted before. */
  #isFirst({ cancel }: ServerFrameOf<'cancel_accepted'>): boolean {
    if (this.#accepted.has(cancel)) return false;
    this.#accepted.set(cancel, true);
    return true;
  }
}
