export { BusPublisher, type BusPublisherOptions, type BusPublisherStatus } from './publish/bus-publisher.ts';
export { InventoryFeed, type InventoryFeedOptions } from './publish/inventory-feed.ts';
export type { InventorySource } from './publish/inventory-source.ts';
export { clusterTopic, nodesTopic, stateKey, storageTopic } from './publish/topics.ts';
export { type InventoryServers, type InventoryServersOptions, startInventoryServers } from './serve/start-inventory-servers.ts';
