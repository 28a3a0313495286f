import { StatusError } from '@quartermaster/kernel';
import type { InventoryDelta, InventorySnapshot } from '../src/model/snapshot.ts';
import { sortedByName } from '../src/model/sorted-by-name.ts';

/** The snapshot after the delta. Throws `failed_precondition` when the delta does not begin where the snapshot is: ask for a snapshot then. */
export function applyDelta(snapshot: InventorySnapshot, delta: InventoryDelta): InventorySnapshot {
  const { generation } = snapshot;
  if (generation.epoch !== delta.from.epoch || generation.sequence !== delta.from.sequence) {
    throw new StatusError(
      'failed_precondition',
      `delta from ${delta.from.epoch}/${delta.from.sequence} does not follow ${generation.epoch}/${generation.sequence}: read a snapshot`,
    );
  }
  return {
    clusterId: delta.clusterId,
    generation: delta.to,
    observedAt: delta.observedAt,
    completeness: delta.completeness,
    nodes: merged(snapshot.nodes, delta.nodes, delta.removedNodes, (node) => node.name),
    storage: merged(snapshot.storage, delta.storage, delta.removedStorage, (each) => each.class),
    leasePods: merged(snapshot.leasePods, delta.leasePods, delta.removedLeasePods, (pod) => pod.uid),
    leaseVolumes: merged(snapshot.leaseVolumes, delta.leaseVolumes, delta.removedLeaseVolumes, (claim) => claim.uid),
    totals: delta.totals,
  };
}

function merged<T>(old: readonly T[], changed: readonly T[], removed: readonly string[], nameOf: (each: T) => string): readonly T[] {
  if (changed.length === 0 && removed.length === 0) return old;
  const byName = new Map(old.map((each) => [nameOf(each), each]));
  for (const name of removed) byName.delete(name);
  for (const each of changed) byName.set(nameOf(each), each);
  return sortedByName([...byName.values()], nameOf);
}
