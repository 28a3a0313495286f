-- Who changed what: one row for each object that a call wrote, in the transaction of the write. Ids are UUIDv7, so their order is that of time, for reading and for
-- the retention alike. Never updated. A database of the fulfillment service has the table from a migration of its own, and it is taken over as it is: a test compares the two.
create table if not exists audit (
  id text collate "C" primary key,
  at timestamptz not null default now(),
  actor text collate "C" not null,
  role text collate "C" not null,
  peer text collate "C" not null,
  method text collate "C" not null,
  kind text collate "C" not null,
  object_id text collate "C" not null,
  object_name text collate "C" not null,
  -- As filters ask for them: [{"path", "before", "after"}], without what is empty.
  changes jsonb not null,
  outcome text collate "C" not null,
  request_id text collate "C" not null
);
create index if not exists audit_by_object on audit (kind, object_id, id);
create index if not exists audit_by_actor on audit (actor, id);
create index if not exists audit_by_request on audit (request_id);
