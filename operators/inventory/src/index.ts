export type { Amount, TotalAmount } from './model/amount.ts';
export type { GpuDevice, GpuGroup, NodeInventory, Reason, StaleSource } from './model/node-inventory.ts';
export type { Allocation, Generation, InventoryTotals, ResourceTotals } from './model/snapshot.ts';
export type { StorageInventory } from './model/storage-inventory.ts';
export { Inventory, type InventoryOptions, overridesName } from './operator/inventory.ts';
export { inventoryRole, sharedInventory } from './operator/inventory-role.ts';
export { BusPublisher, type BusPublisherOptions, type BusPublisherStatus } from './publish/bus-publisher.ts';
export { InventoryFeed, type InventoryFeedOptions, type InventorySource } from './publish/inventory-feed.ts';
export { type InventoryServing, type InventoryServingOptions, inventoryServing } from './serve/inventory-serving.ts';
