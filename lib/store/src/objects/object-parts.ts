/** The statements that write objects, each for any number of rows. */
import type { ObjectType } from './object-type.ts';
import type { BatchPart } from './write-batch.ts';

// column of every table of objects -> its type
const commonColumns: Readonly<Record<string, string>> = {
  id: 'text',
  name: 'text',
  version: 'bigint',
  created_at: 'timestamptz',
  deleted_at: 'timestamptz',
  finalizers: 'text[]',
  creators: 'text[]',
  tenants: 'text[]',
  labels: 'jsonb',
  annotations: 'jsonb',
  data: 'jsonb',
  body: 'bytea',
};

/** `known` comes with objects that have fields of a newer release, which stay in the document, too. */
const keptData = 'data = case when r.known is null then r.data else with_unknown_fields(t.data, r.known, r.data) end';

/** What no update changes. */
const fixed: ReadonlySet<string> = new Set(['id', 'created_at', 'creators']);

export interface ObjectParts {
  readonly insert: BatchPart;
  readonly update: BatchPart;
  readonly remove: BatchPart;
}

/** Names of tables and columns are ours, never a text from outside. */
export function objectParts({ name: table, columns: own }: Pick<ObjectType, 'name' | 'columns'>): ObjectParts {
  const types = { ...commonColumns, ...Object.fromEntries(Object.entries(own).map(([name, { form }]) => [name, form])) };
  const values = new Map(Object.keys(types).map((name) => [name, `r.${name}`])); // column -> what is written
  // Tells writes that know the columns from those of an earlier release.
  if (Object.keys(own).length > 0) values.set('columns_version', 'r.version');
  const columns = Object.entries(types)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ');
  const assignments = [...values]
    .filter(([name]) => !fixed.has(name))
    .map(([name, value]) => (name === 'data' ? keptData : `${name} = ${value}`))
    .join(', ');
  return {
    insert: {
      name: `insert-${table}`,
      sql: (rows) =>
        `insert into ${table} (${[...values.keys()].join(', ')}) ` +
        `select ${[...values.values()].join(', ')} from json_to_recordset(${rows}) as r(${columns})`,
      isExact: true,
    },
    update: {
      name: `update-${table}`,
      sql: (rows) =>
        `update ${table} as t set ${assignments} ` +
        `from json_to_recordset(${rows}) as r(${columns}, known jsonb, expected bigint) where t.id = r.id and t.version = r.expected`,
      isExact: true,
    },
    remove: {
      name: `remove-${table}`,
      sql: (rows) =>
        `delete from ${table} as t using json_to_recordset(${rows}) as r(id text, expected bigint) where t.id = r.id and t.version = r.expected`,
      isExact: true,
    },
  };
}

export const archivePart: BatchPart = {
  name: 'archive',
  sql: (rows) =>
    'insert into archive (kind, id, name, version, created_at, deleted_at, tenants, body) ' +
    `select kind, id, name, version, created_at, deleted_at, tenants, body from json_to_recordset(${rows}) as ` +
    'r(kind text, id text, name text, version bigint, created_at timestamptz, deleted_at timestamptz, tenants text[], body bytea)',
};

export const changesPart: BatchPart = {
  name: 'changes',
  sql: (rows) =>
    'insert into changes (kind, type, object_id, version, tenants_before, tenants_after, body) ' +
    `select kind, type, object_id, version, tenants_before, tenants_after, body from json_to_recordset(${rows}) as ` +
    'r(kind text, type text, object_id text, version bigint, tenants_before text[], tenants_after text[], body bytea)',
};

export const sealPart: BatchPart = {
  name: 'seal',
  sql: (rows) =>
    'insert into secrets (kind, object_id, path, key_id, sealed) ' +
    `select kind, object_id, path, key_id, sealed from json_to_recordset(${rows}) as ` +
    'r(kind text, object_id text, path text, key_id text, sealed bytea) ' +
    'on conflict (kind, object_id, path) do update set key_id = excluded.key_id, sealed = excluded.sealed',
};

/** Without a path: all secrets of the object. */
export const deleteSecretsPart: BatchPart = {
  name: 'unseal',
  sql: (rows) =>
    `delete from secrets as s using json_to_recordset(${rows}) as r(kind text, object_id text, path text) ` +
    'where s.kind = r.kind and s.object_id = r.object_id and (r.path is null or s.path = r.path)',
};
