// An answer to what a call has asked somebody, as the one who gives it holds it: a promise of the fact that it has closed.
import type { ServerFrame, ServerFrameOf } from '../protocol/server-frames.ts';
import { handled } from './ignore-rejection.ts';

export interface AnswerOptions {
  /** Bridges only: whose answer it is. */
  readonly as?: string;
  /** Without a connection: fail at once (`reject`), or go out when there is one again (`wait`). Default: the client's. */
  readonly whileDisconnected?: 'reject' | 'wait';
}

export type Closed = ServerFrameOf<'approval_closed' | 'question_closed'>;

/** The session's side of it. */
export interface AnswerFeed {
  readonly closed: Promise<Closed>;
  /** Takes the frame when it answers this; true when nothing more can come. */
  take(frame: ServerFrame): boolean;
  fail(error: Error): void;
}

export function createAnswer(ref: string): AnswerFeed {
  const closed = Promise.withResolvers<Closed>();
  handled(closed.promise);
  return {
    closed: closed.promise,
    take(frame) {
      if ((frame.type !== 'approval_closed' && frame.type !== 'question_closed') || frame.ref !== ref) return false;
      closed.resolve(frame);
      return true;
    },
    fail: closed.reject,
  };
}
