// Signed tokens: the subject is the speaker, the claims `roles` and `sessions` hold its roles and its sessions. Verified by a shared secret, a public key or a key set.

import { type Role, roles } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../../core/collections/fields.ts';
import { loadOnce } from '../../core/collections/load-once.ts';
import { assertClock } from '../../core/sources/assert-clock.ts';
import type { Clock } from '../../core/sources/sources.ts';
import { assertOptions, type OptionKind } from '../../core/text/option-names.ts';
import type { Authenticator, Proof } from './authenticator.ts';
import { assertJwtKey, type JwtKey } from './jwt-key.ts';
import { sessionsOfClaim } from './session-patterns.ts';
import { VerifiedTokens } from './verified-tokens.ts';

export interface JwtOptions {
  readonly key: JwtKey;
  readonly clock: Clock;
  /** The values that `iss` and `aud` must have; not checked if left out. */
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
}

const toleranceS = 5; // the clocks of two machines differ a little

const optionKinds: Readonly<Record<keyof JwtOptions, OptionKind>> = {
  key: 'object',
  clock: 'object',
  issuer: 'text',
  audience: 'text',
};

/** Creates an authenticator of signed tokens. Throws when an option is wrong, and when no token can be verified with the key. */
export function createJwtAuthenticator(options: JwtOptions): Authenticator {
  assertOptions('createJwtAuthenticator', options, optionKinds);
  const { key, clock, issuer, audience } = options;
  assertClock('The option clock of createJwtAuthenticator', clock);
  assertJwtKey(key);
  const loadVerifier = loadOnce(async () => (await import('./jwt-verifier.ts')).createJwtVerifier(key));
  const verified = new VerifiedTokens(clock);
  return {
    kind: 'tokens',
    lookUp: (token) => verified.find(token),
    async verify(token) {
      if (token === null) return null;
      const verify = await loadVerifier();
      const claims = await verify(token, {
        currentDate: new Date(clock.now()),
        clockTolerance: toleranceS,
        ...dropUndefined({ issuer, audience }),
      });
      const { sub, exp, roles: claimed, sessions } = claims ?? {};
      if (typeof sub !== 'string') return null; // a claim may be anything; the gateway checks the name
      const proof: Proof = {
        speaker: { id: sub, roles: rolesOf(claimed) },
        sessions: sessionsOfClaim(sessions),
        expiresAt: exp === undefined ? null : (exp + toleranceS) * 1_000,
      };
      verified.add(token, proof);
      return proof;
    },
  };
}

/** Roles that Belay does not have belong to another system. */
function rolesOf(claimed: unknown): readonly Role[] {
  const known = Array.isArray(claimed) ? roles.filter((role) => claimed.includes(role)) : [];
  return known.length > 0 ? known : ['member'];
}
