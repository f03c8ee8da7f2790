// How things fail at a client: the server did not take a command, the session has ended, or the connection has.
import { closeNameOf } from '../protocol/close-codes.ts';

/** A command was answered by `error` or `say_refused`. Nothing has happened because of it. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
  /** A name from docs/errors.md. */
  readonly code: string;
  readonly field: string | null;
  readonly limit: number | null;

  constructor(why: { code: string; message: string; field?: string; limit?: number }) {
    super(why.message);
    this.code = why.code;
    this.field = why.field ?? null;
    this.limit = why.limit ?? null;
  }
}

/** The connection has ended. What was not answered may or may not have happened. */
export class ConnectionClosed extends Error {
  override readonly name = 'ConnectionClosed';
  /** The code of the close frame; 1006 when there was none. */
  readonly code: number;
  /** A name from docs/errors.md, or null for an end that Belay does not name. */
  readonly reason: string | null;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
    this.reason = closeNameOf(code);
  }
}

/** The session does not talk to this client any more. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded';
  /** A name from docs/errors.md, or `left` when the client itself has left. */
  readonly reason: string;

  constructor(reason: string) {
    super(`The session has ended: ${reason}.`);
    this.reason = reason;
  }
}
