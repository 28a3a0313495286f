import type { GpuFacts } from '@quartermaster/api/node-hardware';

/** Whether two facts of one machine are of one card: the same product in the same place, by the same id where both have one. */
export function isSameCard(a: GpuFacts, b: GpuFacts): boolean {
  const isSameId = a.uuid === undefined || b.uuid === undefined || a.uuid === b.uuid;
  return a.pciAddress === b.pciAddress && a.vendorId === b.vendorId && a.productId === b.productId && isSameId;
}
