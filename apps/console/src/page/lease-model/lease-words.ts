import type { LeasedServiceJson, LeaseHostnameJson, LeasePodStatusJson, OrderIdJson, RunningLeaseJson } from '@quartermaster/api/cluster';
import { leaseHealth, orderText, type Tone } from '@quartermaster/api/states';
import { momentOf } from '../api/api-words.ts';
import { countOf } from '../model/amounts.ts';

export const leaseKey = ({ order = {} }: RunningLeaseJson): string => orderText(order);

/** `1234567/1/1`: what tells the leases of one tenant apart. */
export const leaseNumbers = ({ dseq = '0', gseq = 0, oseq = 0 }: OrderIdJson): string => `${dseq}/${gseq}/${oseq}`;

/** What the market calls the lease: `1234567-1-1-akash1provider`. */
export const marketLeaseId = ({ order: { dseq = '0', gseq = 0, oseq = 0 } = {}, provider = '' }: RunningLeaseJson): string =>
  `${dseq}-${gseq}-${oseq}-${provider}`;

/** Whether it is closed: nothing of it waits to run any more. */
export const isOver = ({ state, marketState }: RunningLeaseJson): boolean =>
  state === 'LEASE_RUN_STATE_COMPLETE' || marketState === 'closed';

/** Of what is said beside a service of this health: what only starts, or cannot be seen, has not failed. */
export function problemTone(health: string | undefined): Tone {
  const { tone } = leaseHealth(health);
  return tone === 'good' ? 'held' : tone;
}

/** A pod, and the service that it is a replica of. */
export interface PodOfLease extends LeasePodStatusJson {
  readonly service: string;
}

export const podsOf = ({ services = [] }: RunningLeaseJson): readonly PodOfLease[] =>
  services.flatMap(({ name = '', pods = [] }) => pods.map((pod) => ({ ...pod, service: name })));

/** Nodes that something of it runs on, by name. */
export const nodesOf = (lease: RunningLeaseJson): readonly string[] =>
  [...new Set(podsOf(lease).flatMap(({ node = '' }) => (node === '' ? [] : [node])))].toSorted();

export const gpusOf = (lease: RunningLeaseJson): number => podsOf(lease).reduce((sum, { gpus = 0 }) => sum + gpus, 0);

const sum = (services: readonly LeasedServiceJson[], of: 'available' | 'count'): number =>
  services.reduce((total, service) => total + (service[of] ?? 0), 0);

/** `2 of 3`: replicas that are available. Empty where nothing is deployed. */
export function availableText({ services = [] }: Pick<RunningLeaseJson, 'services'>): string {
  return services.length === 0 ? '' : `${sum(services, 'available')} of ${sum(services, 'count')}`;
}

/** When this provider got it; before it is known, when it was ordered. */
export function leasedAt({ phases = [] }: RunningLeaseJson): number | undefined {
  const at = (wanted: string): number | undefined => momentOf(phases.find(({ name }) => name === wanted)?.at);
  return at('lease') ?? at('order');
}

/** What keeps it from being as it should, in words: of its services, of its manifest, of what is left of it. */
export const problemsOf = ({ services = [], refused, leftovers = [] }: RunningLeaseJson): readonly string[] =>
  [...services.flatMap(({ problems = [] }) => problems), ...(refused === undefined ? [] : [refused]), ...leftovers].map(
    ({ message = '', code = '' }) => message || code,
  );

/** Hostnames that lead to it; not those that it asked for and does not have. */
export const hostnamesOf = ({ hostnames = [] }: RunningLeaseJson): readonly string[] =>
  hostnames.filter(({ state }) => state === 'held').map(({ hostname = '' }) => hostname);

// what became of a wish for a hostname, as the contract says it -> its fill
const hostnameTones = { held: 'good', waiting: 'reserved', withheld: 'held', refused: 'failed' } as const;

export const hostnameTone = ({ state = '' }: LeaseHostnameJson): (typeof hostnameTones)[keyof typeof hostnameTones] | 'unknown' =>
  (hostnameTones as Readonly<Record<string, (typeof hostnameTones)[keyof typeof hostnameTones]>>)[state] ?? 'unknown';

/** What of a lease goes with one node. */
export interface LeaseOnNode {
  readonly lease: RunningLeaseJson;
  readonly services: readonly string[];
  readonly pods: number;
  readonly gpus: number;
}

/** Which leases the loss of a node would affect, those with most to lose first. */
export function leasesOnNode(leases: readonly RunningLeaseJson[], node: string): readonly LeaseOnNode[] {
  return leases
    .map((lease) => {
      const here = podsOf(lease).filter((pod) => pod.node === node);
      const services = [...new Set(here.map(({ service }) => service))];
      return { lease, services, pods: here.length, gpus: here.reduce((total, { gpus = 0 }) => total + gpus, 0) };
    })
    .filter(({ pods }) => pods > 0)
    .toSorted((a, b) => b.gpus - a.gpus || b.pods - a.pods || (leaseKey(a.lease) < leaseKey(b.lease) ? -1 : 1));
}

/** `2 leases of 2 tenants, 3 pods and 8 GPUs`. */
export function lossWords(hit: readonly LeaseOnNode[]): string {
  const tenants = new Set(hit.map(({ lease }) => lease.order?.owner ?? '')).size;
  const total = (of: 'pods' | 'gpus'): number => hit.reduce((all, each) => all + each[of], 0);
  const gpus = total('gpus');
  const lost = [countOf(total('pods'), 'pod'), ...(gpus === 0 ? [] : [countOf(gpus, 'GPU')])].join(' and ');
  return `${countOf(hit.length, 'lease')} of ${countOf(tenants, 'tenant')}, ${lost}`;
}

/** What ending it does, as sentences with names and counts. */
export function closeConsequences(lease: RunningLeaseJson): readonly string[] {
  const { order = {}, services = [], volumes = [] } = lease;
  const pods = podsOf(lease);
  const nodes = nodesOf(lease);
  const gpus = gpusOf(lease);
  const names = hostnamesOf(lease);
  const runs = [countOf(pods.length, 'pod'), ...(gpus === 0 ? [] : [countOf(gpus, 'GPU')])].join(' and ');
  return [
    `The lease of ${order.owner ?? ''} ends at the market, in the name of this provider: payments stop.`,
    pods.length === 0
      ? 'No pods are running.'
      : `${countOf(services.length, 'service')} (${services.map(({ name = '' }) => name).join(', ')}) with ${runs} on ${countOf(nodes.length, 'node')} ${services.length === 1 ? 'is' : 'are'} stopped.`,
    ...(volumes.length === 0
      ? []
      : [`${countOf(volumes.length, 'volume')} and the data in ${volumes.length === 1 ? 'it' : 'them'} are deleted.`]),
    ...(names.length === 0 ? [] : [`${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} released.`]),
    'The market creates a new order for the tenant’s group, and any provider may bid on it.',
  ];
}
