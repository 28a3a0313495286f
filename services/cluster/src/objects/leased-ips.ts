import { createHash } from 'node:crypto';
import { type Expose, externalPortOf, type ManifestGroup, type ManifestService } from '@quartermaster/api/lease-manifest';
import { type ProviderLeasedIP, providerLeasedIPType } from '@quartermaster/api/provider-leased-ip';
import { kinds } from '@quartermaster/kube';
import type { Service } from '@quartermaster/kube/shapes';
import { askedAddress, endpointAnnotation, leaseAnnotations } from '../model/lease-labels.ts';
import { base32Hex } from './base32-hex.ts';
import type { DesiredObject, LeaseContent } from './desired.ts';
import { desiredObject } from './desired-object.ts';
import { objectLabels, objectMeta, selectorLabels } from './object-labels.ts';
import { addressServiceName } from './object-names.ts';
import { servicePort } from './service-objects.ts';

interface LeasedPort {
  readonly expose: Expose;
  /** Of the expose in its service. */
  readonly index: number;
}

/** With protocol and port after it, it is the name of an object. */
const maxKeyLength = 253 - '-tcp-65535'.length;

/**
 * By which Services get the same address: those of one lease that name the same endpoint. The ecosystem has the owner where this has the namespace of the lease: there, two
 * leases of one owner that call an endpoint the same fight for one address, though each has paid for its own. The first `-ip-` is the one between the two; what could be the key
 * of another lease is a hash, which has no `-ip-` in it.
 */
export function sharingKey(namespace: string, endpoint: string): string {
  const key = `${namespace}-ip-${endpoint}`;
  const isPlain = /^[a-z\d]+(?:-[a-z\d]+)*$/.test(namespace) && /^[a-z\d-]+$/.test(endpoint);
  if (isPlain && !`${namespace}-`.includes('-ip-') && key.length <= maxKeyLength) return key;
  // As JSON, in which no two pairs are alike, halves of surrogate pairs included.
  return `ip-${base32Hex(
    createHash('sha256')
      .update(JSON.stringify([namespace, endpoint]))
      .digest()
      .subarray(0, 20),
  )}`;
}

/** One Service for each port of a leased address: only so can ports of one address lead to several services. */
export function addressServices(content: LeaseContent, service: ManifestService): readonly DesiredObject<Service>[] {
  return ownPorts(content, service).map(({ expose, index }) => {
    const { name } = service;
    const port = externalPortOf(expose);
    const meta = objectMeta(content, addressServiceName(content.group, name, expose.ip, port, expose.protocol), name);
    return desiredObject(kinds.services, {
      metadata: {
        ...meta,
        labels: { ...meta.labels, 'akash.network/service-target': 'metal-lb' },
        annotations: { [endpointAnnotation]: expose.ip, ...addressAnnotations(content, expose.ip) },
      },
      spec: {
        type: 'LoadBalancer',
        allocateLoadBalancerNodePorts: false,
        selector: selectorLabels(content, name),
        ports: [servicePort(expose, index)],
      },
    });
  });
}

/** The declarations of the lease's addresses, in the namespace of manifests. */
export function leasedIpObjects(content: LeaseContent, manifestNamespace: string): readonly DesiredObject<ProviderLeasedIP>[] {
  const { lease } = content;
  const objects = new Map<string, DesiredObject<ProviderLeasedIP>>(); // name -> declaration
  for (const service of content.group.services) {
    for (const { expose } of ownPorts(content, service)) {
      const key = sharingKey(content.namespace, expose.ip);
      const port = externalPortOf(expose);
      const name = `${key}-${expose.protocol.toLowerCase()}-${port}`;
      if (objects.has(name)) continue;
      const own = { 'service-name': service.name, 'external-port': String(port), proto: expose.protocol };
      const labels = { ...objectLabels(content), ...own };
      const metadata = { name, namespace: manifestNamespace, labels, annotations: leaseAnnotations(lease) };
      const spec = {
        lease_id: { owner: lease.owner, dseq: String(lease.dseq), gseq: lease.gseq, oseq: lease.oseq, provider: lease.provider },
        service_name: service.name,
        port: expose.port,
        external_port: port,
        protocol: expose.protocol,
        sharing_key: key,
      };
      objects.set(name, desiredObject(providerLeasedIPType, { metadata, spec }));
    }
  }
  return [...objects.values()];
}

/** Each endpoint, port and protocol once. */
export function leasedPorts({ exposes }: ManifestService): readonly LeasedPort[] {
  const ports = new Map<string, LeasedPort>();
  for (const [index, expose] of exposes.entries()) {
    const key = JSON.stringify([expose.ip, externalPortOf(expose), expose.protocol]);
    if (expose.global && expose.ip !== '' && !ports.has(key)) ports.set(key, { expose, index });
  }
  return [...ports.values()];
}

/** By name. */
export const leasedEndpoints = ({ services }: Pick<ManifestGroup, 'services'>): ReadonlySet<string> =>
  new Set(services.flatMap((service) => leasedPorts(service).map(({ expose }) => expose.ip)));

const ownPorts = ({ addresses }: LeaseContent, service: ManifestService): readonly LeasedPort[] =>
  leasedPorts(service).filter(({ expose }) => !addresses.given.has(expose.ip));

/** Under both prefixes: MetalLB before 0.14.9 reads the old one alone, later releases the new one. */
function addressAnnotations({ namespace, settings, addresses }: LeaseContent, endpoint: string): Readonly<Record<string, string>> {
  const { addressPool } = settings;
  const taken = addresses.taken.get(endpoint);
  const values = {
    ...(taken !== undefined && { [askedAddress]: taken }),
    'allow-shared-ip': sharingKey(namespace, endpoint),
    ...(addressPool !== '' && addressPool !== 'default' && { 'address-pool': addressPool }),
  };
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => [
      [`metallb.universe.tf/${name}`, value],
      [`metallb.io/${name}`, value],
    ]),
  );
}
