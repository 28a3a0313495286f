/**
 * What a write changed, field by field, for people to read: maps by key, lists of messages by index, lists of values as a whole. Pure.
 */
import { createRegistry, type DescField, type DescMessage, isMessage, type Message, toJson } from '@bufbuild/protobuf';
import { isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
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
  readonly leftOut?: readonly string[];
}

const mostChanges = 200;
const longestValue = 1_000;
const housekeeping = ['id', 'metadata.creation_timestamp', 'metadata.version'];

/** The changes from `before` to `after`, in the order of the contract. For a new object, without `before`, everything that it has. */
export function diffMessages(
  schema: DescMessage,
  before: Message | undefined,
  after: Message,
  { secretPaths, leftOut = housekeeping }: MessageDiffOptions,
): FieldChange[] {
  const walk: Walk = { secrets: new Set(secretPaths), leftOut: new Set(leftOut), changes: [] };
  diffFields(walk, '', '', before === undefined ? undefined : reflect(schema, before), reflect(schema, after));
  const { changes } = walk;
  if (changes.length <= mostChanges) return changes;
  return [...changes.slice(0, mostChanges), { path: '…', before: '', after: JSON.stringify(`${changes.length - mostChanges} more`) }];
}

interface Walk {
  readonly secrets: ReadonlySet<string>;
  readonly leftOut: ReadonlySet<string>;
  readonly changes: FieldChange[];
}

/** A value of a field, or nothing where it is not set. */
type Value = unknown;

/** `place` has keys and indexes, for people; `name` has none, for the sets of the options. */
function diffFields(walk: Walk, place: string, name: string, before: ReflectMessage | undefined, after: ReflectMessage | undefined): void {
  for (const field of (after ?? before)?.fields ?? []) {
    const at = place === '' ? field.name : `${place}.${field.name}`;
    const named = name === '' ? field.name : `${name}.${field.name}`;
    if (walk.leftOut.has(named)) continue;
    diffField(walk, field, at, named, valueOf(before, field), valueOf(after, field));
  }
}

function valueOf(message: ReflectMessage | undefined, field: DescField): Value {
  return message === undefined || !message.isSet(field) ? undefined : message.get(field);
}

function diffField(walk: Walk, field: DescField, place: string, name: string, before: Value, after: Value): void {
  if (before === undefined && after === undefined) return;
  switch (field.fieldKind) {
    case 'message':
      return diffItem(walk, field.message, field, place, name, before, after);
    case 'list': {
      if (field.listKind !== 'message') return tell(walk, place, name, listText(field, before), listText(field, after));
      const [left, right] = [itemsOf(before), itemsOf(after)];
      for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
        diffItem(walk, field.message, field, `${place}[${i}]`, name, left[i], right[i]);
      }
      return;
    }
    case 'map': {
      const [left, right] = [entriesOf(before), entriesOf(after)];
      for (const key of [...new Set([...left.keys(), ...right.keys()])].toSorted()) {
        const at = `${place}${keyText(key)}`;
        diffItem(walk, field.mapKind === 'message' ? field.message : undefined, field, at, name, left.get(key), right.get(key));
      }
      return;
    }
    default:
      tell(walk, place, name, scalarText(field, before), scalarText(field, after));
  }
}

function diffItem(
  walk: Walk,
  message: DescMessage | undefined,
  field: DescField,
  place: string,
  name: string,
  before: Value,
  after: Value,
): void {
  if (message === undefined) return tell(walk, place, name, scalarText(field, before), scalarText(field, after));
  if (message.typeName.startsWith('google.protobuf.')) return tell(walk, place, name, wellKnownText(before), wellKnownText(after));
  diffFields(walk, place, name, asMessage(before), asMessage(after));
}

function tell(walk: Walk, place: string, name: string, before: string, after: string): void {
  if (before === after) return;
  const isSecret = walk.secrets.has(name);
  const shown = (text: string): string => (text === '' ? '' : isSecret ? JSON.stringify(redacted) : shortened(text));
  walk.changes.push({ path: storable(place), before: shown(before), after: shown(after) });
}

function shortened(text: string): string {
  return text.length <= longestValue ? text : `${text.slice(0, longestValue).toWellFormed()}…`;
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
function wellKnownText(value: Value): string {
  const reflected = asMessage(value);
  if (reflected === undefined) return '';
  const { message } = reflected;
  try {
    return JSON.stringify(toJson(reflected.desc, message, { registry: wrappers }));
  } catch {
    // Of a type that is not known here.
    return isMessage(message, AnySchema)
      ? JSON.stringify({ '@type': message.typeUrl, value: Buffer.from(message.value).toString('base64') })
      : '';
  }
}

function asMessage(value: Value): ReflectMessage | undefined {
  return isReflectMessage(value) ? value : undefined;
}

function itemsOf(value: Value): readonly Value[] {
  return isIterable(value) ? [...value] : [];
}

function entriesOf(value: Value): ReadonlyMap<string, Value> {
  const entries = new Map<string, Value>();
  if (isIterable(value)) for (const entry of value) if (Array.isArray(entry)) entries.set(String(entry[0]), entry[1]);
  return entries;
}

function isIterable(value: Value): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}
