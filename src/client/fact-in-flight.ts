// A command in flight whose reply is a fact: a promise of that fact.
import type { ServerFrame, ServerFrameOf } from '../protocol/server-frames.ts';
import { ignoreRejection } from './ignore-rejection.ts';

/** The replies to an APPROVE, DENY or ANSWER, to an INVITE, a REMOVE, a DELEGATE and a SPEAKER. */
export type FactReply = ServerFrameOf<(typeof replyTypes)[number]>;

const replyTypes = [
  'approval_closed',
  'question_closed',
  'member_invited',
  'member_removed',
  'stop_delegated',
  'speaker',
  'read',
] as const;

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

const isFactReply = (frame: ServerFrame): frame is FactReply => replyTypes.some((type) => type === frame.type);
