import { type Json, jsonEqual } from '../schema/json.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { type Atom, asList, asMap, atomOf, itemElement } from './atoms.ts';
import { type FieldPath, FieldSet, fieldElement, type PathElement } from './field-set.ts';

/** The fields in which two values differ. No field is in more than one of the sets. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

type Side = Json | undefined;

export function compareObjects(schema: SchemaNode, before: Json, after: Json): Comparison {
  const found = new Comparer();
  found.compare(schema, before, after, []);
  return { removed: FieldSet.of(found.removed), modified: FieldSet.of(found.modified), added: FieldSet.of(found.added) };
}

class Comparer {
  readonly removed: FieldPath[] = [];
  readonly modified: FieldPath[] = [];
  readonly added: FieldPath[] = [];

  compare(schema: SchemaNode | undefined, before: Side, after: Side, path: FieldPath): void {
    // Parts that a write left alone are the same objects.
    if (before === after) return;
    const was = atomOf(schema, before);
    const is = atomOf(schema, after);
    let isLeaf: boolean;
    if (after === undefined) isLeaf = this.#visit(was, before, after, path);
    else {
      // A value of unknown shape that changed from a map to something else: its former fields are gone.
      if (before !== undefined && was.kind !== is.kind) this.#visit(was, before, after, path);
      isLeaf = this.#visit(is, before, after, path);
    }
    if (isLeaf) return;
    if (before === undefined) this.added.push(path);
    else if (after === undefined) this.removed.push(path);
  }

  /** True when the value was compared as a whole: a leaf, or empty on both sides. */
  #visit(atom: Atom, before: Side, after: Side, path: FieldPath): boolean {
    if (atom.kind === 'map') {
      const [left, right] = [asMap(before) ?? {}, asMap(after) ?? {}];
      const names = new Set([...Object.keys(left), ...Object.keys(right)]);
      if (names.size > 0) {
        for (const name of names) {
          const own = (side: Json) => (Object.hasOwn(side as object, name) ? (side as Record<string, Json>)[name] : undefined);
          this.compare(atom.childOf(name), own(left), own(right), [...path, fieldElement(name)]);
        }
        return false;
      }
    } else if (atom.kind === 'list') {
      const [left, right] = [asList(before) ?? [], asList(after) ?? []];
      if (left.length + right.length > 0) {
        this.#items(atom, left, right, path);
        return false;
      }
    }
    if (before === undefined) this.added.push(path);
    else if (after === undefined) this.removed.push(path);
    else if (!jsonEqual(before, after)) this.modified.push(path);
    return true;
  }

  #items(list: Extract<Atom, { kind: 'list' }>, before: readonly Json[], after: readonly Json[], path: FieldPath): void {
    const left = byElement(list, before);
    const right = byElement(list, after);
    for (const element of new Set([...left.keys(), ...right.keys()])) {
      const below = [...path, element];
      const [was, is] = [left.get(element) ?? [], right.get(element) ?? []];
      if (was.length <= 1 && is.length <= 1) this.compare(list.items, was[0], is[0], below);
      else if (was.length >= 2 && is.length >= 2) {
        if (!jsonEqual(was, is)) this.modified.push(below);
      } else if (was.length >= 2) {
        if (is.length > 0) this.compare(list.items, undefined, is[0], below);
        this.removed.push(below);
      } else {
        if (was.length > 0) this.compare(list.items, was[0], undefined, below);
        this.added.push(below);
      }
    }
  }
}

function byElement(list: Extract<Atom, { kind: 'list' }>, items: readonly Json[]): Map<PathElement, Json[]> {
  const found = new Map<PathElement, Json[]>(); // element -> the items with these keys
  for (const item of items) {
    const element = itemElement(list, item);
    if (element === undefined) continue;
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
  }
  return found;
}
