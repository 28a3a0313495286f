import { createHash } from 'node:crypto';
import type { ManifestGroup, ManifestService, ManifestVolume } from '@quartermaster/api/lease-manifest';

/*
 * Names of objects, made of names of services. A service may be called like what is made of another one: names with a dot or a hash keep those apart, so that no two objects
 * of a lease are one.
 */

const maxLabelLength = 63;
/** A StatefulSet's revisions are values of labels: its name, a dash and ten characters. */
const maxStatefulSetLength = 52;
const hashLength = 10;

const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

export const statefulSetName = (service: string): string => fitted(service, maxStatefulSetLength);

/** The ConfigMap and the Secret of a service's environment. */
export const environmentName = (service: string): string =>
  `${service}-`.startsWith('docker-creds-') ? `${service}.env` : `${service}-env`;

export const credentialsName = (service: string): string => `docker-creds-${service}`;

/** Templates of claims cannot be changed: another content has another name. */
export const claimTemplateName = (service: string, spec: unknown): string => `${service}-gpus-${hashOf(JSON.stringify(spec))}`;

export const portPolicyName = (service: string, kind: 'np' | 'ip'): string =>
  `${service}-`.startsWith('apiserver-') ? `akash-${service}.${kind}` : `akash-${service}-${kind}`;

export const apiServerPolicyName = (service: string): string => `akash-apiserver-${service}`;

/** Claims cannot be renamed: the same names give the same on every replica and in every version. */
export const volumeName = (service: string, volume: string): string => fitted(`${service}-${volume}`, maxLabelLength);

export interface ClaimedVolume {
  readonly service: ManifestService;
  readonly volume: ManifestVolume;
  /** Of the replica whose it is. */
  readonly ordinal: number;
}

/** What a claim of this name is of. StatefulSets name claims by their template, themselves and the replica's number; undefined of other names. */
export function claimedVolume({ services }: ManifestGroup, claim: string): ClaimedVolume | undefined {
  const [, prefix, digits] = /^(.+)-(\d+)$/.exec(claim) ?? [];
  for (const service of services) {
    const isOf = ({ name, kind }: ManifestVolume): boolean =>
      kind === 'persistent' && `${volumeName(service.name, name)}-${statefulSetName(service.name)}` === prefix;
    const volume = service.resources.volumes.find(isOf);
    if (volume !== undefined) return { service, volume, ordinal: Number(digits) };
  }
  return undefined;
}

/** Whether a claim is of a volume as confirmations name it (`service/volume`). */
export function isClaimOf(claim: string, confirmed: string): boolean {
  const [service = '', volume = ''] = confirmed.split('/');
  return claim.startsWith(`${volumeName(service, volume)}-${statefulSetName(service)}-`);
}

/**
 * What confirmations call the volume of a claim whose manifest nobody can read. Of several readings of such a name each confirms it. Undefined where the name was shortened.
 */
export function volumeOfClaim(claim: string): string | undefined {
  const set = /^(.+)-\d+$/.exec(claim)?.[1] ?? '';
  const services = [...set.matchAll(/-/g)].map(({ index }) => set.slice(0, index));
  const service = services.find((each) => set.endsWith(`-${each}`) && set.length > 2 * each.length + 2);
  return service === undefined ? undefined : `${service}/${set.slice(service.length + 1, -service.length - 1)}`;
}

/** The Service with ports of the cluster's. */
export const nodePortServiceName = (group: ManifestGroup, service: string): string => unlikeServices(group, `${service}-np`);

/** The Service of one port of a leased address. An endpoint's name is the tenant's choice, and may be long. */
export function addressServiceName(group: ManifestGroup, service: string, endpoint: string, port: number, protocol: string): string {
  const suffix = `-ip-${hashOf(JSON.stringify([service, endpoint]))}-${port}-${protocol.toLowerCase()}`;
  return unlikeServices(group, `${fitted(service, maxLabelLength - suffix.length)}${suffix}`);
}

/** Services are reached by their names: those of the manifest go first. */
function unlikeServices({ services }: ManifestGroup, wanted: string): string {
  const taken = new Set(services.map(({ name }) => name));
  let name = fitted(wanted, maxLabelLength);
  while (taken.has(name)) name = hashed(name, maxLabelLength);
  return name;
}

const fitted = (text: string, limit: number): string => (text.length <= limit && dnsLabel.test(text) ? text : hashed(text, limit));

function hashed(text: string, limit: number): string {
  const readable = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, limit - hashLength - 1)
    .replaceAll(/^-+|-+$/g, '');
  return readable === '' ? `x-${hashOf(text)}` : `${readable}-${hashOf(text)}`;
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, hashLength);
