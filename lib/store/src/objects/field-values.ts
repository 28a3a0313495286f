import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { StatusError } from '@quartermaster/kernel';

/**
 * Reads what a message holds at a path by the names of the contract, in which `*` stands for every value of a map or list: `spec.node_sets.*.host_class`. What lies in a
 * message that is not set is left out. A path that the type does not have is a bug and throws at once. Plain properties: reflection costs more than the rest of a write.
 */
export function fieldValues(schema: DescMessage, path: string): (message: Message) => readonly unknown[] {
  const parts = partsOf(schema, path);
  return (message) => parts.reduce<readonly unknown[]>((values, names) => values.flatMap((value) => entriesAt(value, names)), [[message]]);
}

/** The same for a path without `*`: undefined for what lies in a message that is not set. */
export function fieldValue(schema: DescMessage, path: string): (message: Message) => unknown {
  const [names = [], ...others] = partsOf(schema, path);
  if (others.length > 0) throw new StatusError('internal', `path ${path} of ${schema.typeName} leads to several values`);
  return (message) => valueAt(message, names);
}

/** From one `*` to the next: names of properties. */
type Part = readonly string[];

function partsOf(schema: DescMessage, path: string): readonly Part[] {
  const parts: string[][] = [[]];
  let message: DescMessage | undefined = schema;
  let isRepeated = false;
  for (const name of path.split('.')) {
    if (name === '*' && isRepeated) {
      parts.push([]);
      isRepeated = false;
      continue;
    }
    const field: DescField | undefined = message?.fields.find((each) => each.name === name);
    if (field === undefined || field.oneof !== undefined || isRepeated) {
      throw new StatusError('internal', `path ${path}: ${schema.typeName} has no field ${name} there that a column could hold`);
    }
    parts.at(-1)?.push(field.localName);
    message = field.message;
    isRepeated = field.fieldKind === 'list' || field.fieldKind === 'map';
  }
  return parts;
}

function valueAt(start: unknown, names: Part): unknown {
  let value = start;
  for (const name of names) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}

/** What the property holds for every value of the map or list. */
function entriesAt(repeated: unknown, names: Part): unknown[] {
  if (typeof repeated !== 'object' || repeated === null) return [];
  return Object.values(repeated)
    .map((value) => valueAt(value, names))
    .filter((value) => value !== undefined);
}
