/**
 * Strategic merge patches: JSON merge patches that know which lists are sets or maps. A list that is merged is changed item by
 * item, found by the merge key of its schema. Directives inside of the patch say more:
 *
 *   $patch: delete | replace           on an object or on an item of a merged list
 *   $retainKeys: [...]                 of an object: every other field goes
 *   $deleteFromPrimitiveList/f: [...]  values to take from the list f
 *   $setElementOrder/f: [...]          the order of the list f
 */

import { badRequest, unexplained } from '../schema/api-status.ts';
import { field, isArray, isObject, type Json, type JsonObject, objectOf } from '../schema/json.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { notAnObject } from './merge-patch.ts';
import { deletionsPrefix, directive, orderPrefix, retainKeys, withoutDirectives, withoutNulls } from './strategic-directives.ts';
import { mergeList, orderItems } from './strategic-lists.ts';

export function applyStrategicMergePatch(target: JsonObject, patch: Json, schema: SchemaNode): JsonObject {
  if (patch === null) return target;
  if (!isObject(patch)) throw badRequest(notAnObject(patch));
  return mergeObjects(target, patch, schema);
}

function mergeObjects(target: JsonObject, patch: JsonObject, schema: SchemaNode | undefined): JsonObject {
  const what = field(patch, directive);
  if (what === 'replace') return objectOf(Object.entries(patch).filter(([key]) => key !== directive));
  if (what === 'delete') return {};
  if (what !== undefined) throw unexplained(`unknown patch type: ${JSON.stringify(what)} in map: ${JSON.stringify(patch)}`);

  const merged = new Map(Object.entries(retained(target, patch)));
  const ordered = mergeOrdered(merged, patch, schema);
  for (const [key, value] of Object.entries(patch)) {
    if (key === retainKeys || key.startsWith(`${orderPrefix}/`) || ordered.has(key)) continue;
    if (key.startsWith(`${deletionsPrefix}/`)) deleteValues(merged, key.slice(deletionsPrefix.length + 1), value);
    else mergeField(merged, key, value, childSchema(schema, key));
  }
  return objectOf(merged);
}

function mergeField(merged: Map<string, Json>, key: string, patch: Json, schema: SchemaNode | undefined): void {
  const current = merged.get(key);
  if (patch === null) merged.delete(key);
  else if (isObject(current) && isObject(patch)) {
    merged.set(key, isReplaced(schema) ? patch : mergeObjects(current, patch, schema));
  } else if (isArray(current) && isArray(patch)) {
    merged.set(key, isMerged(schema) ? mergeList(current, patch, schema, mergeObjects) : patch);
  } else {
    const value = withoutDirectives(withoutNulls(patch));
    if (value === undefined) merged.delete(key);
    else merged.set(key, value);
  }
}

/** Merges the lists whose order the patch gives, and returns their names. */
function mergeOrdered(merged: Map<string, Json>, patch: JsonObject, schema: SchemaNode | undefined): ReadonlySet<string> {
  const done = new Set<string>();
  for (const [directiveKey, order] of Object.entries(patch)) {
    if (!directiveKey.startsWith(`${orderPrefix}/`)) continue;
    const key = directiveKey.slice(orderPrefix.length + 1);
    const current = merged.get(key);
    const change = field(patch, key);
    for (const list of [order, current, change]) {
      if (list !== undefined && !isArray(list)) throw unexplained(`expected a list, but received ${JSON.stringify(list)}`);
    }
    if (!isArray(order)) continue;
    const child = childSchema(schema, key);
    const [was, given] = [isArray(current) ? current : undefined, isArray(change) ? change : undefined];
    const items = mergedItems(was, given, child);
    if (items === undefined) continue;
    merged.set(key, orderItems(items, order, { live: was ?? [], patch: given ?? [], mergeKey: child?.patchMergeKey }));
    done.add(key);
  }
  return done;
}

function mergedItems(current: readonly Json[] | undefined, patch: readonly Json[] | undefined, schema: SchemaNode | undefined) {
  if (patch === undefined) return current;
  if (current !== undefined) return isMerged(schema) ? mergeList(current, patch, schema, mergeObjects) : patch;
  return patch.map(withoutDirectives).filter((item) => item !== undefined);
}

function deleteValues(merged: Map<string, Json>, key: string, values: Json): void {
  const current = merged.get(key);
  if (!isArray(current) || !isArray(values)) return;
  merged.set(
    key,
    current.filter((item) => !values.includes(item)),
  );
}

/** The target without the fields that the patch does not retain. */
function retained(target: JsonObject, patch: JsonObject): JsonObject {
  const keys = field(patch, retainKeys);
  if (keys === undefined) return target;
  const isDirective = (key: string) => key === retainKeys || key.startsWith(deletionsPrefix) || key.startsWith(orderPrefix);
  const strays = Object.entries(patch).some(([key, value]) => value !== null && !isDirective(key) && isArray(keys) && !keys.includes(key));
  if (!isArray(keys) || strays) throw badRequest('invalid patch format of retainKeys');
  return objectOf(Object.entries(target).filter(([key]) => keys.includes(key)));
}

const isMerged = (schema: SchemaNode | undefined): schema is SchemaNode => schema?.patchStrategy?.includes('merge') === true;
const isReplaced = (schema: SchemaNode | undefined): boolean => schema?.patchStrategy?.includes('replace') === true;

function childSchema(schema: SchemaNode | undefined, key: string): SchemaNode | undefined {
  return schema?.properties !== undefined && Object.hasOwn(schema.properties, key) ? schema.properties[key] : schema?.additional;
}
