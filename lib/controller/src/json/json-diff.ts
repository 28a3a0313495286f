import { isJsonObject, type JsonObject, jsonEqual, ownField } from './json-equal.ts';

/** One step into a JSON value: a field, a place in a list, or the item of a list whose `field` is `value`. */
export type PathStep = string | number | { readonly field: string; readonly value: string };

export interface FieldChange {
  readonly path: readonly PathStep[];
  /** `moved`: a keyed list has the same items in another order; `before` and `after` are then the keys. */
  readonly kind: 'added' | 'removed' | 'changed' | 'moved';
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Fields that name an item among its siblings in the lists of Kubernetes, in the order in which they are tried. */
const naming = ['name', 'type', 'uid', 'key', 'mountPath', 'containerPort', 'ip'] as const;

/**
 * The fields in which two JSON values differ; none exactly when they are equal. Lists of objects that name themselves are compared
 * item by item by that name, so that one inserted container is one change; other lists by position.
 */
export function diffJson(before: unknown, after: unknown): FieldChange[] {
  const changes: FieldChange[] = [];
  compare([], before, after, changes);
  return changes;
}

/** `spec.containers[name=web].image`; fields that are not plain words stand in brackets and quotes. */
export function formatPath(path: readonly PathStep[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (typeof step === 'object') text += `[${step.field}=${step.value}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

function compare(path: readonly PathStep[], before: unknown, after: unknown, changes: FieldChange[]): void {
  if (jsonEqual(before, after)) return;
  if (before === undefined) changes.push({ path, kind: 'added', after });
  else if (after === undefined) changes.push({ path, kind: 'removed', before });
  else if (Array.isArray(before) && Array.isArray(after)) compareLists(path, before, after, changes);
  else if (isJsonObject(before) && isJsonObject(after)) compareObjects(path, before, after, changes);
  else changes.push({ path, kind: 'changed', before, after });
}

function compareObjects(path: readonly PathStep[], before: JsonObject, after: JsonObject, changes: FieldChange[]): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    compare([...path, key], ownField(before, key), ownField(after, key), changes);
  }
}

function compareLists(path: readonly PathStep[], before: readonly unknown[], after: readonly unknown[], changes: FieldChange[]): void {
  const field = naming.find((name) => isNamedBy(before, name) && isNamedBy(after, name));
  if (field === undefined) {
    for (let i = 0; i < Math.max(before.length, after.length); i += 1) compareItems([...path, i], before, after, i, changes);
    return;
  }
  const from = byName(before, field);
  const to = byName(after, field);
  for (const name of new Set([...from.keys(), ...to.keys()])) {
    compare([...path, { field, value: name }], from.get(name), to.get(name), changes);
  }
  const kept = [...from.keys()].filter((name) => to.has(name));
  const keptNow = [...to.keys()].filter((name) => from.has(name));
  if (!jsonEqual(kept, keptNow)) changes.push({ path, kind: 'moved', before: kept, after: keptNow });
}

function compareItems(
  path: readonly PathStep[],
  before: readonly unknown[],
  after: readonly unknown[],
  i: number,
  changes: FieldChange[],
): void {
  if (i >= before.length) changes.push({ path, kind: 'added', after: after[i] });
  else if (i >= after.length) changes.push({ path, kind: 'removed', before: before[i] });
  else compare(path, before[i], after[i], changes);
}

function isNamedBy(items: readonly unknown[], field: string): boolean {
  const names = items.map((item) => nameOf(item, field));
  return !names.includes(undefined) && new Set(names).size === names.length;
}

function byName(items: readonly unknown[], field: string): Map<string, unknown> {
  return new Map(items.map((item) => [nameOf(item, field) ?? '', item]));
}

function nameOf(item: unknown, field: string): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const name = ownField(item, field);
  return typeof name === 'string' ? name : typeof name === 'number' ? String(name) : undefined;
}
