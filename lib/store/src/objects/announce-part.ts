import type { BatchPart } from './write-batch.ts';

/**
 * Tells the feed of all objects of a table whose column has the value, although nothing changed in them: others see them now. They do not pass through the process, however
 * many there are. The body of a change is as `encodeChangeBody` makes it: with the object itself as what it was before, where somebody sees it no more.
 */
export function announcePart(table: string, column: string): BatchPart {
  return {
    name: `announce-${table}-of-${column}`,
    sql: (rows) => `insert into changes (kind, type, object_id, version, tenants_before, tenants_after, body)
      select '${table}', 'updated', t.id, t.version, r.before, r.after, case when r.before <@ r.after then '\\x00'::bytea || t.body
        else '\\x01'::bytea || int4send(octet_length(t.body)) || t.body || t.body end
      from json_to_recordset(${rows}) as r(value text, before text[], after text[]) join ${table} as t on t.${column} = r.value order by t.id`,
  };
}
