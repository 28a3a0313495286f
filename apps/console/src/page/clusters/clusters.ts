import { clusterKind, may } from '../api/object-kind.ts';
import type { ConsolePage } from '../frame/console-page.ts';
import { objectHref } from '../model/addresses.ts';
import { ClusterPage } from './cluster-page.tsx';
import { ClustersPage } from './clusters-page.tsx';

export const clusters: ConsolePage = {
  label: 'Clusters',
  href: '/clusters',
  key: 'k',
  section: 'Own',
  source: 'fulfillment',
  isFor: (session) => may(session, 'List', clusterKind),
  routes: [
    { path: '/clusters', component: ClustersPage },
    { path: '/clusters/:id', component: ClusterPage },
  ],
  troubles: { kind: clusterKind, filter: 'this.status.state == CLUSTER_STATE_FAILED' },
  finds: { cluster: (id) => objectHref('clusters', id) },
};
