// A command in flight whose reply is a fact: a promise of that fact.
import type { ServerFrame, ServerFrameOf } from '../protocol/server-frames.ts';
import { ignoreRejection } from './ignore-rejection.ts';

/** The facts that are replies to an APPROVE, DENY or ANSWER, and to an INVITE. */
export type FactReply = ServerFrameOf<'approval_closed' | 'question_closed' | 'member_invited'>;

const replyTypes: readonly string[] = ['approval_closed', 'question_closed', 'member_invited'];

export class FactInFlight {
  readonly ref: string;
  readonly #reply = Promise.withResolvers<FactReply>();

  constructor(ref: string) {
    this.ref = ref;
    ignoreRejection(this.#reply.promise);
  }

  get reply(): Promise<FactReply> {
    return this.#reply.promise;
  }

  /** Handles a frame. Returns whether it is the reply. */
  receive(frame: ServerFrame): boolean {
    if (!isFactReply(frame) || frame.ref !== this.ref) return false;
    this.#reply.resolve(frame);
    return true;
  }

  fail(error: Error): void {
    this.#reply.reject(error);
  }
}

const isFactReply = (frame: ServerFrame): frame is FactReply => replyTypes.includes(frame.type);
