// The flags by which the commands of an operator, such as `belay stop`, find the running gateway.
import { ConfigError } from './config-error.ts';
import { defaultUrl, gatewayUrl } from './default-address.ts';
import type { Flags } from './flags.ts';

export const gatewayFlags = { url: { type: 'string' }, token: { type: 'string' } } as const;

export const gatewayUsage = `  --url URL          of the gateway (${defaultUrl}); 127.0.0.1:7077 does as well
  --token TOKEN      who you are, where the gateway asks for it; or BELAY_TOKEN`;

/** Returns the token of the flags or the environment. */
export function readToken({ token }: Flags['values']): string | undefined {
  const given = token ?? process.env['BELAY_TOKEN'];
  return typeof given === 'string' && given !== '' ? given : undefined;
}

/** Returns the address of the gateway. Throws `ConfigError` if `--url` is no address. */
export function readUrl({ url }: Flags['values']): string {
  const named = typeof url === 'string' ? url : defaultUrl;
  const address = gatewayUrl(named);
  if (/^wss?:$/.test(URL.parse(address)?.protocol ?? '')) return address;
  throw new ConfigError(`--url must be an address like ${defaultUrl}, and is ${named}.`);
}

/** Whether the flags name a gateway, and no store: the store of this folder need not be that of the gateway. */
export const namesGatewayOnly = ({ url, store }: Flags['values']): boolean => url !== undefined && store === undefined;
