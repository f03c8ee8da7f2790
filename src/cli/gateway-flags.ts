// Finds the running gateway for a command of the one on call, as `belay chat` does.
import { addressWithKnownKey } from '../client/known-key.ts';
import { defaultUrl } from './default-address.ts';
import type { Flags } from './flags.ts';

export const gatewayFlags = { url: { type: 'string', default: defaultUrl }, token: { type: 'string' } } as const;

export const gatewayUsage = `  --url URL          of the gateway (${defaultUrl})
  --token TOKEN      who you are, where the gateway asks for it; or BELAY_TOKEN`;

/** Returns the token of the flags or the environment. */
export function tokenOf({ token }: Flags['values']): string | undefined {
  const given = token ?? process.env['BELAY_TOKEN'];
  return typeof given === 'string' && given !== '' ? given : undefined;
}

/** Returns the address of an HTTP route of the gateway, with its key if it has left one for this user. */
export function httpAddress({ url }: Flags['values'], path: string): string {
  const address = new URL(addressWithKnownKey(String(url)));
  address.protocol = address.protocol === 'wss:' ? 'https:' : 'http:';
  address.pathname = path;
  return address.href;
}
