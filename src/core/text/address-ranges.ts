// Ranges of IP addresses, as a configuration writes them: `10.0.0.0/8`, or one address.
import { BlockList, isIP } from 'node:net';

export type Subnet = readonly [address: string, prefix: number];

/** Returns the family of an IP address, as a BlockList names it. */
export const addressFamily = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** Returns a list that holds the subnets. An IPv4 address that is written as IPv6 (`::ffff:10.0.0.1`) is checked as IPv4. */
export function blockListOf(subnets: readonly Subnet[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of subnets) list.addSubnet(address, prefix, addressFamily(address));
  return list;
}

/** Parses an address or a range. Throws for any other text. */
export function parseSubnet(text: string): Subnet {
  const [address = '', prefix] = text.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  const length = prefix === undefined ? bits : Number(prefix);
  if (isIP(address) === 0 || !Number.isInteger(length) || length < 0 || length > bits) {
    throw new Error(`${text} is neither an IP address nor a range of them (10.0.0.0/8)`);
  }
  return [address, length];
}
