import { type DescEnum, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';

/** The types of expressions. Points in time and durations are whole microseconds. */
export type FilterType =
  | { readonly kind: 'bool' | 'uint' | 'double' | 'string' | 'bytes' | 'timestamp' | 'duration' | 'null' }
  | { readonly kind: 'int'; readonly enumeration?: DescEnum }
  | { readonly kind: 'message'; readonly message: DescMessage }
  | { readonly kind: 'list'; readonly item: FilterType }
  | { readonly kind: 'map'; readonly key: FilterType; readonly value: FilterType };

export const boolType: FilterType = { kind: 'bool' };
export const intType: FilterType = { kind: 'int' };

/** Messages without fields that a filter could ask for: only their presence is known. */
const opaqueNames: ReadonlySet<string> = new Set([
  'google.protobuf.Any',
  'google.protobuf.Struct',
  'google.protobuf.Value',
  'google.protobuf.ListValue',
]);

export function isOpaque(message: DescMessage): boolean {
  return opaqueNames.has(message.typeName);
}

/** The field that holds the value of a wrapper such as google.protobuf.StringValue; undefined for any other message. */
export function wrappedField(message: DescMessage | undefined): DescField | undefined {
  return message !== undefined && /^google\.protobuf\.\w+Value$/.test(message.typeName) && !isOpaque(message)
    ? message.fields[0]
    : undefined;
}

/** True for a field whose value is null while it is unset. */
export function isWrapperField(field: DescField): boolean {
  return field.fieldKind === 'message' && wrappedField(field.message) !== undefined;
}

export function typeOfField(field: DescField): FilterType {
  switch (field.fieldKind) {
    case 'scalar':
      return typeOfScalar(field.scalar);
    case 'enum':
      return { kind: 'int', enumeration: field.enum };
    case 'message':
      return typeOfMessage(field.message);
    case 'list':
      return { kind: 'list', item: typeOfItem(field) };
    case 'map':
      return { kind: 'map', key: typeOfScalar(field.mapKey), value: typeOfValue(field) };
  }
}

function typeOfItem(field: DescField & { readonly fieldKind: 'list' }): FilterType {
  if (field.listKind === 'scalar') return typeOfScalar(field.scalar);
  return field.listKind === 'enum' ? { kind: 'int', enumeration: field.enum } : typeOfMessage(field.message);
}

function typeOfValue(field: DescField & { readonly fieldKind: 'map' }): FilterType {
  if (field.mapKind === 'scalar') return typeOfScalar(field.scalar);
  return field.mapKind === 'enum' ? { kind: 'int', enumeration: field.enum } : typeOfMessage(field.message);
}

function typeOfMessage(message: DescMessage): FilterType {
  if (message.typeName === 'google.protobuf.Timestamp') return { kind: 'timestamp' };
  if (message.typeName === 'google.protobuf.Duration') return { kind: 'duration' };
  const wrapped = wrappedField(message);
  return wrapped === undefined ? { kind: 'message', message } : typeOfField(wrapped);
}

function typeOfScalar(scalar: ScalarType): FilterType {
  switch (scalar) {
    case ScalarType.STRING:
      return { kind: 'string' };
    case ScalarType.BYTES:
      return { kind: 'bytes' };
    case ScalarType.BOOL:
      return boolType;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { kind: 'double' };
    case ScalarType.UINT32:
    case ScalarType.UINT64:
    case ScalarType.FIXED32:
    case ScalarType.FIXED64:
      return { kind: 'uint' };
    default:
      return intType;
  }
}

/** How messages to the caller name the type. */
export function describeType(type: FilterType): string {
  switch (type.kind) {
    case 'int':
      return type.enumeration === undefined ? 'int' : `enum ${type.enumeration.name}`;
    case 'message':
      return `message ${type.message.name}`;
    case 'list':
      return `list of ${describeType(type.item)}`;
    case 'map':
      return `map of ${describeType(type.key)} to ${describeType(type.value)}`;
    default:
      return type.kind;
  }
}
