/**
 * The plain design: one jsonb document per row without an index into it, one transaction around every call, count(*) with every list, pages by offset, and updates
 * that read, merge and overwrite. Filters are given as SQL: it is spared the work of translating them.
 */
import { randomUUID } from 'node:crypto';
import { create, equals, fromJson, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { timestampNow } from '@bufbuild/protobuf/wkt';
import { EventSchema, EventType, type Host, HostSchema, type HostsListRequest, type HostsUpdateRequest } from '@quartermaster/api/private';
import { StatusError } from '@quartermaster/kernel';
import type { Database, Timestamp, Transaction } from '@quartermaster/store';
import { filters, measuredFields } from './sample-host.ts';

export const plainTables = `
  create table plain_hosts (
    id text primary key,
    name text not null default '',
    creation_timestamp timestamptz not null default now(),
    deletion_timestamp timestamptz not null default 'epoch',
    finalizers text[] not null default '{}',
    creators text[] not null default '{}',
    tenants text[] not null default array['shared'],
    data jsonb not null
  );
  create index plain_hosts_by_name on plain_hosts (name);
  create index plain_hosts_by_owner on plain_hosts using gin (creators);
  create index plain_hosts_by_tenant on plain_hosts using gin (tenants);
  create table plain_notifications (id text primary key, creation_timestamp timestamptz default now(), payload bytea);`;

export const plainChannel = 'plain_events';

const columns = 'id, name, creation_timestamp, deletion_timestamp, finalizers, creators, tenants, data';

/** Filter -> the statements of a list with it. */
const lists = new Map(
  Object.values(filters)
    .flatMap((texts) => [...texts])
    .map(([filter, sql], place) => [
      filter,
      {
        count: { name: `plain-count-${place}`, text: `select count(*) as total from plain_hosts where ${sql}` },
        page: { name: `plain-page-${place}`, text: `select ${columns} from plain_hosts where ${sql} order by id offset $1 limit $2` },
      },
    ]),
);
const statements = {
  get: { name: 'plain-get', text: `select ${columns} from plain_hosts where id = $1` },
  getLocked: { name: 'plain-get-locked', text: `select ${columns} from plain_hosts where id = $1 for update` },
  insert: { name: 'plain-insert', text: 'insert into plain_hosts (id, name, creators, tenants, data) values ($1, $2, $3, $4, $5)' },
  update: {
    name: 'plain-update',
    text: 'update plain_hosts set name = $2, finalizers = $3, creators = $4, tenants = $5, data = $6 where id = $1',
  },
  delete: { name: 'plain-delete', text: 'delete from plain_hosts where id = $1' },
  notify: { name: 'plain-notify', text: 'insert into plain_notifications (id, payload) values ($1, $2)' },
  wake: { name: 'plain-wake', text: `select pg_notify('${plainChannel}', $1)` },
  forget: { name: 'plain-forget', text: "delete from plain_notifications where creation_timestamp < now() - interval '1 minute'" },
};

interface PlainRow {
  readonly id: string;
  readonly name: string;
  readonly creation_timestamp: Timestamp;
  readonly finalizers: string[];
  readonly creators: string[];
  readonly tenants: string[];
  readonly data: JsonValue;
}

/** The document of a host: everything but its id and its metadata. */
export function plainData(host: Host): string {
  const { $typeName: _, id: _id, metadata: _metadata, ...rest } = host;
  return JSON.stringify(toJson(HostSchema, create(HostSchema, rest), { useProtoFieldName: true }));
}

export class PlainHosts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list({
    offset = 0,
    limit = 100,
    filter = '',
  }: Pick<HostsListRequest, 'offset' | 'limit' | 'filter'>): Promise<{ size: number; total: number; items: Host[] }> {
    const statementsOf = lists.get(filter);
    if (statementsOf === undefined) throw new StatusError('invalid_argument', `filter: the plain design does not know "${filter}"`);
    return await this.#database.transaction([], async (tx) => {
      const [row] = await tx.query<{ total: bigint }>(statementsOf.count);
      const rows = await tx.query<PlainRow>(statementsOf.page, [offset, limit]);
      return { size: rows.length, total: Number(row?.total ?? 0n), items: rows.map(hostOf) };
    });
  }

  async get({ id }: { readonly id: string }): Promise<{ object: Host }> {
    return await this.#database.transaction([], async (tx) => ({ object: await read(tx, statements.get, id) }));
  }

  async create({ object }: { readonly object?: Host | undefined }): Promise<{ object: Host }> {
    const host = { ...required(object) };
    if (host.id === '') host.id = randomUUID();
    return await this.#database.transaction([], async (tx) => {
      const { name = '', tenants = [] } = host.metadata ?? {};
      await tx.query(statements.insert, [host.id, name, ['bench'], tenants, plainData(host)]);
      await notify(tx, EventType.OBJECT_CREATED, host);
      return { object: host };
    });
  }

  /** With the masks that are measured. */
  async update({ object, updateMask }: Pick<HostsUpdateRequest, 'object' | 'updateMask'>): Promise<{ object: Host }> {
    const wanted = required(object);
    return await this.#database.transaction([], async (tx) => {
      const host = await read(tx, statements.get, wanted.id);
      for (const field of measuredFields) {
        if (host.spec !== undefined && updateMask?.paths.includes(`spec.${field}`)) host.spec[field] = wanted.spec?.[field] ?? '';
      }
      const stored = await read(tx, statements.getLocked, wanted.id);
      if (equals(HostSchema, stored, host)) return { object: host };
      const { name = '', finalizers = [], creators = [], tenants = [] } = host.metadata ?? {};
      await tx.query(statements.update, [host.id, name, finalizers, creators, tenants, plainData(host)]);
      await notify(tx, EventType.OBJECT_UPDATED, host);
      return { object: host };
    });
  }

  async delete({ id }: { readonly id: string }): Promise<Record<string, never>> {
    return await this.#database.transaction([], async (tx) => {
      const host = await read(tx, statements.getLocked, id);
      await tx.query(statements.delete, [id]);
      await notify(tx, EventType.OBJECT_DELETED, host);
      return {};
    });
  }

  async signal({ id }: { readonly id: string }): Promise<Record<string, never>> {
    return await this.#database.transaction([], async (tx) => {
      await notify(tx, EventType.OBJECT_SIGNALED, await read(tx, statements.get, id));
      return {};
    });
  }
}

async function notify(tx: Transaction, type: EventType, host: Host): Promise<void> {
  const id = randomUUID();
  const event = create(EventSchema, { id, type, at: timestampNow(), payload: { case: 'host', value: host } });
  await tx.query(statements.notify, [id, toBinary(EventSchema, event)]);
  await tx.query(statements.wake, [id]);
  await tx.query(statements.forget);
}

async function read(tx: Transaction, statement: (typeof statements)['get'], id: string): Promise<Host> {
  const [row] = await tx.query<PlainRow>(statement, [id]);
  if (row === undefined) throw new StatusError('not_found', `there is no host with the id "${id}"`);
  return hostOf(row);
}

function hostOf({ id, name, creation_timestamp, finalizers, creators, tenants, data }: PlainRow): Host {
  const host = fromJson(HostSchema, data);
  host.id = id;
  host.metadata = create(HostSchema, { metadata: { name, finalizers, creators, tenants, creationTimestamp: creation_timestamp } }).metadata;
  return host;
}

function required(host: Host | undefined): Host {
  if (host === undefined) throw new StatusError('invalid_argument', 'field "object": must be given');
  return host;
}
