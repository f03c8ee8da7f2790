// What of all that comes is news: each fact once and in order, each piece of text once and in its place, each receipt once.
import type { ServerFrame, ServerFrameOf, TextDelta } from '../protocol/server-frames.ts';
import { createBlocks } from './text-blocks.ts';

/** Receipts whose acceptance was told, remembered so that it is not told again. */
const rememberedReceipts = 1_000;

export interface News {
  /** What JOIN asks for. Null: no replay. */
  readonly after: number | null;
  /** The last fact that was heard. */
  readonly seq: number;
  readonly blocks: readonly TextDelta[];
  /** Whether it was ever joined. */
  readonly wasJoined: boolean;
  /** Whether facts of before are on their way. */
  readonly isReplaying: boolean;
  /** Whether the JOIN of this ref has its answer. */
  hasJoined(ref: string): boolean;
  /** Whether the log is not the one that was known: it ends before what was heard of it. */
  isOtherLog(frame: ServerFrameOf<'joined'>): boolean;
  /** What was known is not there any more. All of the other log is asked for. */
  forget(): void;
  /** What each of these tells that was not told before, in order. */
  joined(frame: ServerFrameOf<'joined'>): readonly ServerFrame[];
  replayed(frame: ServerFrameOf<'replayed'>): readonly ServerFrame[];
  of(frame: ServerFrame): readonly ServerFrame[];
}

export function createNews(session: string, first: number | null): News {
  const blocks = createBlocks(session);
  const accepted = new Set<string>();
  let after = first;
  let seq = first ?? 0;
  let join: string | null = null;
  let isReplaying = false;

  /** False when the acceptance was told. */
  function isFirst({ cancel }: ServerFrameOf<'cancel_accepted'>): boolean {
    if (accepted.has(cancel)) return false;
    accepted.add(cancel);
    if (accepted.size > rememberedReceipts) accepted.delete(accepted.values().next().value as string);
    return true;
  }

  return {
    get after() {
      return after;
    },
    get seq() {
      return seq;
    },
    get blocks() {
      return blocks.open();
    },
    get isReplaying() {
      return isReplaying;
    },
    get wasJoined() {
      return join !== null;
    },
    hasJoined: (ref) => join === ref,
    isOtherLog: (frame) => after !== null && frame.seq < after,
    forget() {
      blocks.clear();
      accepted.clear();
      after = 0;
      seq = 0;
    },

    joined(frame) {
      join = frame.ref;
      isReplaying = after !== null;
      if (after === null) {
        // nothing is replayed: what was before is what this frame says
        blocks.put(frame.blocks);
        seq = frame.seq;
        after = seq;
        return [frame];
      }
      return [frame, ...blocks.resume(frame.blocks)];
    },
    replayed(frame) {
      isReplaying = false;
      return [...blocks.replayed(), frame];
    },

    of(frame) {
      if ('seq' in frame && frame.seq !== undefined && frame.type !== 'joined') {
        if (frame.seq <= seq) return [];
        seq = frame.seq;
        after = seq;
      }
      switch (frame.type) {
        case 'turn_opened':
          return frame.repeated ? [] : [frame]; // the fact was told, or is on its way: nothing is said before `joined` is known
        case 'text_delta':
          return blocks.add(frame);
        case 'model_started':
          return [frame, ...blocks.begin(frame.turn, frame.index)];
        case 'model_ended':
          return [...blocks.end(frame), frame];
        case 'turn_ended':
          blocks.forget(frame.turn);
          return [frame];
        case 'cancel_accepted':
          blocks.stop(frame.stopping);
          return frame.repeated || !isFirst(frame) ? [] : [frame];
        case 'cancel_settled':
          return frame.repeated ? [] : [frame];
        default:
          return [frame];
      }
    },
  };
}
