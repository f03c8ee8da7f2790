// An authenticator without tokens: one fixed speaker for everybody on this machine who has the key.
import type { Role } from '../../../machines/vocabulary.ts';
import { speakerNameProblem } from '../../core/text/printable.ts';
import type { Authenticator } from './authenticator.ts';

export interface LocalSpeaker {
  readonly id: string;
  readonly roles: readonly Role[];
}

/**
 * Creates an authenticator that accepts every connection as one speaker. Default: the member `local`.
 * Throws a `RangeError` if the name of the speaker is not good.
 *
 * @param key What every upgrade has to show. Without it each process of this machine may connect, and whoever a proxy on this machine lets through.
 */
export function createLocalAuthenticator(
  speaker: LocalSpeaker = { id: 'local', roles: ['member'] },
  key?: string | undefined,
): Authenticator {
  const problem = speakerNameProblem(speaker.id);
  if (problem !== null) throw new RangeError(`The id of the speaker of createLocalAuthenticator ${problem}.`);
  return { kind: 'local', key, verify: async () => ({ speaker, expiresAt: null }) };
}
