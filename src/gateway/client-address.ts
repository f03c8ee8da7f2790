// The address that a request comes from, and the share of the gateway that this address counts for.
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

/** Returns the address of the client that has sent a request; empty if its socket is gone. */
export function clientAddressOf(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? '';
}

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
