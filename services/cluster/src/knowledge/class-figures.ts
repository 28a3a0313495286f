import type { StorageClass } from '@quartermaster/api/inventory';
import { messageOf } from '@quartermaster/kernel';
import type { ClassFigures } from '../model/inventory-change.ts';
import { type CommitLevel, promisable } from '../placement/commit-level.ts';
import { type ReadAmount, readAmount, safe } from './safe-amount.ts';

/** A storage class as the inventory tells of it. One that cannot be read is not offered. */
export function classFigures(storage: StorageClass, level: CommitLevel): ClassFigures {
  try {
    return readClass(storage, level);
  } catch (thrown) {
    return unreadableClass(storage.name, messageOf(thrown));
  }
}

function readClass(storage: StorageClass, level: CommitLevel): ClassFigures {
  const { name, performance, isDefault, refusal, replicas, replicasPerNode, sharesSpaceWith, ephemeralNodes, largestVolumeBytes } = storage;
  const amount = storage.amount && readAmount(storage.amount, 'amount');
  const facts = {
    name,
    performance,
    isDefault,
    refusal: refusal && { code: refusal.code, message: refusal.message },
    replicas: replicas || undefined,
    replicasPerNode: replicasPerNode || undefined,
    sharesSpaceWith,
    ephemeralNodes: new Set(ephemeralNodes),
  };
  if (amount === undefined) return { facts };
  return {
    facts: {
      ...facts,
      freeBytes: freeBytes(storage, amount, level),
      // Volumes are sold more than once, not made larger than a disk.
      largestVolumeBytes: largestVolumeBytes === undefined ? undefined : safe(largestVolumeBytes, 'largest_volume_bytes'),
    },
    allocatableBytes: amount.allocatable,
    allocatedBytes: amount.allocated,
  };
}

function freeBytes({ nodeLocal, perNode }: StorageClass, amount: ReadAmount, level: CommitLevel): number | ReadonlyMap<string, number> {
  if (!nodeLocal) return committed(amount, level);
  return new Map(Object.entries(perNode).map(([node, each]) => [node, committed(readAmount(each, `per_node ${node}`), level)]));
}

/** What can be promised: what is free, and what the commit level makes of what is there beyond that. */
export const committed = ({ allocatable, free }: ReadAmount, level: CommitLevel): number =>
  free + safe(BigInt(promisable(allocatable, level) - allocatable), 'usable bytes');

export function unreadableClass(name: string, why: string): ClassFigures {
  return { facts: { name, refusal: { code: 'FiguresUnreadable', message: `its figures cannot be read: ${why}` } } };
}
