import { clusterRole } from '@quartermaster/cluster/roles';
import { inventoryRole } from '@quartermaster/inventory/roles';
import type { Clock } from '@quartermaster/kernel';
import type { KubeClient } from '@quartermaster/kube';
import type { Lifecycle, Logger } from '@quartermaster/service';
import { productImage, productNamespace, version } from '../product/product.ts';
import { inStep, type Progress } from '../text/progress.ts';
import { applyManifests } from './apply-manifests.ts';
import { assembleManifests } from './manifests.ts';
import { roleDeployments } from './role-deployments.ts';

export interface InstallDiscoveryOptions {
  readonly client: KubeClient;
  readonly kubernetes: 'simulated' | 'real' | 'given';
  readonly progress: Progress;
  readonly log: Logger;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
}

/** Puts the agents on the nodes of a cluster of our own. On a given one that is for its owner to decide: `quartermaster manifests` prints what to apply. */
export async function installDiscovery({ client, kubernetes, progress, log, clock, lifecycle }: InstallDiscoveryOptions): Promise<void> {
  if (kubernetes === 'given') return;
  await inStep(progress, 'discovery agents', async () => {
    const options = { namespace: productNamespace, image: `${productImage}:${version}` };
    const agents = await assembleManifests(roleDeployments(['discovery']), options);
    // The operator runs in this process, and shows agents a token of the account that it has in a cluster.
    const operator = await assembleManifests(roleDeployments([inventoryRole.name]), options);
    // The cluster service, too, runs in this process, and keeps reservations in the cluster.
    const service = await assembleManifests(roleDeployments([clusterRole.name]), options);
    const contracts = service.filter(({ kind }) => kind === 'CustomResourceDefinition');
    const objects = [...agents, ...operator.filter(({ kind }) => kind === 'ServiceAccount'), ...contracts];
    const skipped = await applyManifests(client, objects, { clock, signal: lifecycle.signal });
    for (const { kind, metadata } of skipped) log.debug('the cluster does not know this kind, left out', { kind, name: metadata?.name });
    return { result: undefined, detail: `${objects.length - skipped.length} objects applied` };
  });
}
