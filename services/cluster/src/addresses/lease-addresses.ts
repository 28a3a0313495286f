import type { LeaseCaches } from '../known-leases/lease-caches.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import type { SeenPort } from '../known-leases/lease-sight.ts';
import type { RecordStore } from '../known-leases/record-store.ts';
import type { ContentAddresses } from '../objects/desired.ts';
import type { AddressBook } from './address-book.ts';
import type { MovedAddress } from './moved-address.ts';

/** What says which address a lease has. */
export interface SeenAddresses {
  readonly addresses: Pick<AddressBook, 'heldBy' | 'givenBy'>;
  readonly records: Pick<RecordStore, 'of'>;
  readonly caches: Pick<LeaseCaches, 'portsIn'>;
}

type Lease = Pick<LeaseRecord, 'name' | 'namespace'>;

export interface LeaseAddresses extends ContentAddresses {
  /** That were moved away, and are still answered at: the Services of the other lease are not there yet. */
  readonly leaving: readonly MovedAddress[];
}

/**
 * What becomes of the endpoints of a lease. Services that have an address keep it until those of the lease that gets it stand beside them and ask for it: so it is free for as
 * short a time as the pool takes to notice. Once gone, they come back only when nobody has the address any more.
 */
export function leaseAddresses(seen: SeenAddresses, { name, namespace }: Lease, endpoints: Iterable<string>): LeaseAddresses {
  const { addresses, records, caches } = seen;
  const taken = new Map<string, string>(); // endpoint -> address
  const given = new Set<string>();
  const leaving: MovedAddress[] = [];
  for (const endpoint of endpoints) {
    const held = addresses.heldBy(name, endpoint);
    if (held !== undefined) taken.set(endpoint, held.address);
    const away = addresses.givenBy(name, endpoint);
    if (away === undefined) continue;
    const taker = records.of(away.lease)?.namespace;
    const portsOf = (of: string | undefined): readonly SeenPort[] =>
      of === undefined ? [] : caches.portsIn(of).filter((port) => port.endpoint === endpoint);
    const isAskedFor = portsOf(taker).some(({ asked }) => asked === away.address);
    if (portsOf(namespace).length > 0 && !isAskedFor) leaving.push(away);
    else given.add(endpoint);
  }
  return { taken, given, leaving };
}

/** Where a lease is reached under an endpoint, or will be; undefined: nowhere yet, or nowhere any more. */
export function addressOf(
  { addresses, caches }: Omit<SeenAddresses, 'records'>,
  { name, namespace }: Lease,
  endpoint: string,
): string | undefined {
  const held = addresses.heldBy(name, endpoint);
  if (held !== undefined) return held.address;
  if (addresses.givenBy(name, endpoint) !== undefined) return undefined;
  return caches.portsIn(namespace).find((port) => port.endpoint === endpoint && port.ip !== '')?.ip;
}
