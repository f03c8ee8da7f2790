// Looks up host names and lets connections through to addresses that the policy allows.
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { ToolRefusal } from '../../core/tools/refusal.ts';
import type { AddressPolicy } from './address-policy.ts';

/** Looks up all addresses of a host name. */
export type Resolve = (
  hostname: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

/** Looks a name up as the host's system does. */
export const systemResolve: Resolve = (hostname, callback) =>
  systemLookup(hostname, { all: true }, (error, addresses) => callback(error, error ? [] : addresses));

/** What checks the address of a connection. */
export interface AddressCheck {
  readonly addresses: AddressPolicy;
  readonly resolve: Resolve;
}

/** Returns the refusal of a host for one of its addresses. */
export const addressRefused = (host: string, address: string): ToolRefusal =>
  new ToolRefusal('address_refused', `${host} is at ${address}: an address that the configuration does not allow.`);

/**
 * Returns a lookup for `connect` and `request`. The connection goes to the very addresses that were checked: no second lookup could
 * give others. One address that the policy does not allow refuses the whole name.
 */
export function checkedLookup({ addresses: policy, resolve }: AddressCheck): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, (error, found) => {
      const [first] = found;
      const notAllowed = found.find(({ address }) => !policy.allows(address));
      if (error || !first) callback(error ?? new Error(`${hostname} has no address`), '');
      else if (notAllowed) callback(addressRefused(hostname, notAllowed.address), '');
      else if (options.all) callback(null, [...found]);
      else callback(null, first.address, first.family);
    });
  };
}
