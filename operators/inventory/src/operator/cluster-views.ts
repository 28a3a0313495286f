import type { FilesystemFacts, HardwareFacts } from '@quartermaster/api/node-hardware';
import { jsonEqual } from '@quartermaster/controller';
import type { ReadableCache } from '@quartermaster/kube';
import type { ObservedNode } from '../model/observed.ts';
import type { NodeFilesystems } from '../storage/local/node-filesystems.ts';
import type { ClusterNodes } from '../storage/querier/cluster-nodes.ts';

/** What the agents said of filesystems, for storage on nodes. */
export function nodeFilesystemsOf(hardware: ReadableCache<{ readonly facts: HardwareFacts }>): NodeFilesystems {
  return {
    of: (node): readonly FilesystemFacts[] | undefined => hardware.get(node)?.value.facts.filesystems,
    observedAt: () => hardware.status().lastContactAt,
    subscribe: (changed) => hardware.subscribe({ added: changed, updated: changed, deleted: changed }),
  };
}

/** The nodes with their labels; told only when names or labels changed, not at every heartbeat. */
export function clusterNodesOf(nodes: ReadableCache<ObservedNode>): ClusterNodes {
  return {
    *nodes() {
      for (const { value } of nodes.entries()) yield { name: value.name, labels: value.labels };
    },
    subscribe: (changed) =>
      nodes.subscribe({
        added: changed,
        updated: ({ value }, before) => {
          if (!jsonEqual(value.labels, before.value.labels)) changed();
        },
        deleted: changed,
      }),
  };
}
