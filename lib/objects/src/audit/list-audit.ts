import type { DescMessage } from '@bufbuild/protobuf';
import { type Clock, invalidFields } from '@quartermaster/kernel';
import { decodeCursor, encodeCursor, listName, type Queryable, type Timestamp } from '@quartermaster/store';
import { type ColumnsOf, compileFilter, type FieldColumn, SqlParameters } from '@quartermaster/store/filter';

export interface ListAuditOptions {
  readonly database: Queryable;
  /** The type of an entry in the contract, which filters name the fields of. */
  readonly entry: DescMessage;
  readonly clock: Clock;
}

export interface AuditListRequest {
  readonly filter: string;
  readonly limit: number;
  readonly cursor: string;
  readonly kind: string;
  readonly objectId: string;
}

const defaultLimit = 100;
const maxLimit = 1000;

const text = (column: string): FieldColumn => ({ sql: column, form: 'text' });

// path in an entry -> its column
const columnsByPath: ReadonlyMap<string, FieldColumn> = new Map([
  ['at', { sql: 'at', form: 'timestamptz' }],
  ['changes', { sql: 'changes', form: 'jsonb' }],
  ...['id', 'actor', 'role', 'peer', 'method', 'kind', 'object_id', 'object_name', 'outcome', 'request_id'].map(
    (name): [string, FieldColumn] => [name, text(name)],
  ),
]);

const columns: ColumnsOf = { column: (path) => columnsByPath.get(path.join('.')), json: 'changes' };

interface AuditRow {
  readonly id: string;
  readonly at: Timestamp;
  readonly actor: string;
  readonly role: string;
  readonly peer: string;
  readonly method: string;
  readonly kind: string;
  readonly object_id: string;
  readonly object_name: string;
  readonly changes: readonly { readonly path?: string; readonly before?: string; readonly after?: string }[];
  readonly outcome: string;
  readonly request_id: string;
}

/** One page of the audit log, the newest entries first. Those who may call it see all of it. */
export async function listAudit({ database, entry, clock }: ListAuditOptions, request: AuditListRequest) {
  const limit = limitOf(request);
  const list = listName('audit', request.filter, request.kind, request.objectId);
  const parameters = new SqlParameters();
  const conditions = conditionsOf(entry, request, list, parameters, new Date(clock.now()));
  const rows = await database.query<AuditRow>(
    {
      text: `select id, at, actor, role, peer, method, kind, object_id, object_name, changes, outcome, request_id from audit
        where ${conditions.join(' and ')} order by id desc limit ${parameters.add(limit + 1, 'int')}`,
    },
    parameters.values,
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { entries: page.map(entryOf), nextCursor: hasMore ? encodeCursor({ list, key: [last.id] }) : '' };
}

function conditionsOf(
  entry: DescMessage,
  { filter, cursor, kind, objectId }: AuditListRequest,
  list: string,
  parameters: SqlParameters,
  now: Date,
): string[] {
  if (objectId !== '' && kind === '') {
    throw invalidFields([{ field: 'kind', description: 'must be given with object_id, such as hosts: ids are unique within a kind' }]);
  }
  const conditions = ['true'];
  if (cursor !== '') conditions.push(`id < ${parameters.add(decodeCursor(cursor, list)[0] ?? '', 'text')}`);
  if (kind !== '') conditions.push(`kind = ${parameters.add(kind, 'text')}`);
  if (objectId !== '') conditions.push(`object_id = ${parameters.add(objectId, 'text')}`);
  if (filter.trim() !== '') {
    const compiled = compileFilter(filter, { roots: [{ variable: 'this', message: entry }] });
    conditions.push(compiled.toSql(columns, parameters, now));
  }
  return conditions;
}

function limitOf({ limit }: AuditListRequest): number {
  if (limit < 0) throw invalidFields([{ field: 'limit', description: `must not be negative; 0 means ${defaultLimit}` }]);
  return limit === 0 ? defaultLimit : Math.min(limit, maxLimit);
}

function entryOf(row: AuditRow) {
  const { id, actor, role, peer, method, kind, outcome } = row;
  return {
    id,
    at: { seconds: row.at.seconds, nanos: row.at.nanos },
    actor,
    role,
    peer,
    method,
    kind,
    objectId: row.object_id,
    objectName: row.object_name,
    changes: row.changes.map(({ path = '', before = '', after = '' }) => ({ path, before, after })),
    outcome,
    requestId: row.request_id,
  };
}
