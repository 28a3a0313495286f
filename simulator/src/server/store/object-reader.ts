import { notFound } from '../../schema/api-status.ts';
import { apiVersionOf, keyOf, type ServedKind } from '../kinds/served-kind.ts';
import type { JsonObject } from '../object/api-object.ts';
import { coreEvent, eventsEvent } from './events-conversion.ts';
import type { Store } from './store.ts';

export interface ObjectRef {
  readonly namespace: string | undefined;
  readonly name: string;
}

const isEventsGroup = (kind: ServedKind): boolean => kind.group === 'events.k8s.io' && kind.plural === 'events';

/** A stored object as this version of its kind shows it. */
export function shown(kind: ServedKind, object: JsonObject): JsonObject {
  if (isEventsGroup(kind)) return eventsEvent(object);
  const apiVersion = apiVersionOf(kind);
  return object['apiVersion'] === apiVersion ? object : { ...object, apiVersion };
}

/** An object of this version as it is stored. */
export function storable(kind: ServedKind, object: JsonObject): JsonObject {
  if (isEventsGroup(kind)) return coreEvent(object);
  return {
    ...object,
    apiVersion: apiVersionOf({ group: kind.group, version: kind.custom?.storageVersion ?? kind.version }),
    kind: kind.kind,
  };
}

function findObject(store: Store, kind: ServedKind, { namespace, name }: ObjectRef): JsonObject | undefined {
  const found = store.get(kind.storageKey, keyOf(kind.namespaced ? (namespace ?? '') : undefined, name));
  return found === undefined ? undefined : shown(kind, found);
}

export function getObject(store: Store, kind: ServedKind, ref: ObjectRef): JsonObject {
  const found = findObject(store, kind, ref);
  if (found === undefined) throw notFound(kind, ref.name);
  return found;
}
