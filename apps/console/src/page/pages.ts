import { auditRight } from './api/audit-entry.ts';
import {
  clusterKind,
  deploymentKind,
  hostClassKind,
  hostKind,
  hostPoolKind,
  hubKind,
  leaseKind,
  listHref,
  may,
  type ObjectKind,
  objectHref,
  templateKind,
} from './api/object-kind.ts';
import { AuditPage } from './audit/audit-page.tsx';
import { CapacityPage } from './capacity/capacity-page.tsx';
import { ClusterPage } from './clusters/cluster-page.tsx';
import { ClustersPage } from './clusters/clusters-page.tsx';
import { EventsPage } from './events/events-page.tsx';
import type { ConsolePage, View } from './frame/console-page.ts';
import { HostClassPage } from './host-classes/host-class-page.tsx';
import { HostClassesPage } from './host-classes/host-classes-page.tsx';
import { HostPoolPage } from './host-pools/host-pool-page.tsx';
import { HostPoolsPage } from './host-pools/host-pools-page.tsx';
import { rackHref } from './hosts/host.ts';
import { HostPage } from './hosts/host-page.tsx';
import { HostsPage } from './hosts/hosts-page.tsx';
import { HubPage } from './hubs/hub-page.tsx';
import { HubsPage } from './hubs/hubs-page.tsx';
import { HostnamesPage } from './leases/hostnames-page.tsx';
import { LeasePage } from './leases/lease-page.tsx';
import { MarketLeasePage } from './leases/market-lease-page.tsx';
import { MarketLeasesPage } from './leases/market-leases-page.tsx';
import { RunningLeasesPage } from './leases/running-leases-page.tsx';
import { DeployPage } from './market/deploy-page.tsx';
import { DeploymentPage } from './market/deployment-page.tsx';
import { DeploymentsPage, newDeploymentHref } from './market/deployments-page.tsx';
import { ordersHref } from './market/market-objects.ts';
import { OrderPage } from './market/order-page.tsx';
import { OrdersPage } from './market/orders-page.tsx';
import { UpdatePage } from './market/update-page.tsx';
import {
  gpuHitHref,
  hostnameHitHref,
  hostnamesHref,
  leaseHitHref,
  leasesHref,
  nodeHref,
  podHref,
  quoted,
  reservationsHref,
  storageHref,
} from './model/addresses.ts';
import { sentenceCase } from './model/amounts.ts';
import { NodePage } from './nodes/node-page.tsx';
import { NodesPage } from './nodes/nodes-page.tsx';
import { OverviewPage } from './overview/overview-page.tsx';
import { PodPage } from './pods/pod-page.tsx';
import { PodsPage } from './pods/pods-page.tsx';
import { RacksPage } from './racks/racks-page.tsx';
import { ReservationPage } from './reservations/reservation-page.tsx';
import { ReservationsPage } from './reservations/reservations-page.tsx';
import { StoragePage } from './storage/storage-page.tsx';
import { TemplatePage } from './templates/template-page.tsx';
import { TemplatesPage } from './templates/templates-page.tsx';

/** The list of all objects of a kind and the page of each, for those who may list them. */
function pagesOf(kind: ObjectKind, key: string, list: View, one: View): ConsolePage {
  return {
    label: sentenceCase(kind.plural),
    href: kind.href,
    key,
    section: 'Own',
    source: 'fulfillment',
    isFor: (session) => may(session, 'List', kind),
    routes: [
      { path: kind.href, component: list },
      { path: `${kind.href}/:id`, component: one },
    ],
    finds: { [kind.singular]: (id) => objectHref(kind, id) },
  };
}

/** Every page, in the order of the side bar. A new page is a folder and an entry here. */
export const pages: readonly ConsolePage[] = [
  {
    label: 'Capacity',
    href: '/',
    key: 'c',
    section: 'Sell',
    routes: [{ path: '/', component: CapacityPage }],
    attention: ({ summary }) => summary?.needs.all ?? 0,
  },
  {
    label: 'Leases',
    href: leasesHref,
    key: 'w',
    section: 'Sell',
    isOfClusterService: true,
    routes: [
      { path: leasesHref, component: RunningLeasesPage },
      { path: `${leasesHref}/:owner/:dseq/:gseq/:oseq`, component: LeasePage },
    ],
    finds: { lease: leaseHitHref },
  },
  {
    label: 'Hostnames',
    href: hostnamesHref,
    key: 'm',
    section: 'Sell',
    isOfClusterService: true,
    routes: [{ path: hostnamesHref, component: HostnamesPage }],
    finds: { hostname: hostnameHitHref },
  },
  {
    label: 'Reservations',
    href: reservationsHref,
    key: 'v',
    section: 'Sell',
    isOfClusterService: true,
    routes: [
      { path: reservationsHref, component: ReservationsPage },
      { path: `${reservationsHref}/:owner/:dseq/:gseq/:oseq`, component: ReservationPage },
    ],
  },
  {
    label: 'Deployments',
    href: deploymentKind.href,
    key: 'd',
    section: 'Sell',
    source: 'market',
    isFor: (session) => may(session, 'List', deploymentKind),
    routes: [
      { path: deploymentKind.href, component: DeploymentsPage },
      { path: newDeploymentHref, component: DeployPage },
      { path: `${deploymentKind.href}/:id`, component: DeploymentPage },
      { path: `${deploymentKind.href}/:id/update`, component: UpdatePage },
      // What the market says of a lease, also for those whose list of leases is of what they run.
      { path: `${leaseKind.href}/:id`, component: MarketLeasePage },
    ],
  },
  {
    label: 'Leases',
    href: leasesHref,
    key: 'w',
    section: 'Sell',
    source: 'market',
    isFor: (session, hasClusterService) => !hasClusterService && may(session, 'List', leaseKind),
    routes: [{ path: leasesHref, component: MarketLeasesPage }],
    finds: { lease: leaseHitHref },
  },
  {
    label: 'Orders and bids',
    href: ordersHref,
    key: 'b',
    section: 'Sell',
    source: 'market',
    isFor: ({ marketRole = '' }) => ['admin', 'operator', 'provider'].includes(marketRole),
    routes: [
      { path: ordersHref, component: OrdersPage },
      { path: `${ordersHref}/:owner/:dseq/:gseq/:oseq`, component: OrderPage },
    ],
  },
  {
    label: 'Nodes',
    href: '/nodes',
    key: 'n',
    section: 'Run',
    routes: [
      { path: '/nodes', component: NodesPage },
      { path: '/nodes/:name', component: NodePage },
    ],
    attention: ({ summary }) =>
      (summary?.nodesByState ?? []).filter(({ tone }) => ['failed', 'unknown'].includes(tone)).reduce((sum, { count }) => sum + count, 0),
    finds: { node: nodeHref, gpu: gpuHitHref },
  },
  {
    label: 'Storage',
    href: '/storage',
    key: 's',
    section: 'Run',
    routes: [{ path: '/storage', component: StoragePage }],
    attention: ({ summary }) => summary?.needs.storage ?? 0,
    finds: { class: storageHref },
  },
  {
    label: 'Pods',
    href: '/pods',
    key: 'p',
    section: 'Run',
    routes: [
      { path: '/pods', component: PodsPage },
      { path: '/pods/:namespace/:name', component: PodPage },
    ],
    finds: { pod: podHref },
  },
  {
    label: 'Racks',
    href: '/racks',
    key: 'r',
    section: 'Own',
    source: 'fulfillment',
    isFor: (session) => session.isStaff && may(session, 'List', hostKind),
    routes: [{ path: '/racks', component: RacksPage }],
    finds: { rack: rackHref },
  },
  {
    ...pagesOf(hostKind, 'h', HostsPage, HostPage),
    troubles: { kind: hostKind, filter: 'this.status.state == HOST_STATE_FAILED' },
  },
  pagesOf(hostClassKind, 'l', HostClassesPage, HostClassPage),
  {
    ...pagesOf(clusterKind, 'k', ClustersPage, ClusterPage),
    troubles: { kind: clusterKind, filter: 'this.status.state == CLUSTER_STATE_FAILED' },
    finds: {
      [clusterKind.singular]: (id) => objectHref(clusterKind, id),
      tenant: (tenant) => listHref(clusterKind, `tenant:${quoted(tenant)}`),
    },
  },
  pagesOf(templateKind, 't', TemplatesPage, TemplatePage),
  pagesOf(hostPoolKind, 'i', HostPoolsPage, HostPoolPage),
  { ...pagesOf(hubKind, 'u', HubsPage, HubPage), isFor: (session) => session.isStaff && may(session, 'List', hubKind) },
  {
    label: 'Events',
    href: '/events',
    key: 'e',
    section: 'Trace',
    source: 'fulfillment',
    isFor: ({ isOfFulfillment, isStaff }) => isOfFulfillment || isStaff,
    routes: [{ path: '/events', component: EventsPage }],
  },
  {
    label: 'Audit',
    href: '/audit',
    key: 'a',
    section: 'Trace',
    source: 'fulfillment',
    isFor: ({ rights }) => rights.has(auditRight),
    routes: [{ path: '/audit', component: AuditPage }],
  },
  {
    label: 'Overview',
    href: '/overview',
    key: 'o',
    section: 'Trace',
    routes: [{ path: '/overview', component: OverviewPage }],
    attention: ({ parts }) => parts.filter(({ state }) => state === 'failed' || state === 'degraded').length,
  },
];
