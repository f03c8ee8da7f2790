// The address that a request comes from, and the share of the gateway that this address counts for.
import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP, isIPv6 } from 'node:net';
import { addressFamily, blockListOf, parseSubnet } from '../core/text/address-ranges.ts';

/** The proxies whose `X-Forwarded-For` counts. Throws for a text that is neither an IP address nor a range of them. */
export class TrustedProxies {
  readonly #list: BlockList;

  constructor(addresses: readonly string[] = []) {
    this.#list = blockListOf(addresses.map(parseSubnet));
  }

  includes(address: string): boolean {
    return isIP(address) !== 0 && this.#list.check(address, addressFamily(address));
  }
}

/**
 * Returns the address of the client that has sent a request; empty if its socket is gone. Each proxy adds to `X-Forwarded-For` the address
 * that it was called from, so the list is read from its end, as long as a proxy that is trusted has written it: whatever stands
 * before that may be the client's own invention.
 */
export function clientAddressOf(request: IncomingMessage, proxies: TrustedProxies): string {
  const forwarded = [request.headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  let address = request.socket.remoteAddress ?? '';
  while (proxies.includes(address)) {
    const next = withoutPort(forwarded.pop()?.trim() ?? '');
    if (isIP(next) === 0) break;
    address = next;
  }
  return address;
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (text: string): string =>
  /^\[(.+)\](:\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');

const mappedPrefix = '::ffff:';

/** Returns the name of an address's share. The addresses of an IPv6 network (/64) share one: a single person can have all of them. */
export function addressShareOf(address: string): string {
  if (address.startsWith(mappedPrefix)) return address.slice(mappedPrefix.length);
  return isIPv6(address) ? ipv6NetworkOf(address) : address;
}

/** Returns the first four groups of an IPv6 address. */
function ipv6NetworkOf(address: string): string {
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const groupsOf = (part: string | undefined) => (part ? part.split(':') : []);
  const [first, last] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - first.length - last.length }, () => '0');
  const groups = [...first, ...zeros, ...last].map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.slice(0, 4).join(':')}::/64`;
}
