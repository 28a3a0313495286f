import { field, isObject, type Json, objectOf } from './json.ts';
import type { SchemaNode } from './schema-node.ts';

/** What tells an item of a set or of a map from the others; undefined in a list where nothing does. */
export function keyOfItem(list: SchemaNode, item: Json): Json | undefined {
  if (list.listType === 'set') return item;
  if (list.listType !== 'map' || !isObject(item)) return undefined;
  const keys = (list.listMapKeys ?? []).flatMap((name): [string, Json][] => {
    const value = field(item, name);
    return value === undefined ? [] : [[name, value]];
  });
  return objectOf(keys);
}
