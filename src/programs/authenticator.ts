// Creates the authenticator that the settings ask for: a token file, signed tokens, or, without either, one local speaker with the key of this start.

import type { Clock } from '../core/sources/sources.ts';
import type { Authenticator } from '../gateway/auth/authenticator.ts';
import type { JwtKey } from '../gateway/auth/jwt-key.ts';
import { createLocalAuthenticator } from '../gateway/auth/local.ts';
import type { Config } from './settings.ts';

/**
 * Creates the authenticator of a gateway. Rejects if a file cannot be used.
 * @param key The key of this start, which counts without tokens; null: none is needed.
 */
export async function createAuthenticator(
  { tokens }: Config,
  key: string | null,
  clock: Clock,
): Promise<Authenticator> {
  const { file, jwtSecret, jwtKeyFile } = tokens;
  const isSigned = jwtSecret !== undefined || jwtKeyFile !== undefined;
  if (file !== undefined) {
    const { readTokenFile } = await import('../gateway/auth/token-file.ts');
    return readTokenFile(file);
  }
  return isSigned ? jwtAuthenticatorFor(tokens, clock) : createLocalAuthenticator(undefined, key ?? undefined);
}

async function jwtAuthenticatorFor(tokens: Config['tokens'], clock: Clock): Promise<Authenticator> {
  const { jwtSecret, jwtKeyFile = '', jwtIssuer, jwtAudience } = tokens;
  const { createJwtAuthenticator } = await import('../gateway/auth/jwt.ts');
  const { readJwtKeyFile } = await import('../gateway/auth/jwt-key.ts');
  const key: JwtKey = jwtSecret === undefined ? readJwtKeyFile(jwtKeyFile) : { kind: 'secret', secret: jwtSecret };
  return createJwtAuthenticator({
    key,
    clock,
    issuer: jwtIssuer,
    audience: jwtAudience,
  });
}
