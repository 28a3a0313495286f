import type { ConsolePage } from '../frame/console-page.ts';
import { gpuHitHref, nodeHref } from '../model/addresses.ts';
import { nodeTone } from '../model/node-state.ts';
import { NodePage } from './node-page.tsx';
import { NodesPage } from './nodes-page.tsx';

export const nodes: ConsolePage = {
  label: 'Nodes',
  href: '/nodes',
  key: 'n',
  section: 'Run',
  routes: [
    { path: '/nodes', component: NodesPage },
    { path: '/nodes/:name', component: NodePage },
  ],
  attention: ({ cluster }) =>
    (cluster?.nodesByState ?? [])
      .filter((state) => ['failed', 'unknown'].includes(nodeTone(state)))
      .reduce((sum, { count }) => sum + count, 0),
  finds: { node: nodeHref, gpu: gpuHitHref },
};
