/** `metadata.managedFields` and what it means: who owns which fields, since when. */
import { field, isArray, isObject, type Json, type JsonObject, objectOf } from '../schema/json.ts';
import { FieldSet } from './field-set.ts';

export interface ManagerEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
  /** Absent until the manager changed something. */
  readonly time?: string | undefined;
  readonly fields: FieldSet;
}

/** Identity -> entry. */
export type Managers = ReadonlyMap<string, ManagerEntry>;

/** Two writes with the same identity share an entry. An applier keeps its entry when it changes to another version. */
export function identityOf(entry: Omit<ManagerEntry, 'fields' | 'time'>): string {
  const version = entry.operation === 'Update' ? entry.apiVersion : '';
  return JSON.stringify([entry.manager, entry.operation, version, entry.subresource ?? '']);
}

/** Undefined when the entries are none that a server wrote. */
export function decodeManagers(object: JsonObject | undefined): Managers | undefined {
  const managers = new Map<string, ManagerEntry>();
  for (const each of entriesOf(object) ?? []) {
    const entry = decodeEntry(each);
    if (entry === undefined) return undefined;
    managers.set(identityOf(entry), entry);
  }
  return managers;
}

/** Whether the entries ask to forget all owners: an empty list, or one empty entry. */
export function isReset(object: JsonObject): boolean {
  const entries = entriesOf(object);
  if (entries === undefined) return false;
  return entries.length === 0 || (entries.length === 1 && isObject(entries[0]) && Object.keys(entries[0]).length === 0);
}

export function withManagers(object: JsonObject, managers: Managers): JsonObject {
  const bare = withoutManagers(object);
  if (managers.size === 0) return bare;
  const metadata = field(bare, 'metadata');
  const managedFields = [...managers.values()].sort(compareEntries).map(encodeEntry);
  return { ...bare, metadata: { ...(isObject(metadata) ? metadata : {}), managedFields } };
}

export function withoutManagers(object: JsonObject): JsonObject {
  const metadata = field(object, 'metadata');
  if (!isObject(metadata) || !Object.hasOwn(metadata, 'managedFields')) return object;
  return { ...object, metadata: objectOf(Object.entries(metadata).filter(([key]) => key !== 'managedFields')) };
}

function entriesOf(object: JsonObject | undefined): readonly Json[] | undefined {
  const metadata = object === undefined ? undefined : field(object, 'metadata');
  const entries = isObject(metadata) ? field(metadata, 'managedFields') : undefined;
  return isArray(entries) ? entries : undefined;
}

function decodeEntry(entry: Json): ManagerEntry | undefined {
  if (!isObject(entry)) return undefined;
  const { manager, operation, apiVersion, subresource, time, fieldsType, fieldsV1 } = entry;
  if (operation !== 'Apply' && operation !== 'Update') return undefined;
  if (typeof apiVersion !== 'string' || apiVersion === '' || fieldsType !== 'FieldsV1') return undefined;
  return {
    manager: typeof manager === 'string' ? manager : '',
    operation,
    apiVersion,
    subresource: typeof subresource === 'string' && subresource !== '' ? subresource : undefined,
    time: typeof time === 'string' ? time : undefined,
    fields: FieldSet.parse(fieldsV1),
  };
}

function encodeEntry({ manager, operation, apiVersion, time, fields, subresource }: ManagerEntry): JsonObject {
  return {
    ...(manager === '' ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: fields.toFieldsV1(),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

function compareEntries(a: ManagerEntry, b: ManagerEntry): number {
  return (
    compareText(a.operation, b.operation) ||
    secondsOf(a) - secondsOf(b) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource ?? '', b.subresource ?? '')
  );
}

const secondsOf = ({ time }: ManagerEntry): number => (time === undefined ? 0 : Math.floor(Date.parse(time) / 1000));
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
