import type { AmountTuple, AmountView, GpuView, NodeDetail, NodeSale, PodUsage, ReasonView, SilentSource } from '@quartermaster/console';
import type { Allocation, Amount, GpuDevice, GpuGroup, NodeInventory, Reason, StaleSource } from '@quartermaster/inventory';

const gib = 1024 ** 3;

/** `nvidia h100 SXM5 80Gi`: by which the console tells GPUs apart. What is not known is left out. */
export function modelName({
  vendor,
  model,
  interface: form,
  memoryBytes,
}: Pick<GpuGroup, 'vendor' | 'model' | 'interface' | 'memoryBytes'>): string {
  const memory = memoryBytes === 0 ? '' : `${Math.round(memoryBytes / gib)}Gi`;
  return [vendor, model, form, memory].filter((part) => part !== '').join(' ');
}

/** A node in a row of many. */
export function nodeSale(node: NodeInventory): NodeSale {
  const models: Record<string, number> = {};
  const freeModels: Record<string, number> = {};
  for (const group of node.gpus) {
    const name = modelName(group);
    models[name] = (models[name] ?? 0) + group.amount.capacity;
    freeModels[name] = (freeModels[name] ?? 0) + group.amount.available;
  }
  const gpu = useOf(node.gpus.map(({ amount }) => amount));
  return {
    state: node.sellability.state,
    why: node.sellability.reasons.map(({ code }) => code),
    quarantined: node.devices.filter(({ state }) => state === 'quarantined').length,
    cpu: useOf([node.cpu]),
    memory: useOf([node.memory]),
    disk: useOf([node.ephemeralStorage]),
    gpu: gpu[0] === 0 ? undefined : gpu,
    models,
    freeModels,
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
    cpu: amountView(node.cpu),
    memory: amountView(node.memory),
    ram: node.ram,
    disk: amountView(node.ephemeralStorage),
    models: node.gpus.map((group) => ({ name: modelName(group), amount: amountView(group.amount) })),
    gpus: node.devices.map(gpuView),
    extended: [...node.extended].map(([name, amount]) => ({ name, amount: amountView(amount) })),
    storageClasses: node.storageClasses,
    machine: Object.fromEntries(machine),
    cpus: hardware.cpus.map(({ id, model, cores, threads }) => ({ id, model, cores, threads })),
    memoryModules: hardware.memoryModules,
    disks: hardware.disks,
    nics: hardware.nics,
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

function gpuView(device: GpuDevice): GpuView {
  const { id, state, reason, holder, pciAddress, driverVersion, utilization } = device;
  return {
    id,
    model: modelName(device),
    state,
    reason: reason && reasonView(reason),
    holder: holder && { namespace: holder.namespace, pod: holder.pod },
    pciAddress,
    driver: driverVersion,
    utilization,
  };
}

/** What is there, what of it is really taken, and what can still be promised. */
function useOf(amounts: readonly Amount[]): AmountTuple {
  const sum = (value: (amount: Amount) => number): number => amounts.reduce((total, amount) => total + value(amount), 0);
  return [
    sum(({ capacity }) => capacity),
    sum(({ allocated, overcommitted }) => allocated - overcommitted),
    sum(({ available }) => available),
  ];
}
