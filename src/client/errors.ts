// Errors of a client: a command was refused or not sent, the session or the connection has ended, a turn did not complete.
import { type CloseName, closeNameOf } from '../wire/close-codes.ts';
import type { WireFeature } from '../wire/frame-limits.ts';
import type { ServerFrameOf } from '../wire/server-frames.ts';
import type { RequiredFeature } from './required-feature.ts';

/** The reply to a command was `error`, `say_refused` or `answer_refused`. The command had no effect. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
  /** A name from docs/errors.md. */
  readonly code: string;
  readonly field: string | null;
  readonly limit: number | null;

  constructor(why: { code: string; message: string; field?: string | undefined; limit?: number | undefined }) {
    super(why.message);
    this.code = why.code;
    this.field = why.field ?? null;
    this.limit = why.limit ?? null;
  }
}

/** The words of a SAY were a stop phrase, and were taken as a CANCEL: they opened no turn. */
export class TakenAsCancel extends Error {
  override readonly name = 'TakenAsCancel';
  /** The id of the receipt, as in `cancel_accepted` and `cancel_settled`. */
  readonly cancel: string;

  constructor(cancel: string) {
    super(`The words were a stop phrase, and were taken as a cancel. The receipt is ${cancel}.`);
    this.cancel = cancel;
  }
}

/** The command was not sent: there is no connection, and the command does not wait for one. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';

  constructor() {
    super(
      'There is no connection at the moment, and nothing was sent. To wait for one, set whileDisconnected to "wait".',
    );
  }
}

/** The command was not sent: the gateway is an older one, whose `welcome` does not list the feature that the command needs. */
export class NotSupported extends Error {
  override readonly name = 'NotSupported';
  /** The name that `features` lacks. */
  readonly feature: WireFeature;

  constructor({ feature, advice }: RequiredFeature) {
    super(`The gateway does not have the feature ${feature}, and nothing was sent. ${advice}`);
    this.feature = feature;
  }
}

/** The connection has closed for good. Commands without a reply may or may not have been carried out. */
export class ConnectionClosed extends Error {
  override readonly name = 'ConnectionClosed';
  /** The code of the close frame; 1006 when there was none. */
  readonly code: number;
  /** The name of the close code in docs/errors.md; null: the code is none of Belay's. */
  readonly reason: CloseName | null;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
    this.reason = closeNameOf(code);
  }
}

/** The session was left, or has ended. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded';
  /** A name from docs/errors.md; `left`: the client itself has left; `other_log`: the gateway has another transcript for this session now. */
  readonly reason: string;

  constructor(reason: string) {
    super(`The session has ended: ${reason}.`);
    this.reason = reason;
  }
}

/** The turn did not complete, so it has no reply. */
export class TurnNotCompleted extends Error {
  override readonly name = 'TurnNotCompleted';
  readonly outcome: ServerFrameOf<'turn_ended'>['outcome'];
  readonly ended: ServerFrameOf<'turn_ended'>;

  constructor(ended: ServerFrameOf<'turn_ended'>) {
    super(`The turn has not completed: ${ended.outcome}${ended.message === undefined ? '' : ` (${ended.message})`}.`);
    this.outcome = ended.outcome;
    this.ended = ended;
  }
}

const temporaryCodes: readonly string[] = [
  'unavailable',
  'held_elsewhere',
  'rate_limited',
  'too_many_bytes',
  'too_many_opens',
  'too_many_unanswered',
];

/** Whether a refusal of a JOIN with this code may pass, so that the client tries again: docs/errors.md. */
export const isTemporaryRefusal = (code: string): boolean => temporaryCodes.includes(code);
