// Policy for the network addresses that a tool may connect to: the public internet, and what the configuration allows.
import { BlockList, isIP } from 'node:net';

export interface AddressPolicy {
  /** Is this IP address, as text, allowed? False for any other text. */
  allows(address: string): boolean;
}

type Subnet = readonly [address: string, prefix: number];

/** IANA's special-purpose ranges that are not the public internet, multicast and reserved. */
const notPublic4: readonly Subnet[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
/** Only 2000::/3 is the public internet, without Teredo and its neighbors, documentation, and 6to4 (which hides an IPv4 address). */
const public6: Subnet = ['2000::', 3];
const notPublic6: readonly Subnet[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];
/** An IPv4 address written as IPv6: the BlockList itself checks it as IPv4. */
const mapped: Subnet = ['::ffff:0:0', 96];

function blockList(subnets: readonly Subnet[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of subnets) list.addSubnet(address, prefix, familyOf(address));
  return list;
}

const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

function parseSubnet(text: string): Subnet {
  const [address = '', prefix] = text.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  const length = prefix === undefined ? bits : Number(prefix);
  if (isIP(address) === 0 || !Number.isInteger(length) || length < 0 || length > bits) {
    throw new Error(`${text} is neither an IP address nor a range of them (10.0.0.0/8)`);
  }
  return [address, length];
}

/** Creates a policy. `allowed`: addresses and ranges that are allowed although they are not public. Throws for any other text. */
export function createAddressPolicy(allowed: readonly string[] = []): AddressPolicy {
  const allowedList = blockList(allowed.map(parseSubnet));
  const refused4 = blockList(notPublic4);
  const refused6 = blockList(notPublic6);
  const any6 = blockList([public6]);
  const mapped4 = blockList([mapped]);
  const isPublic6 = (address: string) =>
    mapped4.check(address, 'ipv6')
      ? !refused4.check(address, 'ipv6')
      : any6.check(address, 'ipv6') && !refused6.check(address, 'ipv6');
  return {
    allows(address) {
      if (isIP(address) === 0 || address.includes('%')) return false;
      const family = familyOf(address);
      if (allowedList.check(address, family)) return true;
      return family === 'ipv4' ? !refused4.check(address, 'ipv4') : isPublic6(address);
    },
  };
}
