import { externalPortOf, isIngress, type ManifestGroup } from '@quartermaster/api/lease-manifest';
import type { LeaseId } from '../model/lease.ts';
import { ingressHost } from '../objects/ingress-host.ts';
import type { Reason } from '../placement/stock-facts.ts';
import type { WantedHostname } from './hostname-book.ts';

/** What a provider gives of its own. */
export interface HostnameTerms {
  /** deployment-ingress-domain; empty: none. */
  readonly ingressDomain: string;
  /** deployment-ingress-static-hosts */
  readonly staticHosts: boolean;
}

/** The hostnames of a manifest, in its order, each once for each service and port. */
export function wantedHostnames(lease: LeaseId, group: ManifestGroup, settings: HostnameTerms): readonly WantedHostname[] {
  const wanted = new Map<string, WantedHostname>(); // hostname, service and port -> it
  for (const { name: service, exposes } of group.services) {
    for (const expose of exposes.filter(isIngress)) {
      const externalPort = externalPortOf(expose);
      const own = hasStaticHosts(settings) ? [`${ingressHost(lease, service)}.${settings.ingressDomain}`] : [];
      const each = [
        ...own.map((hostname) => ({ hostname, isStatic: true })),
        ...expose.hosts.map((hostname) => ({ hostname, isStatic: false })),
      ];
      for (const { hostname, isStatic } of each) {
        const key = JSON.stringify([hostname, service, externalPort]);
        if (!wanted.has(key)) wanted.set(key, { hostname, service, externalPort, isStatic });
      }
    }
  }
  return [...wanted.values()];
}

/** What keeps a manifest from being reached: without names of the provider's own, each expose that shares a port needs one of the tenant's. */
export function hostnameFaults(group: ManifestGroup, settings: HostnameTerms): readonly Reason[] {
  if (hasStaticHosts(settings)) return [];
  return group.services.flatMap(({ name, exposes }) =>
    exposes.filter((expose) => isIngress(expose) && expose.hosts.length === 0).map((expose) => missing(name, expose.port)),
  );
}

const missing = (service: string, port: number): Reason => ({
  code: 'HostnameMissing',
  message: `service ${service} shares port 80 for its port ${port}, has no hostname, and this provider gives none: name one under accept`,
});

const hasStaticHosts = ({ ingressDomain, staticHosts }: HostnameTerms): boolean => staticHosts && ingressDomain !== '';
