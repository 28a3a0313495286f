/**
 * The form in which fields lie in the jsonb document, so that SQL compares them exactly as memory does.
 *
 * - Objects by the names of the contract; what is unset, empty or the default of a field without presence is absent.
 * - Integers of every width and enums are numbers: jsonb keeps all digits. Doubles are numbers, but "NaN", "Infinity" and "-Infinity" strings.
 * - google.protobuf.Timestamp and Duration are whole microseconds: the first rounded down, the second towards zero.
 * - Bytes are strings in base64 (standard alphabet, padded). Wrappers are their value. Maps are objects, with keys as text.
 *
 * It is for filters and indexes; objects are read back from their protobuf form.
 */
import { type DescField, type DescMessage, isFieldSet, type Message, ScalarType } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { invalidFields } from '@quartermaster/kernel';
import { isOpaque, wrappedField } from '../language/filter-type.ts';
import { unstorable } from '../language/text.ts';

/**
 * The document of a message, as JSON text for a jsonb parameter. `leftOut` are fields of the message itself that are kept elsewhere. Throws `invalid_argument` that names the
 * field for text that PostgreSQL cannot hold.
 */
export function toStorageJson(schema: DescMessage, message: Message, leftOut?: ReadonlySet<string>): string {
  return writeMessage(schema, message, '', leftOut);
}

/** Whole microseconds since 1970 of a google.protobuf.Timestamp, rounded down. Columns of type timestamptz have to hold the same. */
export function microsOfTimestamp(timestamp: { readonly seconds: bigint; readonly nanos: number }): bigint {
  return timestamp.seconds * 1_000_000n + BigInt(Math.floor(timestamp.nanos / 1000));
}

/** Whole microseconds of a google.protobuf.Duration, towards zero. */
export function microsOfDuration(duration: { readonly seconds: bigint; readonly nanos: number }): bigint {
  return duration.seconds * 1_000_000n + BigInt(Math.trunc(duration.nanos / 1000));
}

function writeMessage(schema: DescMessage, message: object, path: string, leftOut?: ReadonlySet<string>): string {
  let members = '';
  for (const field of schema.fields) {
    const { name } = field;
    if (leftOut?.has(name) === true || !isSet(message, field)) continue;
    // Names of the contract need no escaping.
    members += `${members === '' ? '' : ','}"${name}":${writeField(field, rawValue(message, field), path === '' ? name : `${path}.${name}`)}`;
  }
  return `{${members}}`;
}

/** Presence as protobuf has it: a field without presence is set when it is not the default. Minus zero is no other value than zero here. */
export function isSet(message: object, field: DescField): boolean {
  if (!isFieldSet(message as Message, field)) return false;
  return field.presence !== FeatureSet_FieldPresence.IMPLICIT || rawValue(message, field) !== 0;
}

/** The value of the field as protobuf-es keeps it; undefined while it is unset and has presence. */
export function rawValue(message: object, field: DescField): unknown {
  if (field.oneof === undefined) return Reflect.get(message, field.localName) as unknown;
  const chosen = Reflect.get(message, field.oneof.localName) as { readonly case?: string; readonly value?: unknown };
  return chosen.case === field.localName ? chosen.value : undefined;
}

function writeField(field: DescField, value: unknown, path: string): string {
  switch (field.fieldKind) {
    case 'scalar':
      return writeScalar(field.scalar, value, path);
    case 'enum':
      return String(value);
    case 'message':
      return writeSubmessage(field.message, value, path);
    case 'list':
      return `[${(value as readonly unknown[]).map((item, i) => writeItem(field, item, `${path}[${i}]`)).join(',')}]`;
    case 'map':
      return writeMap(field, value as Readonly<Record<string, unknown>>, path);
  }
}

function writeMap(field: DescField & { readonly fieldKind: 'map' }, entries: Readonly<Record<string, unknown>>, path: string): string {
  const members = Object.entries(entries).map(([key, value]) => {
    const place = `${path}[${JSON.stringify(key)}]`;
    return `${writeText(key, place)}:${writeItem(field, value, place)}`;
  });
  return `{${members.join(',')}}`;
}

function writeItem(field: DescField & { readonly fieldKind: 'list' | 'map' }, value: unknown, path: string): string {
  if (field.message !== undefined) return writeSubmessage(field.message, value, path);
  return field.enum === undefined ? writeScalar(field.scalar, value, path) : String(value);
}

function writeSubmessage(schema: DescMessage, value: unknown, path: string): string {
  const message = value as object;
  if (schema.typeName === 'google.protobuf.Timestamp') return String(microsOfTimestamp(message as { seconds: bigint; nanos: number }));
  if (schema.typeName === 'google.protobuf.Duration') return String(microsOfDuration(message as { seconds: bigint; nanos: number }));
  const wrapped = wrappedField(schema);
  if (wrapped !== undefined) return writeField(wrapped, unwrapped(value, wrapped), path);
  // protobuf-es keeps some of these as plain JSON, and only their presence can be asked for.
  return isOpaque(schema) ? '{}' : writeMessage(schema, message, path);
}

/** protobuf-es keeps the bare value of a wrapper in singular fields, and the message elsewhere. */
export function unwrapped(value: unknown, wrapped: DescField): unknown {
  return typeof value === 'object' && value !== null && '$typeName' in value ? rawValue(value, wrapped) : value;
}

function writeScalar(scalar: ScalarType, value: unknown, path: string): string {
  switch (scalar) {
    case ScalarType.STRING:
      return writeText(value as string, path);
    case ScalarType.BYTES:
      return JSON.stringify(Buffer.from(value as Uint8Array).toString('base64'));
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return Number.isFinite(value) ? String(value) : JSON.stringify(String(value));
    default:
      return String(value);
  }
}

function writeText(text: string, path: string): string {
  const problem = unstorable(text);
  if (problem !== undefined) throw invalidFields([{ field: path, description: problem }]);
  return JSON.stringify(text);
}
