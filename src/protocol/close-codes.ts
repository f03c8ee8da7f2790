// Why a gateway closes a connection: the codes of the close frames, by the names that are their reasons.

export const closeCodes = {
  too_many_errors: { code: 4400, message: 'The client went on sending frames that are not good.' },
  unauthorized: { code: 4401, message: 'There was no token, or it is not a good one.' },
  token_expired: { code: 4402, message: 'The token was good until now.' },
  hello_timeout: { code: 4408, message: 'No HELLO was accepted in time.' },
  heartbeat_lost: { code: 4409, message: 'The client gave no sign of life after a ping.' },
  slow_reader: { code: 4414, message: 'More waits for the client than may.' },
  flood: { code: 4429, message: 'The client went on past the rate.' },
  too_many_connections: { code: 4430, message: 'The speaker has as many connections as it may.' },
  shutdown: { code: 4450, message: 'The gateway shuts down; what was open has been stopped.' },
  store_failed: { code: 4451, message: 'The store cannot be written, so nothing more is claimed.' },
  fenced: { code: 4452, message: 'Another host holds the session.' },
  session_failed: { code: 4453, message: 'The session broke: a bug in Belay.' },
  gateway_failed: { code: 4499, message: 'The connection broke: a bug in Belay.' },
} as const;
export type CloseName = keyof typeof closeCodes;

/** The name behind a close frame's code; null for a code that is not Belay's. */
export function closeNameOf(code: number): CloseName | null {
  const found = Object.entries(closeCodes).find(([, close]) => close.code === code);
  return found ? (found[0] as CloseName) : null;
}

/** A client that is done closes with this one: it leaves all its sessions. */
export const normalClosure = 1000;
