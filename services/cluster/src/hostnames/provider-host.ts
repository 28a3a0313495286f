import { type ProviderHost, providerHostType } from '@quartermaster/api/provider-host';
import type { LeaseId } from '../model/lease.ts';
import { leaseAnnotations } from '../model/lease-labels.ts';
import { leaseNamespace } from '../model/lease-name.ts';
import type { DesiredObject } from '../objects/desired.ts';
import { desiredObject } from '../objects/desired-object.ts';
import { objectLabels } from '../objects/object-labels.ts';
import { nameHash } from './claim.ts';
import type { WantedHostname } from './hostname-book.ts';

const longestName = 253;

/**
 * The route of a claimed name, in the namespace of manifests. A wildcard is no name of an object: its own is one that no tenant can claim, since the first label is kept for
 * that, and without a domain since single labels are nobody's.
 */
export function providerHostObject(
  lease: LeaseId,
  claimed: Pick<WantedHostname, 'hostname' | 'service' | 'externalPort'>,
  manifestNamespace: string,
): DesiredObject<ProviderHost> {
  const { hostname, service, externalPort } = claimed;
  const { owner, provider, dseq, gseq, oseq } = lease;
  return desiredObject(providerHostType, {
    metadata: {
      name: routeName(hostname),
      namespace: manifestNamespace,
      labels: objectLabels({ lease, namespace: leaseNamespace(lease) }),
      annotations: leaseAnnotations(lease),
    },
    spec: { hostname, owner, provider, dseq: Number(dseq), gseq, oseq, service_name: service, external_port: externalPort },
  });
}

/** Of the object. */
export function routeName(hostname: string): string {
  if (!hostname.startsWith('*.')) return hostname;
  const name = `wildcard-${nameHash(hostname).slice(0, 8)}.${hostname.slice(2)}`;
  return name.length <= longestName ? name : `wildcard-${nameHash(hostname)}`;
}
