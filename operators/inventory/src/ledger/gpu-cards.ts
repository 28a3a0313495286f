import type { GpuFacts } from '@quartermaster/api/node-hardware';
import { type CardFacts, type GpuKnowledge, type IdentifiedGpu, identifyGpu } from '../gpu/identify-gpu.ts';
import { knownTime } from '../model/known-time.ts';
import type { DeviceHolderView, Reason } from '../model/node-inventory.ts';
import type { ObservedDevice, ObservedNode } from '../model/observed.ts';
import type { NodeResources } from './node-resources.ts';

/** One card of a node, apart from who uses it. */
export interface Card extends IdentifiedGpu {
  readonly id: string;
  readonly vendorId: string;
  readonly productId: string;
  /** What pods ask for to get it. */
  readonly resource: string;
  readonly pciAddress?: string | undefined;
  readonly driverVersion?: string | undefined;
  readonly cudaVersion?: string | undefined;
  readonly health: 'healthy' | 'unhealthy' | 'unknown';
  /** Why it is unhealthy. */
  readonly reason?: Reason | undefined;
  /** Cut into MIG slices, which are sold by their own names: nobody can have the whole card. */
  readonly isPartitioned: boolean;
  /** By which names the kubelet may call it. */
  readonly aliases: readonly string[];
  /** A claim has it, reserved for a pod or not yet. */
  readonly isClaimed: boolean;
  readonly claimedBy?: DeviceHolderView | undefined;
}

/** The cards that pods ask for by one name. */
export interface CardPool {
  readonly resource: string;
  readonly cards: readonly Card[];
  /** Cards of which nothing is known but that the kubelet offers them, and what they seem to be. Zero where any card is known. */
  readonly anonymous: number;
  readonly anonymousCard: (IdentifiedGpu & { readonly vendorId: string }) | undefined;
  /** The name stands for pieces of cards (time slices, MIG): no whole card can be had by it. */
  readonly isDivided: boolean;
  /** Pods get them by claims on devices rather than by counting. */
  readonly isClaimed: boolean;
}

export interface GpuInputs {
  readonly node: Pick<ObservedNode, 'name' | 'labels'>;
  readonly resources: NodeResources;
  /** As last read. */
  readonly gpus: readonly GpuFacts[];
  readonly devices: readonly ObservedDevice[];
  readonly knowledge: GpuKnowledge;
}

/** PCI vendor id -> resources by which device plugins offer whole cards */
const cardResources: ReadonlyMap<string, readonly string[]> = new Map([
  ['10de', ['nvidia.com/gpu', 'nvidia.com/gpu.shared']],
  ['1002', ['amd.com/gpu']],
  ['8086', ['gpu.intel.com/i915', 'gpu.intel.com/xe']],
]);

const driverVendors: ReadonlyMap<string, string> = new Map([
  ['gpu.nvidia.com', '10de'],
  ['gpu.amd.com', '1002'],
  ['gpu.intel.com', '8086'],
]);

export const allCardResources: ReadonlySet<string> = new Set([...cardResources.values()].flat());

export function isGpuDevice({ driver, attributes }: ObservedDevice): boolean {
  return driverVendors.has(driver) && attributes['type'] !== 'mig';
}

/** Its driver lets nobody have it. */
export function isWithheld(device: ObservedDevice): boolean {
  return withheld(device) !== undefined;
}

/** Every card of a node, by the resource under which it is sold. The same inputs give the same pools in the same order. */
export function cardPools(inputs: GpuInputs): readonly CardPool[] {
  const cards = [...factCards(inputs)];
  const pools: CardPool[] = [];
  const byResource = Map.groupBy([...cards, ...deviceCards(inputs, cards)], ({ resource }) => resource);
  for (const [resource, members] of byResource) {
    const isClaimed = driverVendors.has(resource);
    const isSliced = isOffered(resource, inputs.resources) && members.every(({ isPartitioned }) => isPartitioned);
    const isDivided = isSliced || isDividedBy(inputs.node.labels, resource);
    pools.push({ resource, cards: members, anonymous: 0, anonymousCard: undefined, isDivided, isClaimed });
  }
  for (const [vendorId, resources] of cardResources) {
    for (const resource of resources) {
      const anonymous = inputs.resources.extended.get(resource)?.capacity ?? 0;
      if (anonymous === 0 || byResource.has(resource)) continue;
      const card = { vendorId, ...identify({ vendorId, productId: '' }, inputs, false) };
      const isDivided = isDividedBy(inputs.node.labels, resource);
      pools.push({ resource, cards: [], anonymous, anonymousCard: card, isDivided, isClaimed: false });
    }
  }
  return pools.toSorted((a, b) => (a.resource < b.resource ? -1 : 1));
}

function* factCards(inputs: GpuInputs): Generator<Card> {
  for (const gpu of inputs.gpus) {
    const isMixed = inputs.gpus.some(({ vendorId, productId }) => vendorId === gpu.vendorId && productId !== gpu.productId);
    const device = inputs.devices.find((each) => isGpuDevice(each) && isSameCard(each, gpu));
    const reason = gpu.health.state === 'unhealthy' ? unhealthy(gpu.health) : withheld(device);
    const plugin = pluginResource(gpu.vendorId, inputs.resources);
    yield {
      id: gpu.uuid ?? `${inputs.node.name}/${gpu.pciAddress}`,
      vendorId: gpu.vendorId,
      productId: gpu.productId,
      ...identify(gpu, inputs, isMixed),
      resource: device !== undefined && !isOffered(plugin, inputs.resources) ? device.driver : plugin,
      pciAddress: gpu.pciAddress,
      driverVersion: gpu.driverVersion,
      cudaVersion: gpu.cudaVersion,
      health: reason === undefined ? gpu.health.state : 'unhealthy',
      reason,
      isPartitioned: gpu.mig?.enabled === true,
      aliases: [gpu.uuid ?? '', gpu.pciAddress, gpu.minor === undefined ? '' : String(gpu.minor)].filter((alias) => alias !== ''),
      ...claimOf(device),
    };
  }
}

/** Cards that only a driver of dynamic resource allocation tells of. */
function* deviceCards(inputs: GpuInputs, known: readonly Card[]): Generator<Card> {
  const seen = new Set(known.flatMap(({ aliases }) => aliases));
  for (const device of inputs.devices) {
    const address = pciAddressOf(device);
    const uuid = textAttribute(device, 'uuid');
    if (!isGpuDevice(device) || inputs.gpus.some((gpu) => isSameCard(device, gpu)) || seen.has(uuid) || seen.has(address)) continue;
    for (const alias of [uuid, address]) if (alias !== '') seen.add(alias);
    const reason = withheld(device);
    const vendorId = driverVendors.get(device.driver) ?? '';
    const card = { vendorId, productId: '', name: textAttribute(device, 'productName'), memoryBytes: device.memoryBytes };
    const [driverVersion, cudaVersion] = [textAttribute(device, 'driverVersion'), textAttribute(device, 'cudaDriverVersion')];
    yield {
      id: uuid === '' ? `${device.pool}/${device.device}` : uuid,
      vendorId,
      productId: '',
      ...identify(card, inputs, true),
      resource: device.driver,
      pciAddress: address || undefined,
      driverVersion: driverVersion || undefined,
      cudaVersion: cudaVersion || undefined,
      health: reason === undefined ? 'healthy' : 'unhealthy',
      reason,
      isPartitioned: false,
      aliases: [],
      ...claimOf(device),
    };
  }
}

function identify(card: CardFacts, { node, knowledge }: GpuInputs, isMixed: boolean): IdentifiedGpu {
  return identifyGpu(card, { ...knowledge, nodeLabels: node.labels, isMixed });
}

function claimOf(device: ObservedDevice | undefined): Pick<Card, 'isClaimed' | 'claimedBy'> {
  const isClaimed = device?.isTaken === true;
  return device?.holder === undefined ? { isClaimed } : { isClaimed, claimedBy: { ...device.holder, source: 'claim' } };
}

function pluginResource(vendorId: string, resources: NodeResources): string {
  const names = cardResources.get(vendorId) ?? [];
  return names.find((name) => isOffered(name, resources)) ?? names[0] ?? '';
}

function isOffered(resource: string, resources: NodeResources): boolean {
  return (resources.extended.get(resource)?.capacity ?? 0) > 0;
}

/** By what the vendors' own tools say of the node. */
function isDividedBy(labels: Readonly<Record<string, string>>, resource: string): boolean {
  if (resource === 'nvidia.com/gpu.shared') return true;
  // SPX is the one partition that is a whole card.
  if (resource === 'amd.com/gpu') return /^(?!spx)[a-z]/i.test(labels['amd.com/gpu.compute-memory-partition'] ?? '');
  if (resource !== 'nvidia.com/gpu') return false;
  const product = labels['nvidia.com/gpu.product'] ?? '';
  return product.endsWith('-SHARED') || /-MIG-[0-9]+g\./.test(product) || Number(labels['nvidia.com/gpu.replicas'] ?? 1) > 1;
}

function isSameCard(device: ObservedDevice, gpu: GpuFacts): boolean {
  const uuid = textAttribute(device, 'uuid');
  return (uuid !== '' && uuid === gpu.uuid) || pciAddressOf(device) === gpu.pciAddress;
}

function pciAddressOf(device: ObservedDevice): string {
  return textAttribute(device, 'resource.kubernetes.io/pciBusID') || textAttribute(device, 'pciBusID');
}

function textAttribute({ attributes, driver }: ObservedDevice, name: string): string {
  const value = attributes[name] ?? attributes[`${driver}/${name}`];
  return typeof value === 'string' ? value : '';
}

function unhealthy({ reason, code, since }: GpuFacts['health']): Reason {
  return {
    code: code ?? 'Unhealthy',
    message: reason ?? 'The driver says that the card is not healthy.',
    since: knownTime(since),
  };
}

/** Why the driver of a device lets nobody have it. */
function withheld(device: ObservedDevice | undefined): Reason | undefined {
  const taint = device?.taints.find(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute');
  if (taint !== undefined) {
    const { key, value, effect } = taint;
    const message = `Its driver keeps new pods away by the taint ${key}${value === '' ? '' : `=${value}`}:${effect}.`;
    return { code: 'DeviceTainted', message };
  }
  if (device?.isPoolIncomplete !== true) return undefined;
  const message = `Its driver, ${device.driver}, has published a part of its pool ${device.pool} only, and nobody gets a device of it meanwhile: if it lasts, look at the pod of the driver on this node.`;
  return { code: 'PoolIncomplete', message };
}
