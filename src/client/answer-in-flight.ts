// An APPROVE, DENY or ANSWER in flight: a promise of the fact that closes its question.
import type { ServerFrame, ServerFrameOf } from '../protocol/server-frames.ts';
import { ignoreRejection } from './ignore-rejection.ts';

export interface AnswerOptions {
  /** The id of the question. Without it the answer counts for the first question of the call only: a later one is `question_required`. */
  readonly question?: string | undefined;
  /** Bridges only: whose answer it is. */
  readonly as?: string | undefined;
  /** Without a connection: fail at once (`reject`), or send it as soon as there is one (`wait`). Default: the client's. */
  readonly whileDisconnected?: 'reject' | 'wait' | undefined;
}

export type QuestionClosed = ServerFrameOf<'approval_closed' | 'question_closed'>;

export class AnswerInFlight {
  readonly ref: string;
  readonly #closed = Promise.withResolvers<QuestionClosed>();

  constructor(ref: string) {
    this.ref = ref;
    ignoreRejection(this.#closed.promise);
  }

  get closed(): Promise<QuestionClosed> {
    return this.#closed.promise;
  }

  /** Handles a frame. Returns whether it is the reply. */
  receive(frame: ServerFrame): boolean {
    if ((frame.type !== 'approval_closed' && frame.type !== 'question_closed') || frame.ref !== this.ref) return false;
    this.#closed.resolve(frame);
    return true;
  }

  fail(error: Error): void {
    this.#closed.reject(error);
  }
}
