// A command in flight that is neither a SAY nor a CANCEL: a promise of its reply.
import type { ServerFrame, ServerFrameOf } from '../wire/server-frames.ts';
import { ignoreRejection } from './ignore-rejection.ts';

/** The replies to commands that are neither a SAY nor a CANCEL. */
export type FactReply = ServerFrameOf<(typeof replyTypes)[number]>;

const replyTypes = [
  'approval_closed',
  'question_closed',
  'member_invited',
  'member_removed',
  'invite_link',
  'invite_revoked',
  'stop_delegated',
  'tool_timeout_set',
  'session_renamed',
  'speaker',
  'read',
  'forked',
  'turn_opened',
  'input_deferred',
  'stop_phrase',
  'transcript_ignored',
  'barge_in',
  'played',
  'call_settled',
  'unknown_target',
] as const;

export class FactInFlight {
  #ref: string;
  readonly #reply = Promise.withResolvers<FactReply>();

  constructor(ref: string) {
    this.#ref = ref;
    ignoreRejection(this.#reply.promise);
  }

  /** Sent again under this ref, because the first one had been used for another command. */
  renew(ref: string): void {
    this.#ref = ref;
  }

  get reply(): Promise<FactReply> {
    return this.#reply.promise;
  }

  /** Handles a frame. Returns whether it is the reply. */
  receive(frame: ServerFrame): boolean {
    if (!isFactReply(frame) || frame.ref !== this.#ref) return false;
    this.#reply.resolve(frame);
    return true;
  }

  fail(error: Error): void {
    this.#reply.reject(error);
  }
}

const isFactReply = (frame: ServerFrame): frame is FactReply => replyTypes.some((type) => type === frame.type);
