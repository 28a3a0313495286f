import { field, isObject, type Json, type JsonObject, objectOf } from '../schema/json.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { type Atom, asList, asMap, atomOf, itemElement } from './atoms.ts';
import type { PathElement } from './field-set.ts';

/** The live object with the applied configuration laid over it. */
export function mergeApplied(schema: SchemaNode, live: JsonObject, applied: JsonObject): JsonObject {
  const merged = merge(schema, live, applied);
  return isObject(merged) ? merged : {};
}

function merge(schema: SchemaNode | undefined, live: Json | undefined, applied: Json | undefined): Json | undefined {
  const atom = atomOf(schema, applied === undefined ? live : applied);
  if (atom.kind === 'map') {
    const [left, right] = [asMap(live) ?? {}, asMap(applied) ?? {}];
    const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
    if (names.length > 0) return mergeFields(atom, names, left, right);
  } else if (atom.kind === 'list') {
    const [left, right] = [asList(live) ?? [], asList(applied) ?? []];
    if (left.length + right.length > 0) return mergeItems(atom, left, right);
  }
  return applied === undefined ? live : applied;
}

function mergeFields(atom: Extract<Atom, { kind: 'map' }>, names: readonly string[], live: JsonObject, applied: JsonObject): Json {
  const entries = names.flatMap((name): [string, Json][] => {
    const value = merge(atom.childOf(name), field(live, name), field(applied, name));
    return value === undefined ? [] : [[name, value]];
  });
  return objectOf(entries);
}

/**
 * Items of both sides keep the order in which they were applied; items that only the live list has stay where they were
 * in relation to those.
 */
function mergeItems(list: Extract<Atom, { kind: 'list' }>, live: readonly Json[], applied: readonly Json[]): Json {
  const elementOf = (item: Json): PathElement => itemElement(list, item) ?? '';
  const left = live.map(elementOf);
  const right = applied.map(elementOf);
  const merged: Json[] = [];
  const put = (a: Json | undefined, b: Json | undefined) => {
    const value = merge(list.items, a, b);
    if (value !== undefined) merged.push(value);
  };
  // A live item that is there twice cannot be told from its double: the applied one stands alone.
  const liveItem = (element: PathElement) =>
    left.indexOf(element) === left.lastIndexOf(element) ? live[left.indexOf(element)] : undefined;
  const isShared = new Set(right.filter((element) => left.includes(element)));
  const shared = [...isShared]; // in the order of the applied list
  const done = new Set<PathElement>();

  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    const [liveNext, appliedNext] = [left[l], right[r]];
    if (liveNext !== undefined && appliedNext !== undefined && liveNext !== appliedNext) {
      if (isShared.has(liveNext) && shared.length > 0 && shared[0] !== liveNext) {
        l += 1;
        continue;
      }
    }
    if (liveNext !== undefined && liveNext !== appliedNext) {
      if (!isShared.has(liveNext)) {
        put(live[l], undefined);
        l += 1;
        continue;
      }
      if (done.has(liveNext)) l += 1;
    }
    if (appliedNext !== undefined) {
      put(liveItem(appliedNext), applied[r]);
      done.add(appliedNext);
      r += 1;
      if (liveNext === appliedNext) l += 1;
      if (shared[0] === appliedNext) shared.shift();
    }
  }
  return merged;
}
