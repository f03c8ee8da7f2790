// Replies with `error` frames. Each costs a token of the connection's error budget, and the last one closes the connection.
import { dropUndefined } from '../core/collections/fields.ts';
import type { Clock } from '../core/sources/sources.ts';
import { type Rate, TokenBucket } from '../core/sources/token-bucket.ts';
import { encodeFrame } from '../wire/codec.ts';
import type { FrameProblem } from '../wire/errors.ts';
import type { ConnectionActor } from './connection-actor.ts';
import type { Outbox } from './outbox.ts';

/** The frame that an error is about, as far as it could be read. */
export interface ErrorSubject {
  readonly ref?: string | undefined;
  readonly session?: string | undefined;
}

/** Receives the errors of a joined session's commands. */
export interface ErrorSink {
  sendError(problem: FrameProblem, about: ErrorSubject): void;
}

/** Codes of a client that sends too much. */
const rateCodes: readonly string[] = ['rate_limited', 'too_many_bytes'];

const isOfHost = ({ code }: FrameProblem) => code === 'unavailable' || code === 'held_elsewhere';

export class ErrorReplies implements ErrorSink {
  readonly #outbox: Outbox;
  readonly #actor: ConnectionActor;
  readonly #clock: Clock;
  readonly #rate: Rate;
  #budget: TokenBucket | null = null; // few connections ever need it

  constructor(outbox: Outbox, actor: ConnectionActor, clock: Clock, rate: Rate) {
    this.#outbox = outbox;
    this.#actor = actor;
    this.#clock = clock;
    this.#rate = rate;
  }

  /** Sends the error, or closes the connection when its budget is used up. What is not the client's doing costs nothing. */
  sendError(problem: FrameProblem, { ref, session }: ErrorSubject = {}): void {
    this.#budget ??= new TokenBucket(this.#clock, this.#rate);
    if (!isOfHost(problem) && !this.#budget.spend()) {
      const because = rateCodes.includes(problem.code) ? 'flood' : 'too_many_errors';
      return this.#actor.send({ type: 'CLOSE', because });
    }
    this.#outbox.frame(encodeFrame({ type: 'error', ...dropUndefined({ ref, session }), ...problem }));
  }
}
