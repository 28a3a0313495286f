import type { Json, JsonObject } from '../object/api-object.ts';

/**
 * Events are one set of objects under two kinds. They are stored as the core kind; the fields that the two name
 * differently are renamed on the way in and out.
 */
const names: readonly (readonly [core: string, events: string])[] = [
  ['message', 'note'],
  ['involvedObject', 'regarding'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
];

const toEvents = new Map(names);
const toCore = new Map(names.map(([core, events]) => [events, core] as const));

export const coreEvent = (object: JsonObject): JsonObject => renamed(object, toCore, 'v1');
export const eventsEvent = (object: JsonObject): JsonObject => renamed(object, toEvents, 'events.k8s.io/v1');

function renamed(object: JsonObject, table: ReadonlyMap<string, string>, apiVersion: string): JsonObject {
  const entries = Object.entries(object).map(([field, value]): [string, Json] => [table.get(field) ?? field, value]);
  const result = Object.fromEntries(entries);
  // The core kind has these fields always, empty or not.
  const core = apiVersion === 'v1' ? { reportingComponent: '', reportingInstance: '' } : {};
  return { ...core, ...result, apiVersion, kind: 'Event' };
}
