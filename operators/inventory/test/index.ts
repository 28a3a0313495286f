export { inventoryAccess } from '../src/access/access-table.ts';
export { viewsService } from '../src/serve/views-service.ts';
export { type InventoryReader, inventoryViews } from '../src/views/inventory-reader.ts';
export { namedView, viewsByAddress } from '../src/views/open-view.ts';
export { ViewFeed } from '../src/views/view-feed.ts';
export { FakeInventory } from './fake-inventory.ts';
export { type InventoryTokens, inventoryTokens } from './inventory-tokens.ts';
export { gib, gpuDevice, gpuGroup, nodeInventory, snapshotWith, storageInventory, totalsOf } from './inventory-values.ts';
export { servingViews } from './serving-views.ts';
