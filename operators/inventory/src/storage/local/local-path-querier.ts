import { messageOf } from '@quartermaster/kernel';
import { kinds } from '@quartermaster/kube';
import type { UnreadNodes } from '../../model/node-inventory.ts';
import type { StorageClassFacts, StorageQuerier } from '../../model/storage-inventory.ts';
import { textsShape } from '../../observe/config-map-shape.ts';
import { FollowedSources } from '../../observe/followed-sources.ts';
import { shaped } from '../../observe/shape.ts';
import { type ClusterNodes, nodeFinder } from '../querier/cluster-nodes.ts';
import type { QuerierContext } from '../querier/querier-context.ts';
import { leftOut, noFigures, unread } from '../querier/storage-reasons.ts';
import type { VolumeGroup } from '../querier/volume-ledger.ts';
import { type LocalPathConfig, type LocalPlaces, parseLocalPathConfig } from './local-path-config.ts';
import { defaultLocalPathConfig, isLocalClass, isLocalProvisioner, placesOf } from './local-places.ts';
import { type BackendVolumes, type BytesBeside, bytesBeside, type FolderVolumes, type LocalView } from './local-view.ts';
import type { NodeFilesystems } from './node-filesystems.ts';
import { readLocalClass } from './read-local-class.ts';
import { untoldInEphemeral, volumesInEphemeral } from './volumes-in-ephemeral.ts';

interface LocalPathContext extends QuerierContext {
  readonly filesystems: NodeFilesystems;
  readonly nodes: ClusterNodes;
  /** What of other backends lies in folders of nodes. */
  readonly others: BackendVolumes;
}

export interface LocalPathQuerier extends StorageQuerier {
  /** Of its own volumes alone. */
  bytesBeside(): BytesBeside;
}

const configName = 'local-path-config';

/** Answers for classes whose volumes are folders on the nodes' own disks: local-path and OpenEBS local. */
export function localPathQuerier(context: LocalPathContext): LocalPathQuerier {
  const { caches, nodes, filesystems, changed, clock } = context;
  // By name alone: the provisioner may live in any namespace, and other ConfigMaps are nobody's business here.
  const configs = caches.open({
    name: 'local-path-config',
    type: kinds.configMaps,
    fieldSelector: `metadata.name=${configName}`,
    fields: { data: true },
    project: shaped(textsShape, ({ data }) => configFacts(data?.['config.json'])),
  });
  const sources = new FollowedSources([configs], clock);
  sources.subscribe(changed, filesystems, nodes);
  const factsNow = (): ConfigFacts | undefined => [...configs.entries()].toSorted((a, b) => (a.key < b.key ? -1 : 1))[0]?.value;
  const configNow = (): LocalPathConfig | undefined => {
    const facts = sources.haveAnswered() && !sources.hasUnread() ? (factsNow() ?? defaultConfig) : undefined;
    return facts !== undefined && 'config' in facts ? facts.config : undefined;
  };
  return {
    name: 'local-path',
    sources,
    handles: isLocalClass,
    read(storageClass) {
      const what = `the ConfigMap ${configName}`;
      const early = unread(sources, what) ?? leftOut(sources, what);
      if (early !== undefined) return early;
      const facts = factsNow() ?? defaultConfig;
      if ('problem' in facts) return noFigures('CapacityUnknown', facts.problem, `correct the ConfigMap ${configName}`);
      return readLocalClass(storageClass, localView(context, facts.config));
    },
    volumesInEphemeral() {
      const view = localView(context, configNow());
      return { bytes: volumesInEphemeral(view), unread: unreadNodes(context, view) };
    },
    bytesBeside() {
      const view = localView(context, configNow(), []);
      return (node, place) => bytesBeside(node, place, view);
    },
  };
}

/** The nodes whose ephemeral storage may hold volumes that nobody could read: where a volume is, nothing but itself tells. */
function unreadNodes(context: LocalPathContext, view: LocalView): UnreadNodes {
  const { promises, mayHaveClass, mayHaveVolume } = context;
  const areRead = promises.haveAnswered() && !promises.hasUnread();
  const isUsed = (): boolean => mayHaveClass(isLocalClass) || mayHaveVolume((each) => isLocal(each, context));
  if (view.unread === 'all' || (!areRead && isUsed())) return 'all';
  return new Set([...view.unread, ...untoldInEphemeral(view)]);
}

function isLocal({ class: className, provisioner }: VolumeGroup, { classOf }: LocalPathContext): boolean {
  const storageClass = classOf(className);
  return storageClass === undefined ? isLocalProvisioner(provisioner) : isLocalClass(storageClass);
}

/** Without a configuration, nobody can tell where classes put their next volumes. */
function localView(
  context: LocalPathContext,
  config: LocalPathConfig | undefined,
  others: readonly FolderVolumes[] = context.others.volumes(),
): LocalView {
  const { filesystems, nodes, volumes, classOf, clock } = context;
  const all = [...nodes.nodes()];
  const nodeOf = nodeFinder(all);
  // Read once for all nodes: the settings of a class are YAML.
  const places = new Map<StorageClassFacts, (node: string) => LocalPlaces>();
  const local = [...volumes.groups()]
    .filter((each) => isLocal(each, context))
    .map(({ class: className, place: group, folder, node = '', bytes }) => ({
      className,
      group,
      storageClass: classOf(className),
      folder,
      bytes,
      node: nodeOf(node),
    }));
  return {
    nodes: all.map(({ name }) => name),
    filesystemsOf: (node) => filesystems.of(node),
    placesOf(storageClass, node) {
      if (config === undefined) return undefined;
      const placesOn = places.get(storageClass) ?? placesOf(storageClass, config);
      places.set(storageClass, placesOn);
      return placesOn(node);
    },
    volumes: Map.groupBy([...local, ...others.map((each) => ({ ...each, className: '' }))], ({ node }) => node),
    unread: context.others.unread(),
    observedAt: filesystems.observedAt() ?? clock.now(),
  };
}

type ConfigFacts = { readonly config: LocalPathConfig } | { readonly problem: string };

const defaultConfig: ConfigFacts = { config: defaultLocalPathConfig };

function configFacts(json: string | undefined): ConfigFacts {
  if (json === undefined) return { problem: `the ConfigMap ${configName} has no config.json` };
  try {
    return { config: parseLocalPathConfig(json) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
