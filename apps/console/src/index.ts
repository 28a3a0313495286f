export { type ApiField, fieldsOf, type SchemaDocument } from './api-field.ts';
export { ensureConsoleBuilt } from './build/ensure-console-built.ts';
export type {
  ConsoleNode,
  ConsolePart,
  ConsolePod,
  ConsoleSnapshot,
  ConsoleSource,
  InventorySource,
  PartState,
  PodPage,
  PodQuery,
} from './console-source.ts';
export type { FulfillmentAccess } from './fulfillment-access.ts';
export { type ConsoleOptions, type RunningConsole, startConsole } from './server/start-console.ts';
export type { OverviewHead } from './topics/overview-topic.ts';
export { newestFirst } from './topics/pods-topic.ts';
export { topicsPath } from './topics/stream-message.ts';
