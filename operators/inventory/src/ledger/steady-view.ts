import type { HardwareFacts } from '@quartermaster/api/node-hardware';
import { nvlinkDomain } from '../gpu/gpu-labels.ts';
import { type Amount, amount } from '../model/amount.ts';
import { knownTime } from '../model/known-time.ts';
import type { DeviceHolderView, GpuDevice, GpuGroup, NodeHardwareView, NodeInventory, Reason } from '../model/node-inventory.ts';
import type { ObservedDevice, ObservedPod } from '../model/observed.ts';
import { countTogether, isGpuDevice, textAttribute } from './cards/device-facts.ts';
import { type Card, type CardPool, isWithheld } from './cards/gpu-cards.ts';
import { compareGroups, dividedAmount, gpuGroups, type PoolUse } from './cards/gpu-groups.ts';
import { type HeldPieces, heldParts, holderOf, sharedDevice } from './cards/gpu-parts.ts';
import { isHeldPiece } from './held-cards.ts';
import { steadyConditions } from './node-conditions.ts';
import type { NodeEntry } from './node-entry.ts';
import { nodeStaleness } from './node-staleness.ts';
import { sellabilityOf } from './sellability.ts';

/**
 * What most pods leave as it is: all of a node's view but its three amounts and what follows from them. One object serves many views, which
 * are therefore cheap to make, to compare and to encode. `sellability` and `conditions` are those of a node that has not promised too much.
 */
export type SteadyView = Pick<
  NodeInventory,
  | 'sellability'
  | 'gpus'
  | 'devices'
  | 'extended'
  | 'storageClasses'
  | 'conditions'
  | 'hardware'
  | 'stale'
  | 'nvlinkDomain'
  | 'toleratedTaints'
>;

/** Whether a pod that comes, changes or goes can change the steady view of its node. */
export function isSteadyUnder({ status }: NodeEntry, pod: ObservedPod): boolean {
  if (pod.requests.extended.size > 0) return false;
  return status?.devices?.some(({ namespace, pod: name }) => name === pod.name && namespace === pod.namespace) !== true;
}

export function steadyView(entry: NodeEntry): SteadyView {
  const holders = kubeletHolders(entry);
  const uses = entry.pools.map((pool) => poolUse(entry, pool, holders));
  const gpus = entry.pools.flatMap((pool, i) => groupsOf(pool, uses[i])).toSorted(compareGroups);
  const extended = extendedAmounts(entry, uses);
  const pieces = heldPieces(holders);
  return {
    sellability: sellabilityOf(entry.reasons),
    gpus,
    devices: entry.pools.flatMap((pool, i) => pool.cards.map((card) => deviceOf(entry, card, uses[i]?.holderOf(card), pieces))),
    extended,
    storageClasses: entry.classes.offered,
    conditions: steadyConditions(entry, extended, gpus, uses),
    hardware: hardwareOf(entry),
    stale: entry.observed === undefined ? [] : nodeStaleness(entry.observed, entry.silence),
    nvlinkDomain: nvlinkDomain(entry.observed?.labels ?? {}),
    toleratedTaints: entry.toleratedTaints,
  };
}

function groupsOf(pool: CardPool, use: PoolUse | undefined): readonly GpuGroup[] {
  return use === undefined ? [] : gpuGroups(pool, use);
}

/** Resource and device, as the kubelet calls them -> pod */
type Holders = ReadonlyMap<string, { readonly id: string; readonly pod: ObservedPod }>;

/**
 * Who holds what by the kubelet's account, as far as the pod is still there. Without an agent that repeats it, a card may have gone from one pod to another; the kubelet names pods, and a
 * later one may have the name of one that is gone.
 */
function kubeletHolders({ status, pods, silence }: NodeEntry): Holders | undefined {
  if (status?.devices === undefined || status.devices.length === 0 || silence?.isBrief === false) return undefined;
  const toldUntil = silence === undefined ? Number.POSITIVE_INFINITY : (silence.lastContactAt ?? 0);
  const byName = new Map<string, ObservedPod>();
  for (const pod of pods) if (pod.createdAt <= toldUntil) byName.set(`${pod.namespace}/${pod.name}`, pod);
  const byDevice = new Map<string, { readonly id: string; readonly pod: ObservedPod }>();
  for (const { resource, deviceId, namespace, pod } of status.devices) {
    const found = byName.get(`${namespace}/${pod}`);
    if (found !== undefined) byDevice.set(`${resource} ${deviceId}`, { id: deviceId, pod: found });
  }
  return byDevice;
}

function heldPieces(holders: Holders | undefined): HeldPieces {
  return holders === undefined ? noPieces : Map.groupBy(holders.values(), ({ id }) => sharedDevice(id));
}

const noPieces: HeldPieces = new Map();

function poolUse(entry: NodeEntry, pool: CardPool, holders: Holders | undefined): PoolUse {
  const held = new Map<Card, ObservedPod>();
  if (holders !== undefined && !pool.isDivided) {
    for (const card of pool.cards) {
      const pod = card.aliases.map((alias) => holders.get(`${pool.resource} ${alias}`)?.pod).find((each) => each !== undefined);
      if (pod !== undefined) held.set(card, pod);
    }
  }
  const requested = entry.sums.extendedValue(pool.resource);
  return {
    offered: entry.health.offered(pool.resource),
    requested,
    unplaced: held.size === 0 ? requested : unplacedPieces(entry.pods, pool.resource, held),
    isFit: (card) => entry.health.isFit(card),
    holderOf: (card) => {
      const pod = held.get(card);
      return pod === undefined ? card.claimedBy : holderOf(pod);
    },
  };
}

function unplacedPieces(pods: ReadonlySet<ObservedPod>, resource: string, held: ReadonlyMap<Card, ObservedPod>): number {
  const placed = new Map<ObservedPod, number>();
  for (const pod of held.values()) placed.set(pod, (placed.get(pod) ?? 0) + 1);
  let unplaced = 0;
  for (const pod of pods) unplaced += Math.max((pod.requests.extended.get(resource) ?? 0) - (placed.get(pod) ?? 0), 0);
  return Math.min(unplaced, Number.MAX_SAFE_INTEGER);
}

/** Everything that is counted by name and is not a whole card. */
function extendedAmounts(entry: NodeEntry, uses: readonly PoolUse[]): ReadonlyMap<string, Amount> {
  const { resources, sums, pools, devices } = entry;
  const amounts = new Map<string, Amount>();
  const pooled = new Map(pools.map((pool, i) => [pool.resource, { pool, use: uses[i] }]));
  for (const [resource, { capacity, allocatable }] of resources.extended) {
    const cards = pooled.get(resource);
    const fit = isHeldPiece(resource, entry) ? 0 : allocatable;
    if (cards === undefined) amounts.set(resource, amount(capacity, fit, sums.extendedValue(resource)));
    const pieces = cards?.use === undefined ? undefined : dividedAmount(cards.pool, capacity, cards.use);
    if (pieces !== undefined) amounts.set(resource, pieces);
  }
  const isClaimed = pools.some((pool) => pool.isClaimed);
  for (const [resource, sum] of sums.extended) {
    const requested = sum.value();
    if (requested === 0 || resources.extended.has(resource) || pooled.has(resource)) continue;
    // A device class may stand in for such a resource; its pods are then counted by their claims.
    if (isClaimed && resource.endsWith('/gpu')) continue;
    amounts.set(resource, amount(0, 0, requested));
  }
  for (const [name, members] of Map.groupBy(
    devices.filter((device) => !isGpuDevice(device)),
    (device) => [device.driver, textAttribute(device, 'profile')].filter((part) => part !== '').join('/'),
  )) {
    amounts.set(
      name,
      deviceAmount(members, (device) => !isWithheld(device) && !isHeldPiece(device.driver, entry)),
    );
  }
  return new Map([...amounts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Devices that are alike. Of those that draw on the same counters, only as many count as there can be at the same time. */
function deviceAmount(devices: readonly ObservedDevice[], isFit: (device: ObservedDevice) => boolean): Amount {
  const [taken, open] = [devices.filter(({ isTaken }) => isTaken), devices.filter(({ isTaken }) => isTaken !== true)];
  const [fitTaken, fitOpen] = [taken, open].map((each) => each.filter(isFit));
  const allocatable = (fitTaken?.length ?? 0) + countTogether(fitOpen ?? [], 'left');
  return amount(Math.max(countTogether(devices, 'total'), taken.length, allocatable), allocatable, taken.length);
}

function deviceOf(entry: NodeEntry, card: Card, holder: DeviceHolderView | undefined, pieces: HeldPieces): GpuDevice {
  const isFit = entry.health.isFit(card);
  const parts = heldParts(card, pieces);
  return {
    id: card.id,
    vendor: card.vendor,
    model: card.model,
    interface: card.interface,
    memoryBytes: card.memoryBytes,
    architecture: card.architecture,
    computeCapability: card.computeCapability,
    pciAddress: card.pciAddress,
    identifiedBy: card.identifiedBy,
    state: !isFit ? 'quarantined' : card.health === 'unknown' ? 'unknown' : 'healthy',
    reason: isFit ? undefined : quarantineReason(entry, card),
    holder,
    parts: parts.length === 0 ? undefined : parts,
    driverVersion: card.driverVersion,
    cudaVersion: card.cudaVersion,
    nvlinks: card.nvlinks,
    nvlinkGroup: card.nvlinkGroup,
    numaNode: card.numaNode,
    mig: card.mig,
    utilization: entry.gpuUtilization.get(card.id),
  };
}

function quarantineReason(entry: NodeEntry, card: Card): Reason {
  const since = card.reason?.since ?? entry.health.quarantinedAt(card);
  const recovering = {
    code: 'Recovering',
    message: 'The card was unhealthy a moment ago: it is sold again once it has stayed healthy for a while.',
  };
  return { ...(card.reason ?? recovering), since };
}

// What a machine is made of outlives most views of its node: as one object it is compared and encoded once.
const hardwareViews = new WeakMap<HardwareFacts, NodeHardwareView>(); // facts -> their view
const noHardware: NodeHardwareView = { machine: {}, cpus: [], memoryModules: [], disks: [], nics: [] };

function hardwareOf({ facts }: NodeEntry): NodeHardwareView {
  if (facts === undefined) return noHardware;
  const known = hardwareViews.get(facts);
  if (known !== undefined) return known;
  const view: NodeHardwareView = {
    observedAt: knownTime(facts.observedAt),
    machine: facts.machine,
    cpus: facts.cpu?.sockets ?? [],
    memoryModules: facts.memory?.modules ?? [],
    disks: facts.disks ?? [],
    nics: facts.nics ?? [],
    architecture: facts.cpu?.architecture,
    memoryBytes: facts.memory?.totalBytes,
    problems: facts.problems,
    agentVersion: facts.agentVersion,
  };
  hardwareViews.set(facts, view);
  return view;
}
