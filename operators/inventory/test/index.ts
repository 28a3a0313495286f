export { FakeInventory } from './fake-inventory.ts';
export { gib, gpuDevice, gpuGroup, nodeInventory, snapshotWith, storageInventory, totalsOf } from './inventory-values.ts';
export { servingViews } from './serving-views.ts';
