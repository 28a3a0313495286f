import { isRead, parseKey } from '@quartermaster/kube';
import type { UnreadNodes } from '../../model/node-inventory.ts';
import type { StorageQuerier } from '../../model/storage-inventory.ts';
import { FollowedSources } from '../../observe/followed-sources.ts';
import { shaped } from '../../observe/shape.ts';
import type { BackendVolumes, BytesBeside } from '../local/local-view.ts';
import type { NodeFilesystems } from '../local/node-filesystems.ts';
import type { ClusterNodes } from '../querier/cluster-nodes.ts';
import type { QuerierContext } from '../querier/querier-context.ts';
import { leftOut, noFigures, unread } from '../querier/storage-reasons.ts';
import { diskPlaces, type PlaceOf, replicasInFolders, unknownDisks } from './disk-place.ts';
import { type LonghornNodeFacts, missingReplicaBytes, nodeFacts, volumeFacts } from './longhorn-disks.ts';
import {
  longhornNodeShape,
  longhornNodes,
  longhornSettingShape,
  longhornSettings,
  longhornVolumeShape,
  longhornVolumes,
} from './longhorn-kinds.ts';
import { LostDisks } from './lost-disks.ts';
import { readLonghornClass } from './read-longhorn-class.ts';

const longhornProvisioner = 'driver.longhorn.io';

interface LonghornContext extends QuerierContext {
  readonly filesystems: NodeFilesystems;
  readonly nodes: ClusterNodes;
  /** What node-local classes were promised. */
  readonly locals: () => BytesBeside;
}

export interface LonghornQuerier extends StorageQuerier {
  readonly replicas: BackendVolumes;
}

/** Answers for the classes of Longhorn. */
export function longhornQuerier(context: LonghornContext): LonghornQuerier {
  const { caches, volumes: promised, mayHaveClass, mayHaveVolume, changed, filesystems, clock } = context;
  const nodes = caches.open({
    name: 'longhorn-nodes',
    type: longhornNodes,
    fields: {
      spec: { allowScheduling: true, evictionRequested: true, tags: true, disks: true },
      status: { conditions: { type: true, status: true }, diskStatus: true, zone: true },
    },
    project: shaped(longhornNodeShape, nodeFacts),
  });
  const volumes = caches.open({
    name: 'longhorn-volumes',
    type: longhornVolumes,
    fields: { spec: { size: true, numberOfReplicas: true }, status: { robustness: true } },
    project: shaped(longhornVolumeShape, volumeFacts),
  });
  const settings = caches.open({
    name: 'longhorn-settings',
    type: longhornSettings,
    fields: { value: true },
    project: shaped(longhornSettingShape, ({ metadata, value }): [name: string, value: string] => [metadata?.name ?? '', value ?? '']),
  });
  const sources = new FollowedSources([nodes, volumes, settings], clock);
  sources.subscribe(changed, filesystems, context.nodes);
  // What is not there of these would leave more of its classes to sell, a node less.
  const limits = new FollowedSources([volumes, settings], clock);
  const known = (): LonghornNodeFacts[] => Array.from(nodes.entries(), ({ value }) => value);
  const lost = new LostDisks();
  const places = (): PlaceOf =>
    lost.placesOf(
      known(),
      diskPlaces(context.nodes.nodes(), (node) => filesystems.of(node)),
    );
  const handles: StorageQuerier['handles'] = ({ provisioner }) => provisioner === longhornProvisioner;
  // Where nobody uses Longhorn, its nodes may be refused without being there.
  const isUsed = (): boolean => mayHaveClass(handles) || mayHaveVolume(({ driver }) => driver === longhornProvisioner);
  const leftOutNodes = (): ReadonlySet<string> =>
    new Set(nodes.unreadable().flatMap(({ key }) => (nodes.get(key) === undefined ? [parseKey(key).name] : [])));
  const unreadNodes = (): UnreadNodes => (!isRead(nodes.status()) && isUsed() ? 'all' : leftOutNodes());
  return {
    name: 'longhorn',
    sources: {
      whenReady: (signal) => sources.whenReady(signal),
      stale: () => [...sources.stale(), ...unknownDisks(known(), places())],
      hasUnread: () => sources.hasUnread(),
      stop: () => sources.stop(),
    },
    replicas: { volumes: () => replicasInFolders(known(), places()), unread: unreadNodes },
    handles,
    read(storageClass) {
      const early = unread(sources, 'the objects of Longhorn') ?? leftOut(limits, 'volumes or settings of Longhorn');
      if (early !== undefined) return early;
      if (nodes.size === 0) return noFigures('BackendMissing', 'there are no nodes of Longhorn');
      let waitingBytes = 0;
      const volumePlaces: string[] = [];
      for (const { driver, bytes, place } of promised.groupsOf(storageClass.name)) {
        if (driver !== longhornProvisioner) waitingBytes += bytes;
        volumePlaces.push(place);
      }
      return readLonghornClass(storageClass, {
        nodes: known(),
        placeOf: places(),
        localBytes: context.locals(),
        missingBytes: missingReplicaBytes(
          Array.from(volumes.entries(), ({ value }) => value),
          known(),
        ),
        settings: new Map(Array.from(settings.entries(), ({ value }) => value)),
        promisedBytes: promised.ofClass(storageClass.name).bytes,
        places: volumePlaces,
        waitingBytes,
        unread: leftOutNodes(),
        observedAt: nodes.status().lastContactAt ?? clock.now(),
      });
    },
  };
}
