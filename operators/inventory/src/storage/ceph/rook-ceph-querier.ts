import type { Cache } from '@quartermaster/kube';
import type { StorageQuerier } from '../../model/storage-inventory.ts';
import { FollowedSources } from '../../observe/followed-sources.ts';
import { shaped } from '../../observe/shape.ts';
import type { QuerierContext } from '../querier/querier-context.ts';
import { leftOut, noFigures, unread } from '../querier/storage-reasons.ts';
import {
  blockPoolFacts,
  type CephClusterFacts,
  type CephFilesystemFacts,
  type CephPoolFacts,
  clusterFacts,
  filesystemFacts,
} from './ceph-facts.ts';
import { cephBlockPoolShape, cephBlockPools, cephClusterShape, cephClusters, cephFilesystemShape, cephFilesystems } from './ceph-kinds.ts';
import { cephPlaceOf, isCephProvisioner } from './ceph-place.ts';
import { CephToolbox } from './ceph-toolbox.ts';
import { CephView } from './ceph-view.ts';
import { readCephClass } from './read-ceph-class.ts';

const byNamespace = <P extends { readonly namespace: string }>() => ({
  namespace: ({ value }: { readonly value: P }) => [value.namespace],
});

/** Answers for block and filesystem classes of Ceph clusters that Rook runs. */
export function rookCephQuerier(context: QuerierContext): StorageQuerier {
  const { caches, changed, clock } = context;
  const metadata = { name: true, namespace: true } as const;
  const clusters = caches.open({
    name: 'ceph-clusters',
    type: cephClusters,
    fields: { metadata, spec: { storage: { fullRatio: true } }, status: true },
    project: shaped(cephClusterShape, clusterFacts),
    indexes: byNamespace<CephClusterFacts>(),
  });
  const blockPools = caches.open({
    name: 'ceph-block-pools',
    type: cephBlockPools,
    fields: { metadata, spec: true, status: { phase: true } },
    project: shaped(cephBlockPoolShape, blockPoolFacts),
    indexes: byNamespace<CephPoolFacts>(),
  });
  const filesystems = caches.open({
    name: 'ceph-filesystems',
    type: cephFilesystems,
    fields: { metadata, spec: { dataPools: true, preservePoolNames: true }, status: { phase: true } },
    project: shaped(cephFilesystemShape, filesystemFacts),
    indexes: byNamespace<CephFilesystemFacts>(),
  });
  const toolbox = new CephToolbox(context);
  // Rook writes the status whenever it has looked: a good moment to ask for the details.
  const askAboutIt = ({ value }: { readonly value: CephClusterFacts }): void => toolbox.ask(value.namespace);
  clusters.subscribe({ added: askAboutIt, updated: askAboutIt });
  const objects = new FollowedSources([clusters, blockPools, filesystems], clock);
  objects.subscribe(changed);
  // One that is not there hides what its volumes were promised on the same devices.
  const limits = new FollowedSources([filesystems], clock);
  return {
    name: 'rook-ceph',
    sources: {
      whenReady: async (signal) => {
        await objects.whenReady(signal);
        await toolbox.whenReady(signal);
      },
      stale: () => [...objects.stale(), ...toolbox.stale()],
      hasUnread: () => objects.hasUnread(),
      stop: async () => {
        await Promise.all([objects.stop(), toolbox.stop()]);
      },
    },
    handles: ({ provisioner }) => isCephProvisioner(provisioner),
    read(storageClass) {
      const { name, provisioner, parameters } = storageClass;
      const place = cephPlaceOf(provisioner, parameters);
      if (place === undefined) return noFigures('BackendMissing', `class ${name} names no clusterID in its parameters`);
      const early = unread(objects, 'the objects of Rook') ?? leftOut(limits, 'filesystems of Ceph');
      if (early !== undefined) return early;
      const namespace = place.clusterId;
      const inNamespace = <P>(cache: Cache<P>): P[] => cache.byIndex('namespace', namespace).map(({ value }) => value);
      const [cluster] = inNamespace(clusters);
      if (cluster === undefined) {
        const what = `there is no CephCluster in namespace ${namespace}, which class ${name} gives as its clusterID`;
        return noFigures('BackendMissing', what);
      }
      const view = new CephView(cluster, inNamespace(blockPools), inNamespace(filesystems), toolbox.report(namespace), context);
      return readCephClass(storageClass, place, view, clusters.status().lastContactAt ?? clock.now());
    },
  };
}
