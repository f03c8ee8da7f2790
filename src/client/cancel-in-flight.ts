// A CANCEL in flight: promises of its reply, and of what became of each node.
import type { ServerFrame, ServerFrameOf } from '../protocol/server-frames.ts';
import { ignoreRejection } from './ignore-rejection.ts';

export interface CancelOptions {
  /** For people and for the model; at most 500 characters. */
  readonly reason?: string | undefined;
  /** Skip the grace: what can be killed is killed now. */
  readonly force?: boolean | undefined;
  /** Bridges only: whose wish it is. */
  readonly as?: string | undefined;
  /** Without a connection: fail at once (`reject`), or send it as soon as there is one (`wait`, the default of a cancel). */
  readonly whileDisconnected?: 'reject' | 'wait' | undefined;
}

/** The reply to a CANCEL. `cancel_accepted` lists what will be stopped and what was refused. */
export type CancelAnswer = ServerFrameOf<'cancel_accepted' | 'cancel_refused' | 'already_settled' | 'unknown_target'>;

/** Both promises reject with `CommandRefused`, `NotConnected`, `SessionEnded` or `ConnectionClosed`; neither needs to be waited for. */
export interface CancelHandle {
  readonly ref: string;
  readonly accepted: Promise<CancelAnswer>;
  /** What became of each node. Null if the cancel stopped nothing. */
  readonly settled: Promise<ServerFrameOf<'cancel_settled'> | null>;
}

/**
 * How far a frame brings a CANCEL. `unrelated`: it is about another one. `accepted`: the reply, which is not durable yet or whose end may be over, so that the CANCEL is sent again after a
 * lost connection. `answered`: the reply. `over`: nothing follows.
 */
export type CancelProgress = 'unrelated' | 'accepted' | 'answered' | 'over';

export class CancelInFlight implements CancelHandle {
  readonly ref: string;
  readonly #accepted = Promise.withResolvers<CancelAnswer>();
  readonly #settled = Promise.withResolvers<ServerFrameOf<'cancel_settled'> | null>();
  /** The receipt's id: `cancel_settled` may come under another ref, if this CANCEL was a repeat. */
  #receipt: string | null = null;

  constructor(ref: string) {
    this.ref = ref;
    ignoreRejection(this.#accepted.promise, this.#settled.promise);
  }

  get accepted(): Promise<CancelAnswer> {
    return this.#accepted.promise;
  }

  get settled(): Promise<ServerFrameOf<'cancel_settled'> | null> {
    return this.#settled.promise;
  }

  receive(frame: ServerFrame): CancelProgress {
    if (frame.type === 'cancel_settled') {
      if (frame.ref !== this.ref && frame.cancel !== this.#receipt) return 'unrelated';
      this.#settled.resolve(frame);
      return 'over';
    }
    if (!('ref' in frame) || frame.ref !== this.ref) return 'unrelated';
    switch (frame.type) {
      case 'cancel_accepted':
        this.#accepted.resolve(frame);
        this.#receipt = frame.cancel;
        return frame.seq === undefined ? 'accepted' : 'answered';
      case 'cancel_refused':
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
