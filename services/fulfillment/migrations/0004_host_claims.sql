-- What sources say of hosts that they did not bring: the same machine, by the marks that it has there. Two sources with one machine is a conflict, which the host tells in a condition.
create table host_claims (
  source text collate "C" not null,
  source_id text collate "C" not null,
  host_id text collate "C" not null,
  -- The marks of the machine in that source.
  serial text collate "C" not null,
  system_uuid text collate "C" not null,
  macs text[] not null,
  -- Whether the source asks for the host by its id.
  is_by_id boolean not null,
  primary key (source, source_id, host_id)
);
create index host_claims_by_host on host_claims (host_id);
