// Ids of the sessions that this page opens.
import { randomRef } from '../../client/command-ref.ts';

const nameChars = 10;

/** Returns the id of a new session: a random one, so that nobody's session is met by chance. */
export const newSessionId = (): string => `chat-${randomRef().slice(0, nameChars)}`;
