/** What shows an inventory to people, for whoever shares the process with the operator. */
export { type InventoryReader, inventoryViews } from './inventory-reader.ts';
export { InventoryViews, type InventoryViewsOptions } from './inventory-views.ts';
export { type NamedView, namedView, type OpenView, viewsByAddress } from './open-view.ts';
export { bestOf, type RankedHit, rankOfName, searchWords } from './search.ts';
export { type FeedClient, type FeedSubscription, ViewFeed, type ViewFeedOptions } from './view-feed.ts';
