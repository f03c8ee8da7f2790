// A CANCEL in flight: promises of its reply and of its receipt.
import type { ServerFrame, ServerFrameOf } from '../wire/server-frames.ts';
import { ignoreRejection } from './ignore-rejection.ts';

export interface CancelOptions {
  /** For people and for the model; at most 500 characters. */
  readonly reason?: string | undefined;
  /** Skip the grace: what can be killed is killed now. */
  readonly force?: boolean | undefined;
  /** Bridges only: the speaker who cancels. */
  readonly as?: string | undefined;
  /** The handling of a CANCEL without a connection: it fails at once (`reject`), or is sent as soon as there is one (`wait`, the default of a cancel). */
  readonly whileDisconnected?: 'reject' | 'wait' | undefined;
}

/** The reply to a CANCEL. `cancel_accepted` lists what will be stopped and what was refused. */
export type CancelReplyFrame = ServerFrameOf<
  'cancel_accepted' | 'cancel_refused' | 'already_settled' | 'unknown_target'
>;

/** Both promises reject with `CommandRefused`, `NotConnected`, `NotSupported`, `SessionEnded` or `ConnectionClosed`. Neither needs a handler. */
export interface CancelHandle {
  /** The ref of its last sending: another one if the first had been used for another command. */
  readonly ref: string;
  readonly accepted: Promise<CancelReplyFrame>;
  /** Resolves with the outcome of each node, or with null if the cancel stopped nothing. */
  readonly settled: Promise<ServerFrameOf<'cancel_settled'> | null>;
}

/**
 * What a frame means for a CANCEL. `unrelated`: the frame belongs to another one. `accepted`: it is the reply, but not durable yet or of an older receipt, so the CANCEL is sent again after
 * a lost connection. `replied`: it is the reply. `over`: it is the last frame.
 */
export type CancelProgress = 'unrelated' | 'accepted' | 'replied' | 'over';

export class CancelInFlight implements CancelHandle {
  #ref: string;
  readonly #accepted = Promise.withResolvers<CancelReplyFrame>();
  readonly #settled = Promise.withResolvers<ServerFrameOf<'cancel_settled'> | null>();
  /** The receipt's id: `cancel_settled` may come under another ref, if this CANCEL was a repeat. */
  #receipt: string | null = null;

  constructor(ref: string) {
    this.#ref = ref;
    ignoreRejection(this.#accepted.promise, this.#settled.promise);
  }

  get ref(): string {
    return this.#ref;
  }

  /** Sent again under this ref, because the first one had been used for another command: a stop is never lost by a ref. */
  renew(ref: string): void {
    this.#ref = ref;
  }

  get accepted(): Promise<CancelReplyFrame> {
    return this.#accepted.promise;
  }

  get settled(): Promise<ServerFrameOf<'cancel_settled'> | null> {
    return this.#settled.promise;
  }

  receive(frame: ServerFrame): CancelProgress {
    if (frame.type === 'cancel_settled') {
      const isReply =
        this.#receipt === null ? frame.ref === this.#ref && frame.repeated === true : frame.cancel === this.#receipt;
      if (!isReply) return 'unrelated';
      this.#settled.resolve(frame);
      return 'over';
    }
    if (!('ref' in frame) || frame.ref !== this.#ref) return 'unrelated';
    switch (frame.type) {
      case 'cancel_accepted':
        // the receipt of a stop phrase is the reply to no command (docs/protocol.md, SAY), unless a CANCEL repeats it
        if (frame.source === 'phrase' && frame.repeated !== true) return 'unrelated';
        this.#accepted.resolve(frame);
        this.#receipt = frame.cancel;
        return frame.seq === undefined ? 'accepted' : 'replied';
      case 'cancel_refused':
        if (frame.source === 'phrase') return 'unrelated'; // likewise of a stop phrase: its words are said instead
        this.#accepted.resolve(frame);
        this.#settled.resolve(null);
        return 'over';
      case 'already_settled':
      case 'unknown_target':
        this.#accepted.resolve(frame);
        this.#settled.resolve(null);
        return 'over';
      default:
        return 'unrelated';
    }
  }

  fail(error: Error): void {
    this.#accepted.reject(error);
    this.#settled.reject(error);
  }
}
