import type { ClaimedHostnameJson, ListHostnamesResponseJson, ListLeasesResponseJson, RunningLeaseJson } from '@quartermaster/api/cluster';
import type { SearchAnswer, SearchHit } from '@quartermaster/api/inventory-views';
import { leaseState, marketState, orderText } from '@quartermaster/api/states';
import { celText } from '../../filter/cel-text.ts';
import type { ApiObject } from '../api/api-object.ts';
import { callApi } from '../api/call-api.ts';
import { kindPath, leaseKind } from '../api/object-kind.ts';
import { formatInteger } from '../model/amounts.ts';
import type { Session } from '../session/session.ts';
import { clusterServicePath } from '../upstreams/use-cluster-service.ts';
import { orderOfHostname } from './hostname-words.ts';
import { leaseKey, leaseNumbers } from './lease-words.ts';
import { hostnamesPath, leasesPath } from './use-leases.ts';

const maxHits = 6;
const lookedAtOnce = 1_000;

/** What the cluster service was asked for a moment ago: a search asks with every letter. */
export interface KnownLeases {
  readonly leases: ListLeasesResponseJson;
  readonly hostnames: ListHostnamesResponseJson;
}

export async function readLeases(signal: AbortSignal): Promise<KnownLeases> {
  const query = { pageSize: lookedAtOnce };
  const [leases, hostnames] = await Promise.all([
    callApi<ListLeasesResponseJson>(`${clusterServicePath}${leasesPath}`, { query, signal }),
    callApi<ListHostnamesResponseJson>(`${clusterServicePath}${hostnamesPath}`, { query, signal }),
  ]);
  return { leases, hostnames };
}

/** Leases by their numbers, tenants and namespaces, and hostnames, of which the name holds the text. */
export function searchLeases({ leases, hostnames }: KnownLeases, text: string): SearchAnswer {
  const wanted = text.toLowerCase();
  const isMeant = (...texts: readonly (string | undefined)[]): boolean =>
    texts.some((each) => each?.toLowerCase().includes(wanted) === true);
  const lookedThrough = (what: string, count: number, next = ''): string =>
    next === '' ? what : `the first ${formatInteger(count)} ${what}`;
  const { leases: allLeases = [] } = leases;
  const { hostnames: allNames = [] } = hostnames;
  return {
    hits: [
      ...allLeases
        .filter((lease) => isMeant(leaseKey(lease), lease.namespace))
        .slice(0, maxHits)
        .map(leaseHit),
      ...allNames
        .filter(({ hostname }) => isMeant(hostname))
        .slice(0, maxHits)
        .map(hostnameHit),
    ],
    searched: [
      lookedThrough('leases', allLeases.length, leases.nextPageToken),
      lookedThrough('hostnames', allNames.length, hostnames.nextPageToken),
    ],
  };
}

const leaseHit = (lease: RunningLeaseJson): SearchHit => ({
  kind: 'lease',
  id: leaseKey(lease),
  label: leaseNumbers(lease.order ?? {}),
  detail: `${lease.order?.owner ?? ''} · ${leaseState(lease.state).word.toLowerCase()}`,
});

/** Its id is where it leads: to its lease, or to the list of names. */
function hostnameHit(claim: ClaimedHostnameJson): SearchHit {
  const order = orderOfHostname(claim);
  const { hostname = '', owner = '' } = claim;
  return {
    kind: 'hostname',
    id: `${hostname} ${order === undefined ? '' : orderText(order)}`.trim(),
    label: hostname,
    detail: order === undefined ? `${owner} · released` : `${owner} · lease ${leaseNumbers(order)}`,
  };
}

/** What is shown of a lease of the market. */
interface NamedLease extends ApiObject {
  readonly spec?: { readonly group_name: string } | undefined;
}

/** Leases of the market that the text names, for those who ask no cluster service. */
export async function searchMarketLeases(session: Session, text: string, signal: AbortSignal): Promise<SearchAnswer> {
  const held = (field: string): string => `this.${field}.contains(${celText(text)})`;
  const filter = ['id', 'spec.provider', 'spec.group_name'].map(held).join(' || ');
  const query = { filter, limit: maxHits, skip_total: true };
  const { items } = await callApi<{ readonly items: readonly NamedLease[] }>(kindPath(session, leaseKind), { query, signal });
  return {
    hits: items.map((lease) => ({
      kind: 'lease',
      id: lease.id,
      label: lease.id,
      detail: [lease.spec?.group_name, marketState(lease).word.toLowerCase()].join(' · '),
    })),
    searched: ['leases'],
  };
}
