import { ClusterRPC, type Node, NodeRPC } from '@quartermaster/api/akash-inventory';
import { type Clock, pause, StatusError, systemClock } from '@quartermaster/kernel';
import { type CallContext, type ServedService, serve } from '@quartermaster/rpc';
import type { InventorySnapshot } from '../model/snapshot.ts';
import { type InventoryFeed, snapshotOf } from '../publish/inventory-feed.ts';
import { type AkashView, akashNode, akashView, packedAkashCluster } from './akash-messages.ts';

export interface AkashServicesOptions {
  readonly feed: InventoryFeed;
  /** At least so long between two clusters of a stream: each is whole. Default 250 ms. */
  readonly streamIntervalMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** Which node a NodeRPC is about: its request has no field for that. */
export const nodeHeader = 'x-quartermaster-node';

/** akash.inventory.v1. Streams begin with what is known, go on with every change, and leave out changes that this view does not show. */
export function akashServices({ feed, streamIntervalMs = 250, clock = systemClock }: AkashServicesOptions): readonly ServedService[] {
  /** `view` of every generation in which it is another one, as often as the interval allows. */
  async function* changes<T>(view: (snapshot: InventorySnapshot) => T, isSame: (a: T, b: T) => boolean, signal: AbortSignal) {
    let last: T | undefined;
    snapshotOf(feed);
    for await (const _event of feed.subscribe(undefined, signal)) {
      const next = view(snapshotOf(feed));
      if (last !== undefined && isSame(last, next)) continue;
      last = next;
      yield next;
      await pause(clock, streamIntervalMs, signal);
    }
  }

  return [
    serve(ClusterRPC, {
      queryCluster: () => packedAkashCluster(akashView(snapshotOf(feed))),
      async *streamCluster(_request, { signal }) {
        for await (const view of changes(akashView, isSameView, signal)) yield packedAkashCluster(view);
      },
    }),
    serve(NodeRPC, {
      queryNode: (_request, context) => chosenNode(snapshotOf(feed), context.header(nodeHeader)),
      streamNode: (_request, context: CallContext) =>
        changes(
          (snapshot) => chosenNode(snapshot, context.header(nodeHeader)),
          (a, b) => a === b,
          context.signal,
        ),
    }),
  ];
}

/** The node of that name, sellable or not; without a name, the only one that there is. */
export function chosenNode({ nodes }: InventorySnapshot, name: string | undefined): Node {
  const [first, ...others] = name === undefined ? nodes : nodes.filter((node) => node.name === name);
  if (first === undefined)
    throw new StatusError('not_found', name === undefined ? 'the cluster has no node' : `node ${name} does not exist`);
  if (others.length === 0) return akashNode(first);
  throw new StatusError(
    'invalid_argument',
    `the cluster has ${nodes.length} nodes: name one, as metadata ${nodeHeader} or as /v1/node/<name>`,
  );
}

/** What did not change is the same object in both. */
function isSameView(a: AkashView, b: AkashView): boolean {
  return isSameList(a.nodes, b.nodes) && isSameList(a.storage, b.storage);
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index]);
}
