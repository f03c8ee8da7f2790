// The codes of close frames, by the names that are their reasons, each with a message. docs/errors.md explains them.
import { namesOf } from '../core/collections/fields.ts';

export const closeCodes = {
  too_many_errors: {
    code: 4400,
    message: 'Too many invalid frames from this client. Fix the client before it connects again.',
  },
  unauthorized: { code: 4401, message: 'The token is missing or not valid. Connect again with a valid one.' },
  token_expired: { code: 4402, message: 'The token has expired. Connect again with a new one.' },
  hello_timeout: { code: 4408, message: 'No HELLO was accepted in time. Send it as the first frame.' },
  heartbeat_lost: { code: 4409, message: 'The client did not answer a ping in time. Connect again.' },
  slow_reader: { code: 4414, message: 'Too much data waits for the client. Connect again when it can read.' },
  flood: {
    code: 4429,
    message: 'Too many frames a second, or wrong tokens from this address. Connect again, and send more slowly.',
  },
  too_many_connections: {
    code: 4430,
    message: 'Too many connections of this speaker, or of all speakers together. Close one first.',
  },
  too_many_unproven: {
    code: 4431,
    message: 'Too many connections without HELLO, and this was the oldest. Connect again, and send HELLO at once.',
  },
  shutdown: {
    code: 4450,
    message: 'The gateway is shutting down; every running turn was stopped. Connect again later.',
  },
  store_failed: { code: 4451, message: 'The store cannot be written. Connect again later.' },
  fenced: { code: 4452, message: 'This host does not hold the session any more. Connect again.' },
  session_failed: {
    code: 4453,
    message: 'The session failed: a bug in Belay. Connect again, and report it with the log.',
  },
  gateway_failed: {
    code: 4499,
    message: 'The connection failed: a bug in Belay. Connect again, and report it with the log.',
  },
} as const;
export type CloseName = keyof typeof closeCodes;

/** Returns the name of a close frame's code; null for a code that is not Belay's. */
export function closeNameOf(code: number): CloseName | null {
  return namesOf(closeCodes).find((name) => closeCodes[name].code === code) ?? null;
}

/** A client closes with this code when it is done: it leaves all its sessions. */
export const normalClosure = 1000;
