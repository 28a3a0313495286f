-- The tables of the store. A database of the fulfillment service has them from migrations of its own, and they are taken over as they are: a test compares the two.

-- The outbox: every write leaves a row here in its own transaction. Readers take what lies below the oldest transaction that is still running, in the order of (xid, seq).
create table if not exists changes (
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

-- What was deleted, for as long as the retention says.
create table if not exists archive (
  seq bigint generated always as identity primary key,
  kind text collate "C" not null,
  id text collate "C" not null,
  name text collate "C" not null,
  version bigint not null,
  created_at timestamptz not null,
  deleted_at timestamptz not null,
  archived_at timestamptz not null default now(),
  tenants text[] not null,
  body bytea not null
);
create index if not exists archive_by_object on archive (kind, id);
create index if not exists archive_by_time on archive (archived_at);

-- The only place of secret values, each encrypted by a key of its own that the key "key_id" of the ring wraps.
create table if not exists secrets (
  kind text collate "C" not null,
  object_id text collate "C" not null,
  path text collate "C" not null,
  key_id text collate "C" not null,
  sealed bytea not null,
  primary key (kind, object_id, path)
);
create index if not exists secrets_by_key on secrets (key_id);
