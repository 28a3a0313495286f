import { describedPod } from './pod-cluster.ts';

/**
 * What is looked at in every size and scheme, by the walk that has the data for it: name -> address. Each route of the page must have one here that
 * shows what it is for.
 */
export const inventoryScreens = {
  capacity: '/',
  overview: '/overview',
  nodes: '/nodes',
  node: '/nodes/node-00004',
  'node-silent': '/nodes/node-00008',
  storage: '/storage',
  pods: '/pods',
  pod: `/pods/${describedPod.namespace}/${describedPod.name}`,
  'events-of-cluster': '/events',
} as const;

const fit = '/?fit=1&memory=8+GiB&class=beta3&size=100+GiB&gpus=4&model=NVIDIA+H100+SXM+80GB';

/** Of one who asks a cluster service as well. */
export const reservationScreens = {
  'capacity-reserved': '/',
  fit: `${fit}&cpu=4&replicas=3`,
  'fit-not': `${fit}&cpu=200&replicas=2`,
  reservations: '/reservations',
  'reservations-active': '/reservations?phase=active',
  'reservations-none': '/reservations?q=nobody-has-ordered-it',
  reservation: '/reservations/akash1q7n3eq2m9yq3u5z8p0d4kfs6lvx2c9ratw8hjk/1234561/1/1',
  'node-reserved': '/nodes/node-00012',
  'storage-reserved': '/storage',
} as const;

const leased = '/leases/akash1q7n3eq2m9yq3u5z8p0d4kfs6lvx2c9ratw8hjk/1234561/1/1';

/** Of one whose cluster service runs leases. */
export const leaseScreens = {
  leases: '/leases',
  'leases-none': '/leases?q=nobody-has-leased-it',
  lease: leased,
  'lease-waiting': leased.replace('1234561', '1234570'),
  'lease-unhealthy': '/leases/akash1zz9h6x4cp0r2ynk7qk3s5u8dw1mtl6fgve0avp/1234580/1/2',
  'lease-ending': '/leases/akash1zz9h6x4cp0r2ynk7qk3s5u8dw1mtl6fgve0avp/1234500/1/1',
  hostnames: '/hostnames',
  'node-leased': '/nodes/node-00016',
} as const;

export const hostScreens = {
  hosts: '/hosts',
  'hosts-none': '/hosts?q=this.id == "nothing"',
  racks: '/racks',
  host: '/hosts/host-04',
  'host-failed': '/hosts/host-07',
} as const;

export const clusterScreens = {
  clusters: '/clusters',
  'cluster-ready': '/clusters/acme-ready',
  'cluster-short': '/clusters/acme-short',
  templates: '/templates',
  template: '/templates/general',
  'host-classes': '/host-classes',
  'host-class': '/host-classes/cpu',
  hubs: '/hubs',
  hub: '/hubs/hub-east',
  'host-pools': '/host-pools',
  'host-pool': '/host-pools/spare',
  events: '/events',
  audit: '/audit',
} as const;

/** Of the market: what a tenant sees, and what those see who bid or look after it. */
export const marketScreens = {
  deployments: '/deployments',
  deploy: '/deployments/new',
  deployment: '/deployments/1',
  update: '/deployments/1/update',
  'market-leases': '/leases',
  'market-lease': '/leases/1-1-1-p1',
  orders: '/orders',
  order: '/orders/acme/1/1/1',
} as const;

/** What there is no page or object for. */
export const absentScreens = { 'not-found': '/nowhere', 'host-absent': '/hosts/nowhere' } as const;

/** Those of the routes that no screen shows. */
export function routesWithoutScreen(routes: readonly string[]): readonly string[] {
  const paths = [inventoryScreens, reservationScreens, leaseScreens, hostScreens, clusterScreens, marketScreens].flatMap((screens) =>
    Object.values<string>(screens).map((address) => address.replace(/\?.*/, '')),
  );
  return routes.filter((route) => {
    const shape = new RegExp(`^${route.replaceAll(/:[^/]+/g, '[^/]+')}$`);
    return !paths.some((path) => shape.test(path));
  });
}
