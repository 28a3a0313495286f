import type { ObservedDevice } from '../../model/observed.ts';

/** Drivers of dynamic resource allocation -> PCI vendor id of the cards that they hand out */
export const driverVendors: ReadonlyMap<string, string> = new Map([
  ['gpu.nvidia.com', '10de'],
  ['gpu.amd.com', '1002'],
  ['gpu.intel.com', '8086'],
]);

/** A whole card. */
export function isGpuDevice(device: ObservedDevice): boolean {
  return driverVendors.has(device.driver) && !isPartition(device);
}

/** A part of a card, which pods can have by itself. */
export function isPartition(device: ObservedDevice): boolean {
  return /^mig$|partition/i.test(textAttribute(device, 'type'));
}

/** The UUID of the card that a partition is a part of; empty when its driver does not say. */
export const parentOf = (device: ObservedDevice): string => textAttribute(device, 'parentUUID');

export function pciAddressOf(device: ObservedDevice): string {
  return textAttribute(device, 'resource.kubernetes.io/pciBusID') || textAttribute(device, 'pciBusID');
}

export function textAttribute({ attributes, driver }: ObservedDevice, name: string): string {
  const value = attributes[name] ?? attributes[`${driver}/${name}`];
  return typeof value === 'string' ? value : '';
}

/** What it is made of is enough for it. A device that shares nothing is made of itself alone. */
export function isWithinCounters({ counters = [] }: ObservedDevice): boolean {
  return counters.every(({ need, left }) => need <= left);
}

/** How many of these can be had at the same time, by what is left of their counters or by all there is. Taken in turn: there may be ways to have more, never fewer. */
export function countTogether(devices: readonly ObservedDevice[], of: 'left' | 'total'): number {
  const drawn = new Map<string, number>(); // pool and counter -> what those before draw
  let count = 0;
  for (const { driver, pool, counters = [] } of devices) {
    const needs = counters.map((counter) => ({ key: `${driver}/${pool}/${counter.name}`, need: counter.need, room: counter[of] }));
    if (needs.some(({ key, need, room }) => (drawn.get(key) ?? 0) + need > room)) continue;
    for (const { key, need } of needs) drawn.set(key, (drawn.get(key) ?? 0) + need);
    count += 1;
  }
  return count;
}
