// A cancel as the one who asked for it holds it: the answer, and what became of it.
import type { ServerFrame, ServerFrameOf } from '../protocol/server-frames.ts';
import { handled } from './ignore-rejection.ts';

export interface CancelOptions {
  /** For people and for the model. */
  readonly reason?: string;
  /** Skip the grace: what can be killed is killed now. */
  readonly force?: boolean;
  /** Bridges only: whose wish it is. */
  readonly as?: string;
  /** Without a connection: fail at once (`reject`), or go out when there is one again (`wait`, the default of a cancel). */
  readonly whileDisconnected?: 'reject' | 'wait';
}

/** How a CANCEL is answered. `cancel_accepted` lists what will be stopped and what was refused. */
export type CancelAnswer = ServerFrameOf<'cancel_accepted' | 'cancel_refused' | 'already_settled' | 'unknown_target'>;

/** Both reject with `CommandRefused`, `NotConnected`, `SessionEnded` or `ConnectionClosed`; neither needs to be waited for. */
export interface CancelHandle {
  readonly ref: string;
  readonly accepted: Promise<CancelAnswer>;
  /** What became of each node. Null when the cancel stopped nothing. */
  readonly settled: Promise<ServerFrameOf<'cancel_settled'> | null>;
}

/** The session's side of it. */
export interface CancelFeed {
  readonly handle: CancelHandle;
  /** What the frame is to this cancel. `answered`: it need not be sent again. `over`: nothing more can come. */
  take(frame: ServerFrame): 'nothing' | 'heard' | 'answered' | 'over';
  fail(error: Error): void;
}

export function createCancel(ref: string): CancelFeed {
  const accepted = Promise.withResolvers<CancelAnswer>();
  const settled = Promise.withResolvers<ServerFrameOf<'cancel_settled'> | null>();
  handled(accepted.promise, settled.promise);
  /** The id of the receipt: its end may come under another ref, where this cancel was a repeat. */
  let receipt: string | null = null;
  return {
    handle: { ref, accepted: accepted.promise, settled: settled.promise },
    take(frame) {
      if (frame.type === 'cancel_settled') {
        if (frame.ref !== ref && frame.cancel !== receipt) return 'nothing';
        settled.resolve(frame);
        return 'over';
      }
      if (!('ref' in frame) || frame.ref !== ref) return 'nothing';
      switch (frame.type) {
        case 'cancel_accepted':
          accepted.resolve(frame);
          receipt = frame.cancel;
          // the end of a repeat may lie behind us, and of what is not durable yet nothing may come
          return frame.seq === undefined ? 'heard' : 'answered';
        case 'cancel_refused':
        case 'already_settled':
        case 'unknown_target':
          accepted.resolve(frame);
          settled.resolve(null);
          return 'over';
        default:
          return 'nothing';
      }
    },
    fail(error) {
      accepted.reject(error);
      settled.reject(error);
    },
  };
}
