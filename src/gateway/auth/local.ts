// One fixed speaker for everybody on this machine: a gateway without tokens.
import type { Role } from '../../../machines/vocabulary.ts';
import type { Authenticator } from './authenticator.ts';

export interface LocalSpeaker {
  readonly id: string;
  readonly roles: readonly Role[];
}

export function createLocalAuthenticator(speaker: LocalSpeaker = { id: 'local', roles: ['member'] }): Authenticator {
  return { kind: 'local', verify: async () => ({ speaker, expiresAt: null }) };
}
