// Names of new sessions: random, so that nobody's session is met by chance.
import { randomRef } from '../../client/command-ref.ts';

const nameChars = 10;

/** Returns the id of a session that nobody has. */
export const newSessionId = (): string => `chat-${randomRef().slice(0, nameChars)}`;
