import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import {
  type Cluster,
  ClusterSchema,
  type CPUInfoSchema,
  type GPUInfoSchema,
  type MemoryInfoSchema,
  type Node,
  NodeSchema,
  type ResourcePairSchema,
  type StorageSchema,
} from '@quartermaster/api/akash-inventory';
import { formatQuantity, quantityFromMillis, quantityFromWhole } from '@quartermaster/kernel';
import { type Amount, amount, sumOf } from '../model/amount.ts';
import type { GpuGroup, NodeInventory } from '../model/node-inventory.ts';
import type { InventorySnapshot } from '../model/snapshot.ts';
import { compareNames } from '../model/sorted-by-name.ts';
import type { StorageInventory } from '../model/storage-inventory.ts';
import { PackedNodes } from '../publish/packed-nodes.ts';

type Pair = MessageInitShape<typeof ResourcePairSchema>;

/*
 * The inventory in the words of akash.inventory.v1. Its readers take every node that it lists as one to sell, and `allocatable - allocated` as
 * what is free; so nodes that are held back or unknown are left out, and `allocated` covers all that is not available.
 */

// A node is written for every reader and every generation, and few nodes change.
const written = new WeakMap<NodeInventory, Node>(); // node -> its message

const packedNodes = new PackedNodes((node) => new BinaryWriter().bytes(toBinary(NodeSchema, akashNode(node))).finish());

/** What of a snapshot is shown: sellable nodes by name, offered storage classes by name. */
export interface AkashView {
  readonly nodes: readonly NodeInventory[];
  readonly storage: readonly StorageInventory[];
}

export function akashView({ nodes, storage }: InventorySnapshot): AkashView {
  return {
    nodes: nodes.filter((node) => node.sellability.state === 'sellable'),
    storage: storage.filter((each) => each.refusal === undefined && each.amount !== undefined),
  };
}

export function akashCluster({ nodes, storage }: AkashView): Cluster {
  return create(ClusterSchema, { nodes: nodes.map(akashNode), storage: storage.flatMap(akashStorage) });
}

/** The same for the wire only, see PackedNodes. */
export function packedAkashCluster({ nodes, storage }: AkashView): Cluster {
  const message = create(ClusterSchema, { storage: storage.flatMap(akashStorage) });
  message.$unknown = packedNodes.field(ClusterSchema.field.nodes.number, nodes);
  return message;
}

export function akashNode(node: NodeInventory): Node {
  const known = written.get(node);
  if (known !== undefined) return known;
  const message = create(NodeSchema, {
    name: node.name,
    resources: {
      cpu: { quantity: pair(node.cpu, millis), info: cpuInfo(node) },
      memory: { quantity: pair(node.memory, bytes), info: memoryInfo(node) },
      gpu: { quantity: pair(sumOf(node.gpus.map(({ amount: each }) => each)), count), info: gpuInfo(node.gpus) },
      ephemeralStorage: pair(node.ephemeralStorage, bytes),
      volumesAttached: pair(none, count),
      volumesMounted: pair(none, count),
    },
    capabilities: { storageClasses: [...node.storageClasses] },
  });
  written.set(node, message);
  return message;
}

function akashStorage({ class: name, amount: space }: StorageInventory): MessageInitShape<typeof StorageSchema>[] {
  return space === undefined ? [] : [{ quantity: pair(space, bytes), info: { class: name, iops: '' } }];
}

function cpuInfo({ hardware }: NodeInventory): MessageInitShape<typeof CPUInfoSchema>[] {
  return hardware.cpus
    .map(({ id, vendor, model, threads }) => ({ id, vendor, model, vcores: threads }))
    .toSorted((a, b) => compareNames(a.vendor, b.vendor) || compareNames(a.id, b.id) || compareNames(a.model, b.model));
}

function memoryInfo({ hardware }: NodeInventory): MessageInitShape<typeof MemoryInfoSchema>[] {
  return hardware.memoryModules.map(({ manufacturer = '', type = '', sizeBytes, speedMtps }) => ({
    vendor: manufacturer,
    type,
    totalSize: bytes(sizeBytes),
    speed: speedMtps === undefined ? '' : `${speedMtps} MT/s`,
  }));
}

/**
 * One entry per card. Readers count the entries that match an order and look at the sum of all free cards. Where all cards are alike that is
 * right; where they are not, only free cards are listed, so that no model is promised more often than it is free.
 */
function gpuInfo(groups: readonly GpuGroup[]): MessageInitShape<typeof GPUInfoSchema>[] {
  return groups
    .flatMap((group) => Array.from({ length: groups.length === 1 ? group.amount.allocatable : group.amount.available }, () => group))
    .map(({ vendor, vendorId, model, modelId, interface: bus, memoryBytes }) => ({
      vendor,
      vendorId,
      name: model,
      modelid: modelId,
      interface: bus,
      memorySize: memoryBytes === 0 ? '' : bytes(memoryBytes),
    }))
    .toSorted((a, b) => compareNames(a.vendor, b.vendor) || compareNames(a.name, b.name) || compareNames(a.memorySize, b.memorySize));
}

function pair({ capacity, allocatable, allocated, available }: Amount, text: (value: number) => string): Pair {
  return {
    allocatable: { string: text(allocatable) },
    allocated: { string: text(Math.max(allocated, allocatable - available)) },
    capacity: { string: text(capacity) },
  };
}

const none = amount(0, 0, 0);

const millis = (value: number): string => formatQuantity(quantityFromMillis(value));
const bytes = (value: number): string => formatQuantity(quantityFromWhole(value, 'BinarySI'));
const count = (value: number): string => formatQuantity(quantityFromWhole(value));
