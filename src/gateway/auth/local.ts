// An authenticator without tokens: one fixed speaker for everybody on this machine.
import type { Role } from '../../../machines/vocabulary.ts';
import type { Authenticator } from './authenticator.ts';

export interface LocalSpeaker {
  readonly id: string;
  readonly roles: readonly Role[];
}

/** Creates an authenticator that accepts every connection as one speaker. Default: the member `local`. */
export function createLocalAuthenticator(speaker: LocalSpeaker = { id: 'local', roles: ['member'] }): Authenticator {
  return { kind: 'local', verify: async () => ({ speaker, expiresAt: null }) };
}
