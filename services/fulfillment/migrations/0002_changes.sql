-- The outbox: every write leaves a row here in its own transaction. Readers take what lies below the oldest transaction that is still running, in the order of (xid, seq).
create table changes (
  xid xid8 not null default pg_current_xact_id(),
  seq bigint generated always as identity,
  at timestamptz not null default clock_timestamp(),
  kind text collate "C" not null,
  type text collate "C" not null,
  object_id text collate "C" not null,
  version bigint not null,
  tenants_before text[] not null,
  tenants_after text[] not null,
  body bytea not null,
  primary key (xid, seq)
);
