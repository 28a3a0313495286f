import { createHash } from 'node:crypto';
import type { AddressClaim } from '@quartermaster/api/address-claim';
import { StatusError } from '@quartermaster/kernel';

/** Which lease has a leased address that was moved between leases of one owner. */
export interface MovedAddress {
  readonly address: string;
  readonly owner: string;
  /** That has it, by the name of its order. */
  readonly lease: string;
  /** In the manifests of all of the leases. */
  readonly endpoint: string;
  /** Leases that gave it away. */
  readonly formerly: readonly string[];
}

/** As its AddressClaim was read. */
export interface StoredAddress extends MovedAddress {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Of the object, since addresses of IPv6 are no names. */
export const addressClaimName = (address: string): string => `a-${createHash('sha256').update(address).digest('hex').slice(0, 40)}`;

/** With the version that the write is decided upon; without one, it is made. */
export function addressClaim(
  { address, owner, lease, endpoint, formerly }: MovedAddress,
  on?: Pick<StoredAddress, 'uid' | 'resourceVersion'>,
): AddressClaim {
  const version = on === undefined ? {} : { uid: on.uid, resourceVersion: on.resourceVersion };
  return { metadata: { name: addressClaimName(address), ...version }, spec: { address, owner, lease, endpoint, formerly: [...formerly] } };
}

/** Throws where the object is not named by its address: there would be two claims of one. */
export function readAddressClaim({ metadata, spec }: AddressClaim): StoredAddress {
  const { name = '', uid = '', resourceVersion = '' } = metadata ?? {};
  const { address, owner, lease, endpoint, formerly = [] } = spec;
  if (name !== addressClaimName(address))
    throw new StatusError('failed_precondition', `AddressClaim ${name} is not named by its address ${address}: delete it`);
  return { uid, resourceVersion, address, owner, lease, endpoint, formerly };
}
