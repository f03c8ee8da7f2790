// A cancel as the one who asked for it holds it: the answer, and what became of it.
import type { ServerFrame, ServerFrameOf } from '../protocol/frames.ts';
import { handled } from './handled.ts';

export interface CancelOptions {
  /** For people and for the model. */
  readonly reason?: string;
  /** Skip the grace: what can be killed is killed now. */
  readonly force?: boolean;
  /** Bridges only: whose wish it is. */
  readonly as?: string;
}

/** How a CANCEL is answered. `cancel_accepted` lists what will be stopped and what was refused. */
export type CancelAnswer = ServerFrameOf<'cancel_accepted' | 'cancel_refused' | 'already_settled' | 'unknown_target'>;

/** Both reject with `CommandRefused` or `ConnectionClosed`; neither needs to be waited for. */
export interface CancelHandle {
  readonly ref: string;
  readonly accepted: Promise<CancelAnswer>;
  /** What became of each node. Null when the cancel stopped nothing. */
  readonly settled: Promise<ServerFrameOf<'cancel_settled'> | null>;
}

/** The session's side of it. */
export interface CancelFeed {
  readonly handle: CancelHandle;
  /** Takes the frame when it answers this cancel; true when nothing more can come. */
  take(frame: ServerFrame): boolean;
  fail(error: Error): void;
}

export function createCancel(ref: string): CancelFeed {
  const accepted = Promise.withResolvers<CancelAnswer>();
  const settled = Promise.withResolvers<ServerFrameOf<'cancel_settled'> | null>();
  handled(accepted.promise, settled.promise);
  return {
    handle: { ref, accepted: accepted.promise, settled: settled.promise },
    take(frame) {
      if (!('ref' in frame) || frame.ref !== ref) return false;
      switch (frame.type) {
        case 'cancel_accepted':
          accepted.resolve(frame);
          return false;
        case 'cancel_refused':
        case 'already_settled':
        case 'unknown_target':
          accepted.resolve(frame);
          settled.resolve(null);
          return true;
        case 'cancel_settled':
          settled.resolve(frame);
          return true;
        default:
          return false;
      }
    },
    fail(error) {
      accepted.reject(error);
      settled.reject(error);
    },
  };
}
