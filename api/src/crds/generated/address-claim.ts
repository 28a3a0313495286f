// Made from api/crds/address-claim.yaml by `npm run generate`. Do not edit.
import type { ObjectMeta, ResourceType } from '@quartermaster/kernel';

/**
 * Which lease has a leased address that was moved between leases of one owner. The object is named by a hash of the address, so that there is one for each. An address
 * without a claim belongs to whichever lease the pool gave it to.
 */
export interface AddressClaim {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
  readonly spec: AddressClaimSpec;
}

export interface AddressClaimSpec {
  readonly address: string;
  /** The account of all leases that have or had it. */
  readonly owner: string;
  /** The lease that has it, by the name of its order. */
  readonly lease: string;
  /** The endpoint under which it is reached, in all of the leases. */
  readonly endpoint: string;
  /** Leases that gave it away, by the names of their orders: they have no address for the endpoint while others have this one. */
  readonly formerly?: readonly string[] | undefined;
}

export const addressClaimType: ResourceType<AddressClaim> = {
  group: 'quartermaster.dev',
  version: 'v1alpha1',
  kind: 'AddressClaim',
  plural: 'addressclaims',
  namespaced: false,
};
