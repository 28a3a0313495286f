import { messageOf } from '@quartermaster/kernel';
import { kinds } from '@quartermaster/kube';
import type { StorageQuerier } from '../../model/storage-inventory.ts';
import { FollowedSources } from '../../observe/followed-sources.ts';
import { fields, mapOf, shaped, text } from '../../observe/shape.ts';
import { type ClusterNodes, nodeFinder } from '../querier/cluster-nodes.ts';
import type { QuerierContext } from '../querier/querier-context.ts';
import { noFigures, unread } from '../querier/storage-reasons.ts';
import { type LocalPathConfig, parseLocalPathConfig } from './local-path-config.ts';
import { isLocalProvisioner, placesOf } from './local-places.ts';
import type { NodeFilesystems } from './node-filesystems.ts';
import { type LocalView, readLocalClass } from './read-local-class.ts';

interface LocalPathContext extends QuerierContext {
  readonly filesystems: NodeFilesystems;
  readonly nodes: ClusterNodes;
}

const configName = 'local-path-config';

/** Answers for classes whose volumes are folders on the nodes' own disks: local-path and OpenEBS local. */
export function localPathQuerier(context: LocalPathContext): StorageQuerier {
  const { caches, nodes, filesystems, changed, clock } = context;
  // By name alone: the provisioner may live in any namespace, and other ConfigMaps are nobody's business here.
  const configs = caches.open({
    name: 'local-path-config',
    type: kinds.configMaps,
    fieldSelector: `metadata.name=${configName}`,
    fields: { data: true },
    project: shaped(fields({ data: mapOf(text) }), ({ data }) => configFacts(data?.['config.json'])),
  });
  const sources = new FollowedSources([configs], clock);
  sources.subscribe(changed, filesystems, nodes);
  return {
    name: 'local-path',
    sources,
    handles: ({ provisioner }) => isLocalProvisioner(provisioner),
    read(storageClass) {
      const early = unread(sources, `the ConfigMap ${configName}`);
      if (early !== undefined) return early;
      const facts = [...configs.entries()].toSorted((a, b) => (a.key < b.key ? -1 : 1))[0]?.value;
      if (facts !== undefined && 'problem' in facts) {
        return noFigures('CapacityUnknown', facts.problem, `correct the ConfigMap ${configName}`);
      }
      return readLocalClass(storageClass, localView(context, facts?.config));
    },
  };
}

function localView({ filesystems, nodes, volumes, classOf, clock }: LocalPathContext, config: LocalPathConfig | undefined): LocalView {
  const all = [...nodes.nodes()];
  const nodeOf = nodeFinder(all);
  const local = [...volumes.groups()].flatMap(({ class: className, node = '', bytes }) => {
    const storageClass = classOf(className);
    if (storageClass === undefined || !isLocalProvisioner(storageClass.provisioner)) return [];
    return [{ storageClass, bytes, node: nodeOf(node) }];
  });
  return {
    nodes: all.map(({ name }) => name),
    filesystemsOf: (node) => filesystems.of(node),
    placesOf: (storageClass, node) => placesOf(storageClass, node, config),
    volumes: Map.groupBy(local, ({ node }) => node),
    observedAt: filesystems.observedAt() ?? clock.now(),
  };
}

function configFacts(json: string | undefined): { readonly config: LocalPathConfig } | { readonly problem: string } {
  if (json === undefined) return { problem: `the ConfigMap ${configName} has no config.json` };
  try {
    return { config: parseLocalPathConfig(json) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
