export { type DeployName, deployText } from './deploy/deploy-text.ts';
export { Inventory, type InventoryOptions, overridesName } from './operator/inventory.ts';
export { type InventoryRoleOptions, inventoryRole } from './operator/inventory-role.ts';
export type { InventorySettings } from './operator/inventory-settings.ts';
export { BusPublisher, type BusPublisherOptions, type BusPublisherStatus } from './publish/bus-publisher.ts';
export { InventoryFeed, type InventoryFeedOptions } from './publish/inventory-feed.ts';
export type { InventorySource } from './publish/inventory-source.ts';
export { clusterTopic, nodesTopic, stateKey, storageTopic } from './publish/topics.ts';
export { type InventoryServers, type InventoryServersOptions, startInventoryServers } from './serve/start-inventory-servers.ts';
