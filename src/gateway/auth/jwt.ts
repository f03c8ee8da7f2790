// Signed tokens: the subject is the speaker, the claim `roles` holds the roles. Checked by a shared secret, a public key or a key set.
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { type Role, roles } from '../../../machines/vocabulary.ts';
import { maxSpeakerChars } from '../../protocol/frame-limits.ts';
import type { Clock } from '../../sources/sources.ts';
import type { Authenticator } from './authenticator.ts';

/** The algorithms follow from the key: a token cannot choose to be checked in another way. */
export type JwtKey =
  /** HS256; at least 32 bytes. */
  | { readonly kind: 'secret'; readonly secret: string }
  /** A public key, PEM. */
  | { readonly kind: 'public_key'; readonly pem: string }
  /** A JSON Web Key Set of public keys. */
  | { readonly kind: 'key_set'; readonly keys: JSONWebKeySet };

export interface JwtOptions {
  readonly key: JwtKey;
  readonly clock: Clock;
  /** What `iss` and `aud` must be; not looked at where left out. */
  readonly issuer?: string;
  readonly audience?: string;
}

const minSecretBytes = 32;
const toleranceS = 5; // clocks of two machines differ a little
const signatures = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Throws when the key is not good. */
export function createJwtAuthenticator({ key, clock, issuer, audience }: JwtOptions): Authenticator {
  const check = checkWith(key);
  return {
    kind: 'tokens',
    async verify(token) {
      if (token === null) return null;
      try {
        const { payload } = await check(token, {
          currentDate: new Date(clock.now()),
          clockTolerance: toleranceS,
          ...(issuer !== undefined && { issuer }),
          ...(audience !== undefined && { audience }),
        });
        const { sub, exp } = payload;
        if (sub === undefined || sub === '' || sub.length > maxSpeakerChars) return null;
        return {
          speaker: { id: sub, roles: rolesOf(payload) },
          expiresAt: exp === undefined ? null : (exp + toleranceS) * 1_000,
        };
      } catch (error) {
        if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
        throw error;
      }
    },
  };
}

function checkWith(key: JwtKey) {
  type Options = Parameters<typeof jwtVerify>[2];
  switch (key.kind) {
    case 'secret': {
      const secret = new TextEncoder().encode(key.secret);
      if (secret.length < minSecretBytes) {
        throw new Error(
          `The secret for signed tokens has ${secret.length} bytes; it must have at least ${minSecretBytes}.`,
        );
      }
      return (token: string, options: Options) => jwtVerify(token, secret, { ...options, algorithms: ['HS256'] });
    }
    case 'public_key': {
      const publicKey = createPublicKey(key.pem);
      return (token: string, options: Options) => jwtVerify(token, publicKey, { ...options, algorithms: signatures });
    }
    case 'key_set': {
      const keys = createLocalJWKSet(key.keys);
      return (token: string, options: Options) => jwtVerify(token, keys, { ...options, algorithms: signatures });
    }
  }
}

/** Roles that Belay does not have are another system's. */
function rolesOf(payload: JWTPayload): readonly Role[] {
  const claimed: unknown = payload['roles'];
  const has = Array.isArray(claimed) ? roles.filter((role) => claimed.includes(role)) : [];
  return has.length > 0 ? has : ['member'];
}

/** A file with a public key (PEM) or a key set (JSON). Throws, naming the file. */
export function readJwtKeyFile(path: string): JwtKey {
  try {
    const text = readFileSync(path, 'utf8');
    if (text.includes('-----BEGIN')) {
      createPublicKey(text);
      return { kind: 'public_key', pem: text };
    }
    return { kind: 'key_set', keys: JSON.parse(text) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`The key file ${path} holds neither a public key (PEM) nor a JSON Web Key Set: ${why}`, {
      cause: error,
    });
  }
}
