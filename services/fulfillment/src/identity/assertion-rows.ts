import type { BatchPart, Queryable, WriteBatch } from '@quartermaster/store';
import type { Assertion } from './assertion.ts';

interface AssertionRow {
  readonly source: string;
  readonly source_id: string;
  readonly host_id: string;
  readonly serial: string;
  readonly system_uuid: string;
  readonly macs: readonly string[];
  readonly is_by_id: boolean;
  readonly by_host: string;
  readonly mark: string;
}

const columns = 'source, source_id, host_id, serial, system_uuid, macs, is_by_id, by_host, mark';

const select = `select ${columns} from host_claims`;
const bySource = { name: 'claims-of-source', text: `${select} where source = $1 and source_id = any($2::text[])` };
const onHosts = { name: 'claims-on-hosts', text: `${select} where host_id = any($1::text[])` };
const ofHosts = {
  name: 'claims-of-hosts',
  text: `${select} where host_id = any($1::text[]) or (by_host <> '' and by_host = any($1::text[]))`,
};

/** What a source asserts under these ids of its own. */
export async function readAssertionsOf(db: Queryable, source: string, sourceIds: readonly string[]): Promise<readonly Assertion[]> {
  return sourceIds.length === 0 ? [] : (await db.query<AssertionRow>(bySource, [source, sourceIds])).map(assertionOf);
}

/** What anybody asserts of these hosts. */
export async function readAssertionsOn(db: Queryable, hostIds: readonly string[]): Promise<readonly Assertion[]> {
  return hostIds.length === 0 ? [] : (await db.query<AssertionRow>(onHosts, [hostIds])).map(assertionOf);
}

/** That, and what is asserted because of these hosts. */
export async function readAssertionsOfHosts(db: Queryable, hostIds: readonly string[]): Promise<readonly Assertion[]> {
  return hostIds.length === 0 ? [] : (await db.query<AssertionRow>(ofHosts, [hostIds])).map(assertionOf);
}

const assertionOf = ({ source, source_id, host_id, serial, system_uuid, macs, is_by_id, by_host, mark }: AssertionRow): Assertion => ({
  source,
  sourceId: source_id,
  hostId: host_id,
  byHost: by_host,
  mark,
  marks: { serial, systemUuid: system_uuid, macs },
  isById: is_by_id,
});

const putPart: BatchPart = {
  name: 'host-claims-put',
  sql: (rows) => `insert into host_claims (${columns}) select ${columns}
    from json_to_recordset(${rows}) as r(source text, source_id text, host_id text, serial text, system_uuid text, macs text[], is_by_id boolean, by_host text, mark text)
    order by source, source_id, host_id on conflict (source, source_id, host_id) do update
    set serial = excluded.serial, system_uuid = excluded.system_uuid, macs = excluded.macs, is_by_id = excluded.is_by_id, by_host = excluded.by_host, mark = excluded.mark`,
};

const dropPart: BatchPart = {
  name: 'host-claims-drop',
  sql: (rows) => `delete from host_claims as c using json_to_recordset(${rows}) as r(source text, source_id text, host_id text)
    where c.source = r.source and c.source_id = r.source_id and c.host_id = r.host_id`,
};

export function putAssertion(batch: WriteBatch, { source, sourceId, hostId, byHost, marks, isById, mark }: Assertion): void {
  batch.add(putPart, {
    source,
    source_id: sourceId,
    host_id: hostId,
    serial: marks.serial,
    system_uuid: marks.systemUuid,
    macs: marks.macs,
    is_by_id: isById,
    by_host: byHost,
    mark,
  });
}

export function dropAssertion(batch: WriteBatch, { source, sourceId, hostId }: Assertion): void {
  batch.add(dropPart, { source, source_id: sourceId, host_id: hostId });
}
