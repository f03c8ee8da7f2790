// The default addresses: of a gateway, where `serve` listens and `chat` connects, and of the inspector.
import { defaultPath } from '../wire/frame-limits.ts';

export const defaultHost = '127.0.0.1';
export const defaultPort = 7_077;
export const defaultUrl = `ws://${defaultHost}:${defaultPort}${defaultPath}`;

/** The port of `--stately`, to which receivers of `@xstate/inspect` connect by default. */
export const defaultStatelyPort = 8_080;

/** Returns the address of a gateway as it was typed, with what it leaves out: `ws://`, and the path where it has none. Of a link to its page the address alone is left. */
export function gatewayUrl(typed: string): string {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `ws://${typed}`;
  const address = withScheme.replace(/^http(s?):/i, 'ws$1:');
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || (url.pathname !== '/' && url.hash === '')) return address;
  if (url.pathname === '/') url.pathname = defaultPath;
  url.hash = '';
  return url.href;
}
