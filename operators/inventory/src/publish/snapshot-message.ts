import { create, type MessageInitShape, type UnknownField } from '@bufbuild/protobuf';
import {
  type CompletenessSchema,
  type Delta,
  DeltaSchema,
  type GenerationSchema,
  type LeaseVolumeSchema,
  type Snapshot,
  SnapshotSchema,
  type StorageClassSchema,
  type TotalsSchema,
} from '@quartermaster/api/inventory';
import type {
  Completeness,
  Generation,
  InventoryDelta,
  InventorySnapshot,
  InventoryTotals,
  LeaseVolume,
  ResourceTotals,
} from '../model/snapshot.ts';
import type { StorageInventory } from '../model/storage-inventory.ts';
import { amountMessage, amountMessages, reasonMessage, staleMessage, timestamp, wireNumber } from './amount-message.ts';
import { encodeNodeValue } from './encode-node.ts';
import { leasePodMessage, packedLeasePods } from './lease-pod-message.ts';
import { nodeMessage } from './node-message.ts';
import { PackedNodes } from './packed-nodes.ts';

/** `open`: an ordinary message. `packed`: for the wire only, see PackedNodes. */
export type MessageForm = 'open' | 'packed';

const packedNodes = new PackedNodes(encodeNodeValue);

export function snapshotMessage(snapshot: InventorySnapshot, form: MessageForm): Snapshot {
  const message = create(SnapshotSchema, {
    clusterId: snapshot.clusterId,
    generation: generationMessage(snapshot.generation),
    observedAt: timestamp(snapshot.observedAt),
    completeness: completenessMessage(snapshot.completeness),
    nodes: form === 'open' ? snapshot.nodes.map(nodeMessage) : [],
    storage: snapshot.storage.map(storageMessage),
    leasePods: form === 'open' ? snapshot.leasePods.map(leasePodMessage) : [],
    leaseVolumes: snapshot.leaseVolumes.map(leaseVolumeMessage),
    totals: totalsMessage(snapshot.totals),
  });
  if (form === 'packed') message.$unknown = packedFields(SnapshotSchema.field, snapshot);
  return message;
}

export function deltaMessage(delta: InventoryDelta, form: MessageForm): Delta {
  const message = create(DeltaSchema, {
    clusterId: delta.clusterId,
    from: generationMessage(delta.from),
    to: generationMessage(delta.to),
    observedAt: timestamp(delta.observedAt),
    completeness: completenessMessage(delta.completeness),
    nodes: form === 'open' ? delta.nodes.map(nodeMessage) : [],
    removedNodes: [...delta.removedNodes],
    storage: delta.storage.map(storageMessage),
    removedStorage: [...delta.removedStorage],
    leasePods: form === 'open' ? delta.leasePods.map(leasePodMessage) : [],
    removedLeasePods: [...delta.removedLeasePods],
    leaseVolumes: delta.leaseVolumes.map(leaseVolumeMessage),
    removedLeaseVolumes: [...delta.removedLeaseVolumes],
    totals: totalsMessage(delta.totals),
  });
  if (form === 'packed') message.$unknown = packedFields(DeltaSchema.field, delta);
  return message;
}

function packedFields(
  { nodes, leasePods }: (typeof SnapshotSchema | typeof DeltaSchema)['field'],
  of: Pick<InventorySnapshot, 'nodes' | 'leasePods'>,
): UnknownField[] {
  return packedNodes.field(nodes.number, of.nodes).concat(packedLeasePods(leasePods.number, of.leasePods));
}

export function generationMessage({ epoch, sequence }: Generation): MessageInitShape<typeof GenerationSchema> {
  return { epoch, sequence: BigInt(sequence) };
}

export function completenessMessage({ complete, stale, leftOut }: Completeness): MessageInitShape<typeof CompletenessSchema> {
  const left = leftOut.map(({ source, count, named }) => ({ source, count: BigInt(count), named: named.map((each) => ({ ...each })) }));
  return { complete, stale: stale.map(staleMessage), leftOut: left };
}

export function storageMessage(storage: StorageInventory): MessageInitShape<typeof StorageClassSchema> {
  const { amount, refusal } = storage;
  return {
    name: storage.class,
    provisioner: storage.provisioner,
    backend: storage.backend,
    performance: storage.performance,
    refusal: refusal === undefined ? undefined : reasonMessage(refusal),
    amount: amount === undefined ? undefined : amountMessage(amount),
    perNode: amountMessages(storage.perNode ?? new Map()),
    nodeLocal: storage.perNode !== undefined,
    promisedBytes: wireNumber(storage.promisedBytes),
    volumes: BigInt(storage.volumes),
    replicas: storage.replicas,
    sharesSpaceWith: [...(storage.sharesSpaceWith ?? [])],
    observedAt: timestamp(storage.observedAt),
    largestVolumeBytes: storage.largestVolumeBytes === undefined ? undefined : wireNumber(storage.largestVolumeBytes),
    isDefault: storage.isDefault === true,
    ephemeralNodes: [...(storage.ephemeralNodes ?? [])],
    replicasPerNode: storage.replicasPerNode,
  };
}

function leaseVolumeMessage(volume: LeaseVolume): MessageInitShape<typeof LeaseVolumeSchema> {
  const { class: storageClass, bytes, requestedBytes, ...rest } = volume;
  return { ...rest, storageClass, bytes: wireNumber(bytes), requestedBytes: wireNumber(requestedBytes) };
}

export function totalsMessage({ nodes, sellable, heldBack, unknown }: InventoryTotals): MessageInitShape<typeof TotalsSchema> {
  return {
    sellableNodes: BigInt(nodes.sellable),
    heldBackNodes: BigInt(nodes.heldBack),
    unknownNodes: BigInt(nodes.unknown),
    sellable: shareMessage(sellable),
    heldBack: shareMessage(heldBack),
    unknown: shareMessage(unknown),
  };
}

function shareMessage({ cpu, memory, ephemeralStorage, gpus }: ResourceTotals) {
  return {
    cpu: amountMessage(cpu),
    memory: amountMessage(memory),
    ephemeralStorage: amountMessage(ephemeralStorage),
    gpus: amountMessages(gpus),
  };
}
