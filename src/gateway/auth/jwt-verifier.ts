// Verifies signed tokens with jose. Loaded when the first token is verified: most gateways have none.
import { createPublicKey } from 'node:crypto';
import { createLocalJWKSet, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { JwtKey } from './jwt-key.ts';

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

/** Resolves with the claims of a token; null when it proves nothing. */
export type JwtVerifier = (token: string, options: JWTVerifyOptions) => Promise<JWTPayload | null>;

/** Returns a verifier by the key. The algorithms follow from the key. */
export function createJwtVerifier(key: JwtKey): JwtVerifier {
  const verify = verifyWith(key);
  return async (token, options) => {
    try {
      return (await verify(token, options)).payload;
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
      throw error;
    }
  };
}

function verifyWith(key: JwtKey) {
  switch (key.kind) {
    case 'secret': {
      const secret = new TextEncoder().encode(key.secret);
      return (token: string, options: JWTVerifyOptions) =>
        jwtVerify(token, secret, { ...options, algorithms: ['HS256'] });
    }
    case 'public_key': {
      const publicKey = createPublicKey(key.pem);
      return (token: string, options: JWTVerifyOptions) =>
        jwtVerify(token, publicKey, { ...options, algorithms: signatures });
    }
    case 'key_set': {
      const keys = createLocalJWKSet(key.keys);
      return (token: string, options: JWTVerifyOptions) =>
        jwtVerify(token, keys, { ...options, algorithms: signatures });
    }
  }
}
