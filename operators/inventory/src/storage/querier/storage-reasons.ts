import type { Reason } from '../../model/node-inventory.ts';
import type { StorageReading, StorageSources } from '../../model/storage-inventory.ts';
import type { FollowedSources } from '../../observe/followed-sources.ts';

/**
 * Every reason for which a storage class is not offered: what is the case, and what to do about it. A class has the first that applies, in this
 * order. docs/reference/storage.md shows the same table to people.
 */
export const storageReasons = {
  ClassMissing: {
    means: 'the configuration lists the class under cluster_storage, and the cluster has no StorageClass of this name',
    hint: 'create the StorageClass, or correct the name in the configuration',
  },
  ClassNotListed: {
    means: 'the configuration lists the classes to offer under cluster_storage, and not this one',
    hint: 'add it there to offer it',
  },
  ClassNotLabelled: {
    means: 'the configuration lists no classes, and this one is neither labelled to be offered nor called as orders call classes',
    hint: 'label it akash.network=true, or list it under cluster_storage',
  },
  ClassOptedOut: {
    means: 'the configuration lists no classes, and the label of this one says that it is not to be offered',
    hint: 'set its label akash.network to true, or list it under cluster_storage',
  },
  NoQuerier: {
    means: 'the capacity behind the class cannot be read',
    hint: 'use a provisioner that is supported (Rook-Ceph, Longhorn, local-path, OpenEBS local) or a CSI driver that publishes CSIStorageCapacity',
  },
  BackendMissing: {
    means: 'the storage system that the class names is not there',
    hint: 'install it, or correct the parameters of the StorageClass',
  },
  BackendUnhealthy: {
    means: 'the storage system reports an error, so that nothing more should be promised on it',
    hint: 'repair it; the class is offered again as soon as it reports health',
  },
  PoolMissing: {
    means: 'the storage system is there, but not the pool, filesystem or path that the class names',
    hint: 'create it, or correct the parameters of the StorageClass',
  },
  AgentMissing: {
    means: 'the class lives on the disks of nodes, and no discovery agent has reported their size',
    hint: 'let the discovery agents run on the nodes that hold volumes of this class',
  },
  CapacityUnknown: {
    means: 'the storage system is there, but its figures could not be read or do not tell what this class can hold',
    hint: 'see the message for what is missing',
  },
} as const satisfies Readonly<Record<string, { readonly means: string; readonly hint: string }>>;

export type StorageReasonCode = keyof typeof storageReasons;

/** The reason with what is the case here, and by default the general hint. */
export function storageReason(code: StorageReasonCode, what: string, hint: string = storageReasons[code].hint): Reason {
  return { code, message: `${what}: ${hint}` };
}

/** The reading of a class that has no figures, for such a reason. */
export function noFigures(...reason: Parameters<typeof storageReason>): StorageReading {
  return { known: false, reason: storageReason(...reason) };
}

/** The reading while the sources have not all answered, `what` being what they tell of; undefined once they have. */
export function unread(sources: Pick<FollowedSources, 'haveAnswered' | 'lastError'>, what: string): StorageReading | undefined {
  if (sources.haveAnswered()) return undefined;
  return noFigures('CapacityUnknown', `${what} could not be read`, sources.lastError() ?? 'the first read has not finished yet');
}

/** The reading while there are objects that could never be read, so that nothing follows from their absence; undefined while there are none. */
export function leftOut(sources: Pick<StorageSources, 'hasUnread'>, what: string): StorageReading | undefined {
  if (sources.hasUnread?.() !== true) return undefined;
  return noFigures('CapacityUnknown', `${what} could not be read`, 'correct or delete the objects that are named as left out');
}
