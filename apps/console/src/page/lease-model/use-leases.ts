import type {
  ListHostnamesResponseJson,
  ListLeasesResponseJson,
  ListShellsResponseJson,
  OrderIdJson,
  RunningLeaseJson,
} from '@quartermaster/api/cluster';
import type { ClusterAccess, Polled } from '../upstreams/use-cluster-service.ts';
import { usePolled } from '../upstreams/use-cluster-service.ts';

/** Which leases, by what the service itself can tell apart. */
export interface LeasesAsked {
  readonly owner?: string | undefined;
  /** As the contract has it: `LEASE_RUN_STATE_ACTIVE`. */
  readonly state?: string | undefined;
  readonly node?: string | undefined;
  readonly namespace?: string | undefined;
  readonly pageSize: number;
  /** Where the answer before says that there are more. */
  readonly pageToken?: string | undefined;
}

/** Of the service. */
export const leasesPath = '/leases';
const oneIntervalMs = 3_000;
/** Which lease a namespace is of changes never; whether it is still there, seldom. */
const linkIntervalMs = 30_000;

/** One page of leases with what runs of each, asked for again while it is in sight. */
export function useLeases(asked: LeasesAsked, isWanted = true): Polled<ListLeasesResponseJson> {
  return usePolled<ListLeasesResponseJson>(leasesPath, { call: { query: { ...asked, details: true } }, isWanted });
}

const parts = ({ owner = '', dseq = '0', gseq = 0, oseq = 0 }: OrderIdJson): string =>
  [owner, dseq, gseq, oseq].map(encodeURIComponent).join('/');

/** Of the service. */
export const leasePath = (order: OrderIdJson): string => `${leasesPath}/${parts(order)}`;

/** Of the page. */
export const leaseHref = (order: OrderIdJson): string => `/leases/${parts(order)}`;

export function useLease(order: OrderIdJson): Polled<{ readonly lease?: RunningLeaseJson }> {
  return usePolled(leasePath(order), { everyMs: oneIntervalMs });
}

const shownShells = 100;

/** The newest shells that were opened in a lease. */
export function useShells(order: OrderIdJson): Polled<ListShellsResponseJson> {
  return usePolled<ListShellsResponseJson>(`${leasePath(order)}/shells`, { call: { query: { pageSize: shownShells } } });
}

/** The lease that a namespace is of; undefined while it is not known, and for namespaces of anything else. */
export function useLeaseOfNamespace(namespace: string): RunningLeaseJson | undefined {
  // All of them are named so; whoever is called so without being one is not found.
  const isWanted = namespace.startsWith('lease-');
  const call = { query: { namespace, pageSize: 1 } };
  const { data, isCurrent } = usePolled<ListLeasesResponseJson>(leasesPath, { call, isWanted, everyMs: linkIntervalMs });
  return isWanted && isCurrent ? data?.leases?.[0] : undefined;
}

export interface HostnamesAsked {
  readonly owner?: string | undefined;
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
}

/** Of the service. */
export const hostnamesPath = '/hostnames';

export function useHostnames(asked: HostnamesAsked): Polled<ListHostnamesResponseJson> {
  return usePolled<ListHostnamesResponseJson>(hostnamesPath, { call: { query: { ...asked } } });
}

/** Why the caller may not change leases; undefined for those who may. */
export function leaseObstacle({ role }: ClusterAccess): string | undefined {
  if (role === undefined) return 'The cluster service has not reported your role yet.';
  return role === 'admin' ? undefined : `Only the role admin may change leases; your role at the cluster service is ${role}.`;
}
