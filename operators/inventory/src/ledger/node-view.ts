import { type Amount, amount } from '../model/amount.ts';
import type { NodeInventory } from '../model/node-inventory.ts';
import type { ObservedNode } from '../model/observed.ts';
import { holdingConditions } from './node-conditions.ts';
import type { NodeEntry } from './node-entry.ts';
import { sellabilityOf } from './sellability.ts';
import { steadyView } from './steady-view.ts';

/** What can be said of a node now. Shares what did not change with the view that the totals hold. */
export function nodeView(entry: NodeEntry, node: ObservedNode): NodeInventory {
  entry.steady ??= steadyView(entry);
  const { resources, sums, steady, counted: before } = entry;
  const ram = sums.ramBytes.value();
  const ephemeral = resources.ephemeralStorage;
  const cpu = kept(before?.cpu, amount(resources.cpu.capacity, resources.cpu.allocatable, sums.cpuMillis.value()));
  const memory = kept(
    before?.memory,
    heldBack(amount(resources.memory.capacity, resources.memory.allocatable, sums.memoryBytes.value()), ram),
  );
  const ephemeralStorage = kept(
    before?.ephemeralStorage,
    heldBack(amount(ephemeral.capacity, ephemeral.allocatable, sums.ephemeralStorageBytes.value()), entry.volumeBytes),
  );
  const holding = holdingConditions({ cpu, memory, ephemeralStorage }, entry.pods.size, resources.podLimit);
  const isCalm = holding.length === 0;
  return {
    name: node.name,
    uid: node.uid,
    sellability: isCalm ? steady.sellability : sellabilityOf([...entry.reasons, ...holding]),
    cpu,
    memory,
    ram,
    ephemeralStorage,
    gpus: steady.gpus,
    devices: steady.devices,
    extended: steady.extended,
    storageClasses: steady.storageClasses,
    conditions: isCalm ? steady.conditions : [...holding, ...steady.conditions],
    hardware: steady.hardware,
    utilization: entry.utilization,
    pods: entry.pods.size,
    podLimit: resources.podLimit,
    stale: steady.stale,
    nvlinkDomain: steady.nvlinkDomain,
    toleratedTaints: steady.toleratedTaints,
    undecided: entry.undecided(),
    observedAt: entry.changedAt,
  };
}

function kept(before: Amount | undefined, now: Amount): Amount {
  const isSame =
    before !== undefined &&
    before.allocated === now.allocated &&
    before.available === now.available &&
    before.capacity === now.capacity &&
    before.allocatable === now.allocatable &&
    before.overcommitted === now.overcommitted;
  return isSame ? before : now;
}

/** Nothing can be promised beside what nobody could read. */
function heldBack(of: Amount, bytes: number | undefined): Amount {
  return bytes === 0 ? of : { ...of, available: bytes === undefined ? 0 : Math.max(of.available - bytes, 0) };
}
