import type { DescEnum, DescField, DescMessage, MessageShape } from '@bufbuild/protobuf';
import { isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import type { FieldViolation } from '@quartermaster/kernel';
import { keyText } from '../masks/index.ts';

/**
 * Values of enums that this release does not know. One that is stored already stays: a newer release wrote it, and whoever changes something else there must not
 * be refused for it.
 */
export function enumViolations<Desc extends DescMessage>(
  schema: Desc,
  object: MessageShape<Desc>,
  stored: MessageShape<Desc> | undefined,
): FieldViolation[] {
  const unknown = unknownIn(schema, object);
  if (unknown.length === 0) return [];
  const known = new Set(stored === undefined ? [] : unknownIn(schema, stored).map(({ field, value }) => `${field} ${value}`));
  return unknown
    .filter(({ field, value }) => !known.has(`${field} ${value}`))
    .map(({ field, value, of }) => ({
      field,
      description: `must be one of ${of.values.map(({ name }) => name).join(', ')}, and is ${value}`,
    }));
}

interface UnknownValue {
  readonly field: string;
  readonly value: number;
  readonly of: DescEnum;
}

function unknownIn<Desc extends DescMessage>(schema: Desc, object: MessageShape<Desc>): UnknownValue[] {
  const found: UnknownValue[] = [];
  visit(reflect(schema, object, false), '', found);
  return found;
}

function visit(message: ReflectMessage, prefix: string, found: UnknownValue[]): void {
  for (const field of fieldsWithEnums(message.desc)) {
    if (!message.isSet(field)) continue;
    const path = prefix + field.name;
    if (field.fieldKind === 'list') {
      for (const [index, item] of message.get(field).entries()) visitValue(field, item, `${path}.${index}`, found);
    } else if (field.fieldKind === 'map') {
      for (const [key, item] of message.get(field)) visitValue(field, item, `${path}.${keyText(String(key))}`, found);
    } else {
      visitValue(field, message.get(field), path, found);
    }
  }
}

function visitValue(field: DescField, value: unknown, path: string, found: UnknownValue[]): void {
  if (isReflectMessage(value)) visit(value, `${path}.`, found);
  else if (typeof value === 'number' && field.enum !== undefined && field.enum.value[value] === undefined) {
    found.push({ field: path, value, of: field.enum });
  }
}

const plans = new WeakMap<DescMessage, readonly DescField[]>();

/** The fields in which an enum can be found, however deep. */
function fieldsWithEnums(message: DescMessage): readonly DescField[] {
  const planned = plans.get(message);
  if (planned !== undefined) return planned;
  // For types that contain themselves: what is below is found from the one above.
  plans.set(message, []);
  const fields = message.fields.filter(
    (field) => field.enum !== undefined || (field.message !== undefined && fieldsWithEnums(field.message).length > 0),
  );
  plans.set(message, fields);
  return fields;
}
