// Policy for the network addresses that a tool may connect to: the public internet, and what the configuration allows.
import { isIP } from 'node:net';
import { addressFamily, blockListOf, parseSubnet, type Subnet } from '../../core/text/address-ranges.ts';

export interface AddressPolicy {
  /** Is this IP address, as text, allowed? False for any other text. */
  allows(address: string): boolean;
}

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
/** The public internet is 2000::/3 alone, without Teredo and its neighbors, documentation, and 6to4 (which hides an IPv4 address). */
const public6: Subnet = ['2000::', 3];
const notPublic6: readonly Subnet[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];
/** An IPv4 address written as IPv6: the BlockList itself checks it as IPv4. */
const mapped: Subnet = ['::ffff:0:0', 96];

/** Creates a policy. `allowed`: addresses and ranges that are allowed although they are not public. Throws for any other text. */
export function createAddressPolicy(allowed: readonly string[] = []): AddressPolicy {
  const allowedList = blockListOf(allowed.map(parseSubnet));
  const refused4 = blockListOf(notPublic4);
  const refused6 = blockListOf(notPublic6);
  const any6 = blockListOf([public6]);
  const mapped4 = blockListOf([mapped]);
  const isPublic6 = (address: string) =>
    mapped4.check(address, 'ipv6')
      ? !refused4.check(address, 'ipv6')
      : any6.check(address, 'ipv6') && !refused6.check(address, 'ipv6');
  return {
    allows(address) {
      if (isIP(address) === 0 || address.includes('%')) return false;
      const family = addressFamily(address);
      if (allowedList.check(address, family)) return true;
      return family === 'ipv4' ? !refused4.check(address, 'ipv4') : isPublic6(address);
    },
  };
}
