// Checks the address of an endpoint before anything is sent there.

/**
 * Returns what is wrong with the address above an API, as words after its name; null: nothing. They do not repeat the address, which may
 * contain a secret.
 */
export function baseUrlProblem(address: string): string | null {
  if (!URL.canParse(address)) return 'must be a URL';
  const { protocol, username, password } = new URL(address);
  if (protocol !== 'http:' && protocol !== 'https:') return 'must start with http:// or https://';
  if (username !== '' || password !== '') return 'must not contain credentials: give the key as apiKey';
  return null;
}
