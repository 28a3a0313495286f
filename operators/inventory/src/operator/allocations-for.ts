import type { InventoryLedger } from '../ledger/inventory-ledger.ts';
import type { Allocation } from '../model/snapshot.ts';
import type { AllocationFilter } from '../serve/inventory-service.ts';

/** Who holds what, as the API asks for it. */
export function* allocationsFor(ledger: InventoryLedger, { node, namespace, leaseLabel, device }: AllocationFilter): Generator<Allocation> {
  const filter = { ...(node === undefined ? {} : { node }), ...(namespace === undefined ? {} : { namespace }) };
  for (const allocation of ledger.allocations(filter)) {
    if (device !== undefined && !allocation.devices.includes(device)) continue;
    if (leaseLabel !== undefined && !hasLabel(allocation, leaseLabel)) continue;
    yield allocation;
  }
}

function hasLabel({ leaseLabels }: Allocation, { key, value }: NonNullable<AllocationFilter['leaseLabel']>): boolean {
  return value === undefined ? key in leaseLabels : leaseLabels[key] === value;
}
