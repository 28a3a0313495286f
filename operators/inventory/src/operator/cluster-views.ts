import type { FilesystemFacts, HardwareFacts } from '@quartermaster/api/node-hardware';
import { jsonEqual } from '@quartermaster/controller';
import type { ReadableCache } from '@quartermaster/kube';
import { areOfNode } from '../ledger/facts-of-node.ts';
import type { ObservedNode } from '../model/observed.ts';
import type { NodeFilesystems } from '../storage/local/node-filesystems.ts';
import type { ClusterNodes } from '../storage/querier/cluster-nodes.ts';

interface HardwareSources {
  readonly hardware: ReadableCache<{ readonly facts: HardwareFacts }>;
  readonly nodes: ReadableCache<ObservedNode>;
}

/** What the agents said of filesystems, for storage on nodes. */
export function nodeFilesystemsOf({ hardware, nodes }: HardwareSources): NodeFilesystems {
  return {
    of: (name): readonly FilesystemFacts[] | undefined => {
      const facts = hardware.get(name)?.value.facts;
      const node = nodes.get(name)?.value;
      return facts === undefined || (node !== undefined && !areOfNode(facts, node)) ? undefined : facts.filesystems;
    },
    observedAt: () => hardware.status().lastContactAt,
    subscribe: (changed) => hardware.subscribe({ added: changed, updated: changed, deleted: changed }),
  };
}

/** The nodes with their labels and sizes; told only when those, names or machines changed, not at every heartbeat. */
export function clusterNodesOf(nodes: ReadableCache<ObservedNode>): ClusterNodes {
  return {
    *nodes() {
      for (const { value } of nodes.entries()) yield { name: value.name, labels: value.labels, ephemeralSize: ephemeralSizeOf(value) };
    },
    subscribe: (changed) =>
      nodes.subscribe({
        added: changed,
        updated: ({ value }, before) => {
          const isOther = value.uid !== before.value.uid || value.systemUuid !== before.value.systemUuid;
          if (isOther || ephemeralSizeOf(value) !== ephemeralSizeOf(before.value) || !jsonEqual(value.labels, before.value.labels))
            changed();
        },
        deleted: changed,
      }),
  };
}

const ephemeralSizeOf = ({ capacity }: ObservedNode): string | undefined => capacity['ephemeral-storage'];
