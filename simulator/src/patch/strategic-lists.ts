import { unexplained } from '../schema/api-status.ts';
import { field, isArray, isObject, type Json, type JsonObject, jsonEqual } from '../schema/json.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { directive, orderPrefix } from './strategic-directives.ts';

/** How two objects are merged. */
export type MergeObjects = (target: JsonObject, patch: JsonObject, schema: SchemaNode | undefined) => JsonObject;

/** Merges a patch into a list: values as into a set, objects by the merge key of the schema. */
export function mergeList(
  current: readonly Json[],
  patch: readonly Json[],
  schema: SchemaNode,
  mergeObjects: MergeObjects,
): readonly Json[] {
  if (current.length === 0 && patch.length === 0) return current;
  const isOfObjects = [...current, ...patch].every(isObject);
  if ([...current, ...patch].some(isArray)) throw unexplained('lists of lists are not supported');
  if (!isOfObjects) {
    if ([...current, ...patch].some(isObject))
      throw unexplained('list element types are not identical: map[string]interface {} and string');
    const values = [...new Set([...current, ...patch])];
    return interleave(values, patch, { live: current, mergeKey: undefined });
  }
  const mergeKey = schema.patchMergeKey;
  if (mergeKey === undefined) throw unexplained('cannot merge lists without merge key');
  const { live, changes } = carryOutDirectives(current, patch, mergeKey);
  const merged = mergeByKey(live, changes, mergeKey, (item, change) => mergeObjects(item, change, schema.items));
  return interleave(merged, changes, { live, mergeKey });
}

/** The merged items in the order that a directive asks for; items that only the live list has keep their place. */
export function orderItems(
  items: readonly Json[],
  order: readonly Json[],
  lists: { readonly live: readonly Json[]; readonly patch: readonly Json[]; readonly mergeKey: string | undefined },
): readonly Json[] {
  const given = lists.patch.filter((item) => !(isObject(item) && Object.hasOwn(item, directive)));
  if (order.length > 0 && !isSubsequence(given, order, lists.mergeKey)) {
    throw unexplained(
      `The order in patch list:\n${JSON.stringify(lists.patch)}\n doesn't match ${orderPrefix} list:\n${JSON.stringify(order)}\n`,
    );
  }
  return interleave(items, order, lists);
}

function isSubsequence(part: readonly Json[], whole: readonly Json[], mergeKey: string | undefined): boolean {
  let next = 0;
  for (const item of whole) {
    const wanted = part[next];
    if (wanted !== undefined && isSame(wanted, item, mergeKey)) next += 1;
  }
  return next >= part.length;
}

/** `$patch: delete` takes items away, `$patch: replace` in any item replaces the whole list by the others. */
function carryOutDirectives(current: readonly Json[], patch: readonly Json[], mergeKey: string) {
  let live = current;
  let isReplaced = false;
  const changes = patch.filter((item) => {
    if (!isObject(item) || !Object.hasOwn(item, directive)) return true;
    const what = item[directive];
    if (what === 'replace') isReplaced = true;
    else if (what === 'delete') live = live.filter((each) => !isSame(each, item, mergeKey));
    else if (what === 'merge') throw unexplained('merging lists cannot yet be specified in the patch');
    else throw unexplained(`unknown patch type: ${JSON.stringify(what ?? null)} in map: ${JSON.stringify(item)}`);
    if (what === 'delete') keyOf(item, mergeKey);
    return false;
  });
  return isReplaced ? { live: changes, changes: [] } : { live, changes };
}

function mergeByKey(
  live: readonly Json[],
  changes: readonly Json[],
  mergeKey: string,
  merge: (item: JsonObject, change: JsonObject) => JsonObject,
): readonly Json[] {
  const merged = [...live];
  for (const change of changes) {
    if (!isObject(change)) continue;
    keyOf(change, mergeKey);
    const index = merged.findIndex((item) => isSame(item, change, mergeKey));
    const item = merged[index];
    if (isObject(item)) merged[index] = merge(item, change);
    else merged.push(change);
  }
  return merged;
}

/**
 * Items that `order` names come in its order, the others in that of the live list, and each of the others before the first named
 * one that it preceded there.
 */
function interleave(
  items: readonly Json[],
  order: readonly Json[],
  { live, mergeKey }: { readonly live: readonly Json[]; readonly mergeKey: string | undefined },
): readonly Json[] {
  const indexIn = (list: readonly Json[], item: Json) => list.findIndex((each) => isSame(each, item, mergeKey));
  const byIndexIn = (list: readonly Json[]) => (a: Json, b: Json) => indexIn(list, a) - indexIn(list, b);
  const named = items.filter((item) => indexIn(order, item) >= 0).sort(byIndexIn(order));
  const others = items.filter((item) => indexIn(order, item) < 0).sort(byIndexIn(live));
  const result: Json[] = [];
  for (const item of named) {
    const place = indexIn(live, item);
    while (place >= 0 && others[0] !== undefined && indexIn(live, others[0]) >= 0 && indexIn(live, others[0]) < place) {
      result.push(others.shift() ?? null);
    }
    result.push(item);
  }
  return [...result, ...others];
}

function isSame(a: Json, b: Json, mergeKey: string | undefined): boolean {
  if (mergeKey === undefined) return a === b;
  return isObject(a) && isObject(b) && Object.hasOwn(a, mergeKey) && jsonEqual(a[mergeKey], b[mergeKey]);
}

function keyOf(item: JsonObject, mergeKey: string): Json {
  const key = field(item, mergeKey);
  if (key === undefined) throw unexplained(`map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`);
  return key;
}
