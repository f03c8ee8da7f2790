// Takes keys and the secrets of headers out of a message: endpoints repeat them in their errors.

const minSecretChars = 8;
/** The scheme before the secret of a header, for example `Bearer`. An endpoint may repeat the secret without it. */
const scheme = /^(Bearer|Basic|Token|Key|ApiKey)\s+/i;

/** Returns the text with `…` in the place of each secret. A short one is no secret, and would blank out words. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  const all = secrets.flatMap((secret) => [secret, secret.replace(scheme, '')]);
  return all
    .filter(({ length }) => length >= minSecretChars)
    .reduce((masked, one) => masked.replaceAll(one, '…'), text);
}
