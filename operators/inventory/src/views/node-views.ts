import type {
  AmountTuple,
  AmountView,
  GpuView,
  NodeDetail,
  NodeSale,
  PodUsage,
  ReasonView,
  SilentSource,
} from '@quartermaster/api/inventory-views';
import { gpuFill } from '@quartermaster/api/states';
import type { Amount } from '../model/amount.ts';
import type { DeviceHolderView, GpuDevice, NodeInventory, Reason, StaleSource } from '../model/node-inventory.ts';
import type { Allocation } from '../model/snapshot.ts';
import { nodeLines } from './capacity-lines.ts';
import type { DividedAmount } from './division.ts';
import { modelText, nodeDivision } from './node-division.ts';

/** What of a node goes into its row. */
export function nodeSale(node: NodeInventory): NodeSale {
  const { cpu, memory, disk, gpu, models } = nodeDivision(node);
  return {
    state: node.sellability.state,
    why: node.sellability.reasons.map(({ code }) => code),
    quarantined: node.devices.filter(({ state }) => state === 'quarantined').length,
    cpu: useOf(cpu),
    memory: useOf(memory),
    disk: useOf(disk),
    gpu: gpu && useOf(gpu),
    models: Object.fromEntries([...models].map(([name, cards]) => [name, useOf(cards)[0]])),
  };
}

export function nodeDetail(node: NodeInventory): NodeDetail {
  const { hardware, utilization } = node;
  const machine = Object.entries(hardware.machine).filter(
    (fact): fact is [string, string] => typeof fact[1] === 'string' && fact[1] !== '',
  );
  return {
    name: node.name,
    state: node.sellability.state,
    reasons: node.sellability.reasons.map(reasonView),
    conditions: node.conditions.map(reasonView),
    lines: nodeLines(node),
    cpu: amountView(node.cpu),
    memory: amountView(node.memory),
    ram: node.ram,
    disk: amountView(node.ephemeralStorage),
    models: node.gpus.map((group) => ({
      name: modelText(group),
      amount: amountView(group.amount),
      architecture: group.architecture,
      computeCapability: group.computeCapability,
      migProfiles: group.migProfiles,
    })),
    gpus: node.devices.map((device) => gpuView(device, node)),
    extended: [...node.extended].map(([name, amount]) => ({ name, amount: amountView(amount) })),
    storageClasses: node.storageClasses,
    machine: Object.fromEntries(machine),
    cpus: hardware.cpus.map(({ id, model, cores, threads }) => ({ id, model, cores, threads })),
    memoryModules: hardware.memoryModules,
    disks: hardware.disks,
    nics: hardware.nics,
    architecture: hardware.architecture,
    memoryBytes: hardware.memoryBytes,
    agentProblems: hardware.problems,
    nvlinkDomain: node.nvlinkDomain,
    used: utilization,
    hardwareAt: hardware.observedAt,
    stale: node.stale.map(silentSource),
    observedAt: node.observedAt,
  };
}

export function podTake(allocation: Allocation): PodUsage {
  return {
    namespace: allocation.namespace,
    name: allocation.pod,
    cpuMillis: allocation.cpuMillis,
    memoryBytes: allocation.memoryBytes,
    ramBytes: allocation.ramBytes,
    diskBytes: allocation.ephemeralStorageBytes,
    devices: Object.fromEntries(allocation.extended),
    gpus: allocation.devices,
  };
}

export const silentSource = ({ source, lastContactAt: since, reason }: StaleSource): SilentSource => ({ source, since, reason });

export const reasonView = ({ code, message, since }: Reason): ReasonView => ({ code, message, since });

export const amountView = ({ capacity, allocatable, allocated, available, overcommitted }: Amount): AmountView => ({
  capacity,
  allocatable,
  allocated,
  available,
  overcommitted,
});

function gpuView(device: GpuDevice, { sellability }: NodeInventory): GpuView {
  const { id, state, reason, holder, parts, pciAddress, driverVersion, utilization } = device;
  const { architecture, computeCapability, nvlinks, nvlinkGroup, numaNode, mig } = device;
  return {
    id,
    model: modelText(device),
    state,
    fill: gpuFill(device, sellability.state),
    reason: reason && reasonView(reason),
    holder: holder && holderView(holder),
    parts: parts?.map((part) => ({ id: part.id, profile: part.profile, holder: part.holder && holderView(part.holder) })),
    pciAddress,
    driver: driverVersion,
    utilization,
    architecture,
    computeCapability,
    nvlinks,
    nvlinkGroup,
    numaNode,
    mig: mig && { enabled: mig.enabled, profiles: mig.profiles ?? [], instances: mig.instances.map(({ profile }) => profile) },
  };
}

const holderView = ({ namespace, pod }: DeviceHolderView): NonNullable<GpuView['holder']> => ({ namespace, pod });

function useOf({ division: { allocated, sellable, heldBack, unknown } }: DividedAmount): AmountTuple {
  return [allocated + sellable + heldBack + unknown, allocated, sellable, heldBack, unknown];
}
