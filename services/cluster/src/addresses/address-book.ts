import { type AddressClaim, addressClaimType } from '@quartermaster/api/address-claim';
import type { Source } from '@quartermaster/controller';
import type { Clock } from '@quartermaster/kernel';
import type { Cache, CacheOpener } from '@quartermaster/kube';
import { sourceIfKnown } from '../known-leases/source-if-known.ts';
import { WrittenCache } from '../known-leases/written-cache.ts';
import { addressClaimName, type MovedAddress, readAddressClaim, type StoredAddress } from './moved-address.ts';

/** Which lease has which address that was moved: on every replica as the API server has it, on the leader with what it has just written. */
export class AddressBook {
  /** Names of leases that have such an address, or gave it away. */
  readonly source: Source;
  readonly #cache: Cache<StoredAddress>;
  readonly #claims: WrittenCache<AddressClaim, StoredAddress>;

  constructor(caches: CacheOpener, clock: Clock) {
    const lease = ({ value }: { readonly value: StoredAddress }): string => value.lease;
    const cache = caches.open({ type: addressClaimType, project: readAddressClaim, indexes: { lease: (entry) => [lease(entry)] } });
    this.#cache = cache;
    this.#claims = new WrittenCache({ cache, project: readAddressClaim, clock, group: { index: 'lease', of: lease } });
    this.source = sourceIfKnown(cache, clock, ({ value }) => [value.lease, ...value.formerly]);
  }

  all(): readonly StoredAddress[] {
    return this.#claims.all().map(({ value }) => value);
  }

  /** What was moved to the endpoint of a lease. */
  heldBy(lease: string, endpoint: string): MovedAddress | undefined {
    const held = this.#claims.in(lease).map(({ value }) => value);
    // Two there cannot be unless somebody else makes claims: everybody takes the same one then.
    return held.filter((each) => each.endpoint === endpoint).toSorted((a, b) => (a.address < b.address ? -1 : 1))[0];
  }

  /** What was moved away from the endpoint of a lease, which has got no other one since. */
  givenBy(lease: string, endpoint: string): MovedAddress | undefined {
    if (this.heldBy(lease, endpoint) !== undefined) return undefined;
    return this.all().find((each) => each.endpoint === endpoint && each.formerly.includes(lease));
  }

  /** That they are not known, or not being followed. */
  problem(): string | undefined {
    if (this.#cache.status().absent)
      return 'the cluster does not know the kind AddressClaim: apply what `quartermaster manifests service-cluster` prints';
    return this.#cache.stale()?.reason;
  }

  /** An answer of the server. */
  wrote(object: AddressClaim): StoredAddress {
    return this.#claims.wrote(object);
  }

  /** It is gone from the server. */
  removed({ address, uid }: Pick<StoredAddress, 'address' | 'uid'>): void {
    this.#claims.forget(addressClaimName(address), uid);
  }
}
