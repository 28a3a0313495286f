import type { Json } from '../schema/json.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { type Atom, asList, asMap, atomOf, itemElement } from './atoms.ts';
import { type FieldPath, FieldSet, fieldElement } from './field-set.ts';

/** Every field that a value sets: what its applier will own. */
export function toFieldSet(schema: SchemaNode, value: Json): FieldSet {
  return FieldSet.of(fieldsOf(schema, value, []));
}

function* fieldsOf(schema: SchemaNode | undefined, value: Json, path: FieldPath): Generator<FieldPath> {
  const atom = atomOf(schema, value);
  if (atom.kind === 'leaf') yield path;
  else if (atom.kind === 'list') yield* itemsOf(atom, asList(value) ?? [], path);
  else {
    for (const [name, child] of Object.entries(asMap(value) ?? {})) {
      const below = [...path, fieldElement(name)];
      yield* fieldsOf(atom.childOf(name), child, below);
      const isEmpty = child === null || (asMap(child) !== undefined && Object.keys(child).length === 0);
      if (isEmpty || !atom.isField(name)) yield below;
    }
  }
}

/** Items that share their keys are owned together, as one. */
function* itemsOf(list: Extract<Atom, { kind: 'list' }>, items: readonly Json[], path: FieldPath): Generator<FieldPath> {
  const elements = items.map((item) => itemElement(list, item));
  for (const [index, item] of items.entries()) {
    const element = elements[index];
    if (element === undefined) continue;
    if (elements.indexOf(element) === elements.lastIndexOf(element)) yield* fieldsOf(list.items, item, [...path, element]);
    yield [...path, element];
  }
}
