import type { ServiceHealth } from '../health/lease-health.ts';
import { joinedTexts } from '../health/told-text.ts';
import { type LeaseRecord, refusedByCluster } from '../known-leases/lease-record.ts';
import type { LeaseSight } from '../known-leases/lease-sight.ts';

/*
 * What a tenant reads of a lease, wherever it is read: in the market, and at the gateway. What the API server, its webhooks and the kubelets say in words of their own names
 * what is inside the provider, and is nowhere in it.
 */

export interface TenantView {
  /** How it goes, with the hostnames and addresses that it does not have and that no service tells of. */
  readonly message: string;
  /** Why the newest manifest is not deployed; empty: it is. */
  readonly refusal: string;
  readonly services: readonly TenantService[];
}

export interface TenantService {
  readonly name: string;
  readonly health: ServiceHealth['state'];
  readonly count: number;
  readonly available: number;
  readonly ready: number;
  readonly updated: number;
  /** That it has. */
  readonly hostnames: readonly string[];
  /** That are open, in the order of its Services. */
  readonly ports: readonly OpenPort[];
  readonly problems: readonly string[];
}

export interface OpenPort {
  /** Of the container. */
  readonly port: number;
  readonly externalPort: number;
  readonly protocol: string;
  /** Where it is reached: a leased address, or the provider. Empty: at any address of the provider. */
  readonly host: string;
  readonly isLeased: boolean;
}

export const tenantMessage = ({ reason, message }: Pick<LeaseRecord, 'reason' | 'message'>): string =>
  reason === refusedByCluster ? 'the provider’s cluster rejected an object of the lease: ask the provider why' : message;

/** Of the services that are seen, or of those that are given in their place. */
export function tenantView(
  { record, health, hostnames, addressNotes, ports }: LeaseSight,
  publicHost: string,
  seen: readonly ServiceHealth[] = health?.services ?? [],
): TenantView {
  const missing = [...hostnames.filter(({ state, message }) => state !== 'held' && message !== ''), ...addressNotes];
  const services = seen.map(
    ({ service, state, problems, ...figures }): TenantService => ({
      ...{ name: service, health: state, ...figures },
      hostnames: hostnames.filter((grant) => grant.service === service && grant.state === 'held').map(({ hostname }) => hostname),
      ports: ports.filter((port) => port.service === service).flatMap((port) => openPort(port, publicHost)),
      problems: [...problems, ...missing.filter((grant) => grant.service === service)].map(({ message }) => message),
    }),
  );
  const unseen = missing.filter((grant) => services.every(({ name }) => name !== grant.service)).map(({ message }) => message);
  return { message: joinedTexts([tenantMessage(record), ...unseen]), refusal: record.refused?.message ?? '', services };
}

/** A leased address that was not given out yet has nothing in its place. */
function openPort(
  { port, externalPort, protocol, endpoint, ip = '' }: LeaseSight['ports'][number],
  publicHost: string,
): readonly OpenPort[] {
  const isLeased = endpoint !== undefined;
  if (externalPort <= 0 || (isLeased && ip === '')) return [];
  return [{ port, externalPort, protocol, host: ip || publicHost, isLeased }];
}
