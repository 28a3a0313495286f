import type { DeviceHolder, GpuFacts } from '@quartermaster/api/node-hardware';
import { type CardFacts, type GpuKnowledge, type IdentifiedGpu, identifyGpu } from '../../gpu/identify-gpu.ts';
import { knownTime } from '../../model/known-time.ts';
import type { DeviceHolderView, GpuDevice, Reason } from '../../model/node-inventory.ts';
import type { ObservedDevice, ObservedNode } from '../../model/observed.ts';
import type { NodeResources } from '../amounts/node-resources.ts';
import { driverVendors, isGpuDevice, isPartition, isWithinCounters, parentOf, pciAddressOf, textAttribute } from './device-facts.ts';
import { type CardPart, cardParts, isShare, partitionsOf } from './gpu-parts.ts';

/** One card of a node, apart from who uses it. */
export interface Card extends IdentifiedGpu, Pick<GpuDevice, 'nvlinks' | 'nvlinkGroup' | 'numaNode' | 'mig'> {
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
  /** Cut into slices, which are sold by their own names: nobody can have the whole card. */
  readonly isPartitioned: boolean;
  /** By which names the kubelet may call it. */
  readonly aliases: readonly string[];
  readonly parts: readonly CardPart[];
  /** A claim has it, reserved for a pod or not yet. */
  readonly isClaimed: boolean;
  /** The pod that its claim is for, or the first of them. */
  readonly claimedBy?: DeviceHolderView | undefined;
  /** All of them, where there are several. */
  readonly sharedBy: readonly DeviceHolderView[];
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
  /** What pods hold by the kubelet's account. */
  readonly held?: readonly DeviceHolder[] | undefined;
  readonly knowledge: GpuKnowledge;
  /** Nobody is there who would tell if a card fell ill. */
  readonly isUnconfirmed?: boolean | undefined;
}

/** PCI vendor id -> resources by which device plugins offer whole cards */
const cardResources: ReadonlyMap<string, readonly string[]> = new Map([
  ['10de', ['nvidia.com/gpu', 'nvidia.com/gpu.shared']],
  ['1002', ['amd.com/gpu']],
  ['8086', ['gpu.intel.com/i915', 'gpu.intel.com/xe']],
]);

export const allCardResources: ReadonlySet<string> = new Set([...cardResources.values()].flat());

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
    const isDivided = isSliced || isShared(resource, members, inputs) || isDividedBy(inputs.node.labels, resource);
    pools.push({ resource, cards: members, anonymous: 0, anonymousCard: undefined, isDivided, isClaimed });
  }
  for (const [vendorId, resources] of cardResources) {
    for (const resource of resources) {
      const offered = inputs.resources.extended.get(resource)?.capacity ?? 0;
      if (offered === 0 || byResource.has(resource)) continue;
      const card = { vendorId, ...identify({ vendorId, productId: '' }, inputs, false) };
      const isDivided = isDividedBy(inputs.node.labels, resource);
      const anonymous = isDivided ? cardsBehind(inputs.node.labels, offered) : offered;
      pools.push({ resource, cards: [], anonymous, anonymousCard: anonymous === 0 ? undefined : card, isDivided, isClaimed: false });
    }
  }
  return pools.toSorted((a, b) => (a.resource < b.resource ? -1 : 1));
}

function* factCards(inputs: GpuInputs): Generator<Card> {
  for (const gpu of inputs.gpus) {
    const isMixed = inputs.gpus.some(({ vendorId, productId }) => vendorId === gpu.vendorId && productId !== gpu.productId);
    const device = inputs.devices.find((each) => isGpuDevice(each) && isDeviceOfCard(each, gpu));
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
      nvlinks: gpu.nvlinks,
      nvlinkGroup: gpu.nvlinkGroup,
      numaNode: gpu.numaNode,
      mig: gpu.mig,
      health: reason === undefined ? (inputs.isUnconfirmed === true ? 'unknown' : gpu.health.state) : 'unhealthy',
      reason,
      isPartitioned: gpu.mig?.enabled === true || isCutUp(device),
      aliases: [gpu.uuid ?? '', gpu.pciAddress, gpu.minor === undefined ? '' : String(gpu.minor)].filter((alias) => alias !== ''),
      parts: cardParts(gpu, partitionsOf(gpu.uuid ?? '', device, inputs.devices)),
      ...claimOf(device),
    };
  }
}

/** Cards that only a driver of dynamic resource allocation tells of: by themselves, or by the slices that they are cut into. */
function* deviceCards(inputs: GpuInputs, known: readonly Card[]): Generator<Card> {
  const seen = new Set(known.flatMap(({ aliases }) => aliases));
  for (const device of inputs.devices.filter(isGpuDevice)) {
    const [uuid, address] = [textAttribute(device, 'uuid'), pciAddressOf(device)];
    if (inputs.gpus.some((gpu) => isDeviceOfCard(device, gpu)) || seen.has(uuid) || seen.has(address)) continue;
    for (const alias of [uuid, address]) if (alias !== '') seen.add(alias);
    const partitions = partitionsOf(uuid, device, inputs.devices);
    yield { ...deviceCard(device, uuid || `${device.pool}/${device.device}`, partitions, inputs), ...claimOf(device) };
  }
  for (const device of inputs.devices.filter(isPartition)) {
    const uuid = parentOf(device);
    if (uuid === '' || seen.has(uuid) || !driverVendors.has(device.driver)) continue;
    seen.add(uuid);
    // Its slices have the memory of a slice, and may be healthy or not each by itself.
    const parent = { ...device, memoryBytes: undefined, taints: [] };
    yield { ...deviceCard(parent, uuid, partitionsOf(uuid, undefined, inputs.devices), inputs), isPartitioned: true };
  }
}

function deviceCard(device: ObservedDevice, id: string, partitions: readonly ObservedDevice[], inputs: GpuInputs): Card {
  const reason = withheld(device);
  const vendorId = driverVendors.get(device.driver) ?? '';
  const card = {
    vendorId,
    productId: '',
    name: textAttribute(device, 'productName'),
    memoryBytes: device.memoryBytes,
    architecture: textAttribute(device, 'architecture').toLowerCase().replaceAll(' ', '-') || undefined,
    computeCapability: /^\d+\.\d+/.exec(textAttribute(device, 'cudaComputeCapability'))?.[0],
  };
  const [driverVersion, cudaVersion] = [textAttribute(device, 'driverVersion'), textAttribute(device, 'cudaDriverVersion')];
  return {
    id,
    vendorId,
    productId: '',
    ...identify(card, inputs, true),
    resource: device.driver,
    pciAddress: pciAddressOf(device) || undefined,
    driverVersion: driverVersion || undefined,
    cudaVersion: cudaVersion || undefined,
    health: reason === undefined ? 'healthy' : 'unhealthy',
    reason,
    isPartitioned: isCutUp(device),
    aliases: [],
    parts: cardParts(undefined, partitions),
    isClaimed: false,
    sharedBy: [],
  };
}

function identify(card: CardFacts, { node, knowledge }: GpuInputs, isMixed: boolean): IdentifiedGpu {
  return identifyGpu(card, { ...knowledge, nodeLabels: node.labels, isMixed });
}

function claimOf(device: ObservedDevice | undefined): Pick<Card, 'isClaimed' | 'claimedBy' | 'sharedBy'> {
  const holders = (device?.holders ?? []).map((holder) => ({ ...holder, source: 'claim' }) as const);
  return { isClaimed: device?.isTaken === true, claimedBy: holders[0], sharedBy: holders.length > 1 ? holders : [] };
}

/** Slices of it are claimed, so that what is left is not a whole card. */
function isCutUp(device: ObservedDevice | undefined): boolean {
  return device !== undefined && device.isTaken !== true && !isWithinCounters(device);
}

function pluginResource(vendorId: string, resources: NodeResources): string {
  const names = cardResources.get(vendorId) ?? [];
  return names.find((name) => isOffered(name, resources)) ?? names[0] ?? '';
}

function isOffered(resource: string, resources: NodeResources): boolean {
  return (resources.extended.get(resource)?.capacity ?? 0) > 0;
}

/**
 * By what pods hold; and while nobody holds a whole card, by how many are offered: a card that is shared is offered twice or more often. What the agent has not
 * found, it may have lost, so no number need fit.
 */
function isShared(resource: string, cards: readonly Card[], { held = [], resources }: GpuInputs): boolean {
  const ids = held.filter((each) => each.resource === resource).map(({ deviceId }) => deviceId);
  if (ids.some(isShare)) return true;
  const whole = cards.filter(({ isPartitioned }) => !isPartitioned);
  const offered = resources.extended.get(resource)?.capacity ?? 0;
  return whole.length > 0 && offered >= 2 * whole.length && !whole.some(({ aliases }) => aliases.some((alias) => ids.includes(alias)));
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

/**
 * How many cards are behind pieces of them, by what NVIDIA's own tools say of the node; 0 when nobody says. With one kind of MIG slices, the label that counts cards
 * counts these.
 */
function cardsBehind(labels: Readonly<Record<string, string>>, pieces: number): number {
  if (/-MIG-[0-9]+g\./.test(labels['nvidia.com/gpu.product'] ?? '')) return 0;
  const [count, replicas] = [Number(labels['nvidia.com/gpu.count']), Number(labels['nvidia.com/gpu.replicas'])];
  if (Number.isSafeInteger(count) && count > 0) return Math.min(count, pieces);
  return Number.isSafeInteger(replicas) && replicas > 1 ? Math.floor(pieces / replicas) : 0;
}

function isDeviceOfCard(device: ObservedDevice, gpu: GpuFacts): boolean {
  const uuid = textAttribute(device, 'uuid');
  return (uuid !== '' && uuid === gpu.uuid) || pciAddressOf(device) === gpu.pciAddress;
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
