import { startCache } from '@quartermaster/kube';
import type { StorageQuerier } from '../../model/storage-inventory.ts';
import { FollowedSources } from '../../observe/followed-sources.ts';
import type { QuerierContext } from '../querier/querier-context.ts';
import { noFigures, unread } from '../querier/storage-reasons.ts';
import { missingReplicaBytes, nodeFacts, volumeFacts } from './longhorn-disks.ts';
import { longhornNodes, longhornSettings, longhornVolumes } from './longhorn-kinds.ts';
import { readLonghornClass } from './read-longhorn-class.ts';

const longhornProvisioner = 'driver.longhorn.io';

/** Answers for the classes of Longhorn. */
export function longhornQuerier({ client, volumes: promised, changed, clock, random, log }: QuerierContext): StorageQuerier {
  const running = { clock, random, log };
  const nodes = startCache(client, {
    ...running,
    type: longhornNodes,
    fields: {
      spec: { allowScheduling: true, evictionRequested: true, tags: true, disks: true },
      status: { conditions: { type: true, status: true }, diskStatus: true, zone: true },
    },
    project: nodeFacts,
  });
  const volumes = startCache(client, {
    ...running,
    type: longhornVolumes,
    fields: { spec: { size: true, numberOfReplicas: true }, status: { robustness: true } },
    project: volumeFacts,
  });
  const settings = startCache(client, {
    ...running,
    type: longhornSettings,
    fields: { value: true },
    project: ({ metadata, value }): [name: string, value: string] => [metadata?.name ?? '', value ?? ''],
  });
  const sources = new FollowedSources({ 'longhorn-nodes': nodes, 'longhorn-volumes': volumes, 'longhorn-settings': settings }, clock);
  sources.subscribe(changed);
  return {
    name: 'longhorn',
    sources,
    handles: ({ provisioner }) => provisioner === longhornProvisioner,
    read(storageClass) {
      const early = unread(sources, 'the objects of Longhorn');
      if (early !== undefined) return early;
      if (nodes.size === 0) return noFigures('BackendMissing', 'there are no nodes of Longhorn');
      const known = Array.from(nodes.entries(), ({ value }) => value);
      let waitingBytes = 0;
      for (const { driver, bytes } of promised.groupsOf(storageClass.name)) if (driver !== longhornProvisioner) waitingBytes += bytes;
      return readLonghornClass(storageClass, {
        nodes: known,
        missingBytes: missingReplicaBytes(
          Array.from(volumes.entries(), ({ value }) => value),
          known,
        ),
        settings: new Map(Array.from(settings.entries(), ({ value }) => value)),
        promisedBytes: promised.ofClass(storageClass.name).bytes,
        waitingBytes,
        observedAt: nodes.status().lastContactAt ?? clock.now(),
      });
    },
  };
}
