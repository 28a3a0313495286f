import { type EventRecorder, jsonEqual, type Source, type SourceListener } from '@quartermaster/controller';
import { type KubeClient, kinds } from '@quartermaster/kube';
import type { RoleLeadership } from '@quartermaster/runtime/host';
import { LabelReconciler } from '../labels/label-reconciler.ts';
import type { Generation } from '../model/snapshot.ts';
import type { HardwareCleaner } from './hardware-cleaner.ts';
import type { Inventory } from './inventory.ts';
import { nodeNotices } from './node-notices.ts';

export interface LeadInventoryOptions {
  readonly leadership: RoleLeadership;
  readonly inventory: Inventory;
  readonly cleaner: HardwareCleaner;
  readonly client: KubeClient;
}

const labelWorkers = 4;

/** What only one replica may do: keep the labels of nodes, tell people what happens to them, forget nodes that are gone, and publish for all. */
export function leadInventory({ leadership, inventory, cleaner, client }: LeadInventoryOptions): void {
  leadership.controller({
    name: 'labels',
    reconciler: ({ writer }) =>
      new LabelReconciler({ nodes: inventory.sources.nodes, view: (name) => inventory.feed.node(name), reader: client, writer }),
    sources: [publishedNodes(inventory)],
    workers: labelWorkers,
  });
  leadership.duty('events', async ({ events, signal }) => {
    const end = announce(inventory, events, signal);
    await whenAborted(signal);
    end();
  });
  leadership.duty('gpu database', ({ writer, signal }) => inventory.gpus.refresh(writer, signal));
  leadership.duty('publishing', ({ signal }) => inventory.publishAsLeader(signal));
  leadership.duty('hardware of gone nodes', (term) => cleaner.run(term));
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Names of nodes whose published inventory changed, and of those whose labels did: somebody else may have removed one of ours. */
function publishedNodes({ feed, sources }: Inventory): Source {
  const everyNode = (listener: SourceListener): void => {
    for (const { key } of sources.nodes.entries()) listener.key(key);
  };
  return {
    isSynced: () => feed.state() !== undefined,
    whenSynced: (signal) => firstGeneration(feed, signal),
    visitAll: everyNode,
    subscribe: (listener) => {
      everyNode(listener);
      const endFeed = followChanges(feed, (names) => {
        for (const name of names) listener.key(name);
      });
      const endNodes = sources.nodes.subscribe({
        updated: ({ key, value }, before) => {
          if (!jsonEqual(value.labels, before.value.labels)) listener.key(key);
        },
      });
      return () => {
        endFeed();
        endNodes();
      };
    },
  };
}

/** Calls back with the names of nodes that changed in each generation. Returns what ends it. */
function followChanges(feed: Inventory['feed'], changed: (names: readonly string[]) => void): () => void {
  let seen: Generation | undefined = feed.state()?.generation;
  return feed.onGeneration(() => {
    const delta = seen === undefined ? undefined : feed.deltaSince(seen);
    seen = feed.state()?.generation;
    changed(delta?.nodes.map(({ name }) => name) ?? feed.current()?.nodes.map(({ name }) => name) ?? []);
  });
}

/** Resolves when there is a first snapshot. */
export async function firstGeneration(feed: Inventory['feed'], signal: AbortSignal): Promise<void> {
  if (feed.state() !== undefined) return;
  await new Promise<void>((resolve, reject) => {
    const end = feed.onGeneration(() => {
      end();
      resolve();
    });
    signal.addEventListener(
      'abort',
      () => {
        end();
        reject(signal.reason);
      },
      { once: true },
    );
  });
}

/** Tells of what changes with nodes from now on, as Kubernetes Events on them. */
function announce({ feed, ledger }: Inventory, events: EventRecorder, signal: AbortSignal): () => void {
  const states = new Map(feed.current()?.nodes.map((node) => [node.name, node]));
  return followChanges(feed, (names) => {
    if (signal.aborted) return;
    for (const name of names) {
      const node = feed.node(name);
      const before = states.get(name);
      if (node === undefined) states.delete(name);
      else states.set(name, node);
      if (node === undefined || before === undefined) continue;
      for (const { type, ...notice } of nodeNotices(before, node)) {
        events.record(kinds.nodes, { metadata: { name, uid: node.uid } }, type, notice);
      }
    }
    for (const { node, vendorId, productId } of ledger.takeUnknownGpus()) {
      const note = `GPU ${vendorId}:${productId} is in no database: it is sold as unknown-${vendorId}-${productId} until an override names it.`;
      events.warning(kinds.nodes, { metadata: { name: node } }, { reason: 'UnknownGpu', action: 'Identify', note });
    }
  });
}
