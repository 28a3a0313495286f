/**
 * What a write changed, field by field, for people to read: maps by key, lists of messages by index, lists of values as a whole. Pure.
 */
import { createRegistry, type DescField, type DescMessage, isFieldSet, isMessage, type Message, toJson } from '@bufbuild/protobuf';
import {
  AnySchema,
  BoolValueSchema,
  BytesValueSchema,
  DoubleValueSchema,
  FloatValueSchema,
  Int32ValueSchema,
  Int64ValueSchema,
  StringValueSchema,
  UInt32ValueSchema,
  UInt64ValueSchema,
} from '@bufbuild/protobuf/wkt';
import { redacted } from '../masks/redacted.ts';
import type { FieldChange } from './audit-entry.ts';

export interface MessageDiffOptions {
  /** By the names of the contract: `spec.bmc.password`. Of these only that they changed is told. */
  readonly secretPaths: readonly string[];
  /** Changes with every write, or is told elsewhere. Default: id, creation time and version. */
  readonly leftOut?: readonly string[] | undefined;
}

const maxChanges = 200;
const maxValueLength = 1_000;
const housekeeping = ['id', 'metadata.creation_timestamp', 'metadata.version'];

/** The changes from `before` to `after`, in the order of the contract. For a new object, without `before`, everything that it has. */
export function diffMessages(
  schema: DescMessage,
  before: Message | undefined,
  after: Message,
  { secretPaths, leftOut = housekeeping }: MessageDiffOptions,
): FieldChange[] {
  const walk: Walk = { secrets: new Set(secretPaths), leftOut: new Set(leftOut), changes: [] };
  diffFields(walk, schema, '', '', before, after);
  const { changes } = walk;
  if (changes.length <= maxChanges) return changes;
  return [...changes.slice(0, maxChanges), { path: '…', before: '', after: JSON.stringify(`${changes.length - maxChanges} more`) }];
}

interface Walk {
  readonly secrets: ReadonlySet<string>;
  readonly leftOut: ReadonlySet<string>;
  readonly changes: FieldChange[];
}

/** What protobuf-es keeps of a field, or nothing where it is not set. Every write comes through here: nothing is wrapped or copied. */
type Value = unknown;

/** `place` has keys and indexes, for people; `name` has none, for the sets of the options. */
function diffFields(walk: Walk, schema: DescMessage, place: string, name: string, before: Value, after: Value): void {
  for (const field of schema.fields) {
    const [left, right] = [valueOf(before, field), valueOf(after, field)];
    if (left === right) continue;
    const named = name === '' ? field.name : `${name}.${field.name}`;
    if (walk.leftOut.has(named)) continue;
    diffField(walk, field, place === '' ? field.name : `${place}.${field.name}`, named, left, right);
  }
}

function valueOf(message: Value, field: DescField): Value {
  if (!isMessage(message) || !isFieldSet(message, field)) return undefined;
  if (field.oneof === undefined) return Reflect.get(message, field.localName) as unknown;
  return (Reflect.get(message, field.oneof.localName) as { readonly value?: unknown }).value;
}

function diffField(walk: Walk, field: DescField, place: string, name: string, before: Value, after: Value): void {
  switch (field.fieldKind) {
    case 'message':
      return diffItem(walk, field, place, name, before, after);
    case 'list': {
      if (field.listKind !== 'message') return tell(walk, place, name, listText(field, before), listText(field, after));
      const [left, right] = [itemsOf(before), itemsOf(after)];
      for (let i = 0; i < Math.max(left.length, right.length); i += 1) diffItem(walk, field, `${place}[${i}]`, name, left[i], right[i]);
      return;
    }
    case 'map': {
      const [left, right] = [new Map(entriesOf(before)), new Map(entriesOf(after))]; // key -> value
      for (const key of [...new Set([...left.keys(), ...right.keys()])].toSorted()) {
        diffItem(walk, field, `${place}${keyText(key)}`, name, left.get(key), right.get(key));
      }
      return;
    }
    default:
      tell(walk, place, name, scalarText(field, before), scalarText(field, after));
  }
}

function diffItem(walk: Walk, field: DescField, place: string, name: string, before: Value, after: Value): void {
  const { message } = field;
  if (message === undefined) return tell(walk, place, name, scalarText(field, before), scalarText(field, after));
  if (!message.typeName.startsWith('google.protobuf.')) return diffFields(walk, message, place, name, before, after);
  tell(walk, place, name, wellKnownText(message, before), wellKnownText(message, after));
}

function tell(walk: Walk, place: string, name: string, before: string, after: string): void {
  if (before === after) return;
  const isSecret = walk.secrets.has(name);
  const shown = (text: string): string => (text === '' ? '' : isSecret ? JSON.stringify(redacted) : shortened(text));
  walk.changes.push({ path: storable(place), before: shown(before), after: shown(after) });
}

function shortened(text: string): string {
  return text.length <= maxValueLength ? text : `${text.slice(0, maxValueLength).toWellFormed()}…`;
}

/** jsonb holds no U+0000 and no half of a surrogate pair. */
function storable(text: string): string {
  return text.replaceAll('\0', '\u{FFFD}').toWellFormed();
}

function keyText(key: string): string {
  return /['\\]/.test(key) ? `[${JSON.stringify(key)}]` : `['${key}']`;
}

function scalarText(field: DescField, value: Value): string {
  if (value === undefined) return '';
  if (field.enum !== undefined) return JSON.stringify(field.enum.value[Number(value)]?.name ?? Number(value));
  return textOf(value);
}

function listText(field: DescField & { readonly fieldKind: 'list' }, value: Value): string {
  const items = itemsOf(value);
  return items.length === 0 ? '' : `[${items.map((item) => scalarText(field, item)).join(',')}]`;
}

function textOf(value: Value): string {
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString('base64'));
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}

const wrappers = createRegistry(
  BoolValueSchema,
  BytesValueSchema,
  DoubleValueSchema,
  FloatValueSchema,
  Int32ValueSchema,
  Int64ValueSchema,
  StringValueSchema,
  UInt32ValueSchema,
  UInt64ValueSchema,
);

/** Timestamps, durations and what an Any holds, as JSON has them. */
function wellKnownText(schema: DescMessage, value: Value): string {
  if (value === undefined) return '';
  if (!isMessage(value)) return textOf(value);
  try {
    return JSON.stringify(toJson(schema, value, { registry: wrappers }));
  } catch {
    // Of a type that is not known here.
    return isMessage(value, AnySchema)
      ? JSON.stringify({ '@type': value.typeUrl, value: Buffer.from(value.value).toString('base64') })
      : '';
  }
}

function itemsOf(value: Value): readonly Value[] {
  return Array.isArray(value) ? value : [];
}

function entriesOf(value: Value): [string, Value][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
