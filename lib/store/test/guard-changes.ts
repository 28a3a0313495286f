import pg from 'pg';

/** As lockKey makes it of a text: tests compare the two. */
const keyOf = (text: string): string =>
  `('x' || encode(substring(sha256(convert_to(${text}, 'UTF8')) from 1 for 8), 'hex'))::bit(64)::bigint`;

const guard = `
  create function guard_change() returns trigger language plpgsql as $$
  declare
    -- All of the kind, or the object.
    keys bigint[] := array[${keyOf('new.kind')}, ${keyOf("new.kind || '/' || new.object_id")}];
  begin
    if not exists (
      select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and granted and mode = 'ExclusiveLock' and objsubid = 1
        and ((classid::bigint << 32) | objid::bigint) = any (keys)
    ) then
      raise exception using errcode = '42000', message = format('%s/%s was changed without its lock', new.kind, new.object_id);
    end if;
    return new;
  end $$;
  create trigger guard_change before insert on changes for each row when (new.type <> 'created') execute function guard_change();`;

/**
 * For tests: the table `changes` of this database refuses every change of an object whose lock the transaction does not hold, since the feed could then tell the object's
 * changes in the wrong order, which would show once in a thousand times. Not for new objects, so that tests may put some in by hand.
 */
export async function guardChanges(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(guard);
  } finally {
    await client.end();
  }
}
