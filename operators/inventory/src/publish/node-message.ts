import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  DiskKind,
  type GpuDeviceSchema,
  GpuIdentification,
  GpuPartKind,
  type GpuPartSchema,
  GpuState,
  HardwareSchema,
  HolderSource,
  type MigSchema,
  type Node,
  NodeSchema,
  Sellability,
} from '@quartermaster/api/inventory';
import type { GpuDevice, GpuGroup, GpuPart, NodeHardwareView, NodeInventory } from '../model/node-inventory.ts';
import { amountMessage, amountMessages, reasonMessage, staleMessage, timestamp } from './amount-message.ts';

export const sellabilities = {
  sellable: Sellability.SELLABLE,
  'held-back': Sellability.HELD_BACK,
  unknown: Sellability.UNKNOWN,
} as const;

const identifications = {
  override: GpuIdentification.OVERRIDE,
  database: GpuIdentification.DATABASE,
  driver: GpuIdentification.DRIVER,
  labels: GpuIdentification.LABELS,
  'pci-ids': GpuIdentification.PCI_IDS,
  unknown: GpuIdentification.UNKNOWN,
} as const;

const gpuStates = { healthy: GpuState.HEALTHY, quarantined: GpuState.QUARANTINED, unknown: GpuState.UNKNOWN } as const;

const diskKinds = { nvme: DiskKind.NVME, ssd: DiskKind.SSD, hdd: DiskKind.HDD, virtual: DiskKind.VIRTUAL } as const;

// A node is written for every reader, and most readers get the same one.
const written = new WeakMap<NodeInventory, Node>(); // node -> its message

export function nodeMessage(node: NodeInventory): Node {
  const known = written.get(node);
  if (known !== undefined) return known;
  const hardware = create(HardwareSchema, hardwareMessage(node.hardware));
  const message = create(NodeSchema, { ...steadyFields(node), ...countedFields(node), hardware });
  written.set(node, message);
  return message;
}

/** What stays as it is when ordinary pods come and go, apart from the hardware. */
export function steadyFields(node: NodeInventory) {
  return {
    name: node.name,
    uid: node.uid,
    sellability: sellabilities[node.sellability.state],
    reasons: node.sellability.reasons.map(reasonMessage),
    gpus: node.gpus.map(groupMessage),
    devices: node.devices.map(deviceMessage),
    extended: amountMessages(node.extended),
    storageClasses: [...node.storageClasses],
    conditions: node.conditions.map(reasonMessage),
    stale: node.stale.map(staleMessage),
    nvlinkDomain: node.nvlinkDomain,
    podLimit: node.podLimit === undefined ? undefined : BigInt(node.podLimit),
    toleratedTaints: node.toleratedTaints.map(({ key, value, effect }) => ({ key, value, effect })),
  };
}

function countedFields(node: NodeInventory) {
  return {
    cpu: amountMessage(node.cpu),
    memory: amountMessage(node.memory),
    ram: BigInt(node.ram),
    ephemeralStorage: amountMessage(node.ephemeralStorage),
    utilization: node.utilization === undefined ? undefined : utilizationMessage(node.utilization),
    pods: BigInt(node.pods),
    observedAt: timestamp(node.observedAt),
  };
}

function utilizationMessage({ cpuMillis, memoryBytes, observedAt }: NonNullable<NodeInventory['utilization']>) {
  return { cpuMillis: BigInt(cpuMillis), memoryBytes: BigInt(memoryBytes), observedAt: timestamp(observedAt) };
}

function groupMessage({ amount, memoryBytes, migProfiles = [], ...rest }: GpuGroup) {
  return { ...rest, migProfiles: [...migProfiles], memoryBytes: BigInt(memoryBytes), amount: amountMessage(amount) };
}

function deviceMessage(device: GpuDevice): MessageInitShape<typeof GpuDeviceSchema> {
  const { holder, reason, mig, parts = [] } = device;
  return {
    id: device.id,
    vendor: device.vendor,
    model: device.model,
    interface: device.interface,
    memoryBytes: BigInt(device.memoryBytes),
    pciAddress: device.pciAddress,
    identifiedBy: identifications[device.identifiedBy],
    state: gpuStates[device.state],
    reason: reason === undefined ? undefined : reasonMessage(reason),
    holder: holder === undefined ? undefined : holderMessage(holder),
    driverVersion: device.driverVersion,
    cudaVersion: device.cudaVersion,
    utilization: device.utilization,
    architecture: device.architecture,
    computeCapability: device.computeCapability,
    nvlinks: device.nvlinks,
    nvlinkGroup: device.nvlinkGroup,
    numaNode: device.numaNode,
    mig: mig === undefined ? undefined : migMessage(mig),
    parts: parts.map(partMessage),
  };
}

function migMessage({ enabled, profiles = [], instances }: NonNullable<GpuDevice['mig']>): MessageInitShape<typeof MigSchema> {
  return {
    enabled,
    profiles: [...profiles],
    instances: instances.map(({ uuid, profile, memoryBytes }) => ({
      uuid,
      profile,
      memoryBytes: memoryBytes === undefined ? undefined : BigInt(memoryBytes),
    })),
  };
}

function partMessage({ id, kind, profile, memoryBytes, holder }: GpuPart): MessageInitShape<typeof GpuPartSchema> {
  return {
    id,
    kind: kind === 'mig' ? GpuPartKind.MIG : GpuPartKind.SHARE,
    profile,
    memoryBytes: BigInt(memoryBytes),
    holder: holder === undefined ? undefined : holderMessage(holder),
  };
}

function holderMessage({ namespace, pod, podUid, source }: NonNullable<GpuDevice['holder']>) {
  return { namespace, pod, podUid, source: source === 'kubelet' ? HolderSource.KUBELET : HolderSource.CLAIM };
}

export function hardwareMessage(hardware: NodeHardwareView): MessageInitShape<typeof HardwareSchema> {
  return {
    observedAt: timestamp(hardware.observedAt),
    machine: { ...hardware.machine },
    cpus: hardware.cpus.map((each) => ({ ...each })),
    memoryModules: hardware.memoryModules.map(({ sizeBytes, ...rest }) => ({ ...rest, sizeBytes: BigInt(sizeBytes) })),
    disks: hardware.disks.map(({ kind, sizeBytes, ...rest }) => ({ ...rest, kind: diskKinds[kind], sizeBytes: BigInt(sizeBytes) })),
    nics: hardware.nics.map((each) => ({ ...each })),
    architecture: hardware.architecture,
    memoryBytes: hardware.memoryBytes === undefined ? undefined : BigInt(hardware.memoryBytes),
    problems: [...(hardware.problems ?? [])],
    agentVersion: hardware.agentVersion,
  };
}
