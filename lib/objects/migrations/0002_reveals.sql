-- Who opened the secrets of what, and when that was last written to the audit log: what replicas compare and set, so that it is written there once an hour. Rows older than
-- that are of no use and are removed.
create table reveals (
  kind text collate "C" not null,
  object_id text collate "C" not null,
  actor text collate "C" not null,
  role text collate "C" not null,
  -- Of the object: another one may get the id of one that is gone.
  created_at timestamptz not null,
  at timestamptz not null,
  primary key (kind, object_id, actor, role)
);
create index reveals_by_time on reveals (at);
