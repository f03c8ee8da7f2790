// Deduplicates incoming frames: each fact once and in order, each piece of text once and in its place, each receipt once.
import { BoundedMap } from '../core/collections/bounded-map.ts';
import type { JoinFrame } from '../wire/client-frames.ts';
import type { ServerFrame, ServerFrameOf, TextDelta } from '../wire/server-frames.ts';
import type { ReplayStart } from './replay-start.ts';
import { TextBlocks } from './text-blocks.ts';

/** The limit of receipts that are remembered, so that their acceptance is not emitted twice. */
const maxAccepted = 1_000;

export class Deduplicator {
  readonly #blocks: TextBlocks;
  readonly #accepted = new BoundedMap<string, true>(maxAccepted);
  readonly #canReplayLast: () => boolean;
  /** What the first JOIN asked for, where that is the last turns. */
  readonly #last: number | null;
  /** The `after` of the next JOIN; null: nothing is to be replayed, or the last turns are. Equal to `#seq` once a fact has been received. */
  #after: number | null;
  /** The first sequence number of the last turns, while they are replayed: before it facts are missing, so that none of them is an `after`. */
  #start = 0;
  /** The sequence number of the last fact received. */
  #seq: number;
  #joinRef: string | null = null;
  #isReplaying = false;

  /** `from`: what is replayed. `canReplayLast`: whether the gateway replays the last turns. */
  constructor(session: string, from: ReplayStart, canReplayLast: () => boolean) {
    const after = typeof from === 'number' ? from : null;
    this.#blocks = new TextBlocks(session);
    this.#canReplayLast = canReplayLast;
    this.#last = typeof from === 'number' ? null : (from?.last ?? null);
    this.#after = after;
    this.#seq = after ?? 0;
  }

  /** Returns what the next JOIN asks for. Neither: no replay. */
  nextReplay(): Pick<JoinFrame, 'after' | 'last'> {
    if (this.#after === null && this.#last !== null) {
      if (this.#canReplayLast()) return { last: this.#last };
      this.#after = 0; // an older gateway replays all
    }
    return this.#after === null ? {} : { after: this.#after };
  }

  /** The sequence number of the last fact. */
  get seq(): number {
    return this.#seq;
  }

  get blocks(): readonly TextDelta[] {
    return this.#blocks.open;
  }

  get hasEverJoined(): boolean {
    return this.#joinRef !== null;
  }

  /** Whether the gateway is still replaying earlier facts. */
  get isReplaying(): boolean {
    return this.#isReplaying;
  }

  /** Whether the JOIN with this ref has its reply. */
  isAnswered(ref: string): boolean {
    return this.#joinRef === ref;
  }

  /** Whether the gateway has another log under this session now: it ends before the last fact that was received. */
  isOtherLog(frame: ServerFrameOf<'joined'>): boolean {
    return this.#after !== null && frame.seq < this.#after;
  }

  /** Forgets everything about the log. The next JOIN asks for the other one: as the first JOIN did, or for the whole of it. */
  forgetLog(): void {
    this.#blocks.clear();
    this.#accepted.clear();
    this.#after = this.#last === null ? 0 : null;
    this.#seq = 0;
  }

  /** Returns the frames to emit for the reply to a JOIN, in order. */
  handleJoined(frame: ServerFrameOf<'joined'>): readonly ServerFrame[] {
    this.#joinRef = frame.ref;
    if (frame.tail) {
      this.forgetLog();
      this.#start = frame.tail.start;
    }
    this.#isReplaying = this.#after !== null || frame.tail !== undefined;
    if (this.#isReplaying) return [frame, ...this.#blocks.resume(frame.blocks)];
    // nothing is replayed: only this frame has the text of the open blocks
    this.#blocks.put(frame.blocks);
    this.#seq = frame.seq;
    this.#after = frame.seq;
    return [frame];
  }

  /** Returns the frames to emit at the end of the replay. */
  handleReplayed(frame: ServerFrameOf<'replayed'>): readonly ServerFrame[] {
    this.#isReplaying = false;
    return [...this.#blocks.finishReplay(), frame];
  }

  /** Returns the frames to emit for any other frame: none for a repeat. */
  handleOther(frame: ServerFrame): readonly ServerFrame[] {
    if ('seq' in frame && frame.seq !== undefined && frame.type !== 'joined') {
      if (frame.seq <= this.#seq) return [];
      this.#seq = frame.seq;
      if (frame.seq >= this.#start) this.#after = frame.seq;
    }
    switch (frame.type) {
      case 'turn_opened':
      case 'input_deferred':
        // repeated: the fact itself was emitted, or the replay brings it, because no SAY is sent before `joined`
        return frame.repeated ? [] : [frame];
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
        return frame.repeated || !this.#rememberAcceptance(frame) ? [] : [frame];
      case 'member_invited':
      case 'member_removed':
      case 'invite_revoked':
      case 'stop_delegated':
      case 'tool_timeout_set':
      case 'session_renamed':
      case 'cancel_settled':
        return frame.repeated ? [] : [frame];
      default:
        return [frame];
    }
  }

  /** Remembers an acceptance. Returns false if it was emitted before. */
  #rememberAcceptance({ cancel }: ServerFrameOf<'cancel_accepted'>): boolean {
    if (this.#accepted.has(cancel)) return false;
    this.#accepted.set(cancel, true);
    return true;
  }
}
