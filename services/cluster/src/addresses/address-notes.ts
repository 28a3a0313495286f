import type { ManifestGroup } from '@quartermaster/api/lease-manifest';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import type { AddressNote } from '../known-leases/lease-sight.ts';
import { leasedPorts } from '../objects/leased-ips.ts';
import type { SeenAddresses } from './lease-addresses.ts';

/** Where a service of a lease is not reached under an endpoint as its manifest says. */
export function addressNotes(
  seen: SeenAddresses,
  { name, namespace }: Pick<LeaseRecord, 'name' | 'namespace'>,
  { services }: Pick<ManifestGroup, 'services'>,
): readonly AddressNote[] {
  return services.flatMap((each) => {
    const endpoints = new Set(leasedPorts(each).map(({ expose }) => expose.ip));
    return [...endpoints].flatMap((endpoint): readonly AddressNote[] => {
      const message = noteOf(seen, { name, namespace }, each.name, endpoint);
      return message === undefined ? [] : [{ service: each.name, message: `endpoint ${endpoint}: ${message}` }];
    });
  });
}

function noteOf(
  { addresses, records, caches }: SeenAddresses,
  { name, namespace }: Pick<LeaseRecord, 'name' | 'namespace'>,
  service: string,
  endpoint: string,
): string | undefined {
  const away = addresses.givenBy(name, endpoint);
  if (away !== undefined) {
    const { dseq, gseq } = records.of(away.lease)?.lease ?? {};
    const taker = dseq === undefined ? 'another lease' : `deployment ${dseq}, group ${gseq}`;
    return `its address ${away.address} was moved to ${taker}: move it back to have one here, or close this deployment`;
  }
  const held = addresses.heldBy(name, endpoint);
  const ports = caches.portsIn(namespace).filter((port) => port.service === service && port.endpoint === endpoint);
  if (held === undefined || (ports.length > 0 && ports.every(({ ip }) => ip === held.address))) return undefined;
  return `the address ${held.address} was moved here and does not lead here yet: if that lasts for minutes, ask the provider whether it is in use elsewhere`;
}
