-- Numbers of deployments. Each is given out once, and a later deployment has a greater one.
create sequence dseq as bigint;

create table deployments (
  id text collate "C" primary key,
  name text collate "C" not null default '',
  version bigint not null default 0,
  created_at timestamptz not null,
  deleted_at timestamptz,
  finalizers text[] not null default '{}',
  creators text[] not null default '{}',
  tenants text[] not null default '{}',
  labels jsonb not null default '{}',
  annotations jsonb not null default '{}',
  data jsonb not null,
  body bytea not null,
  columns_version bigint not null default -1,
  owner text collate "C" not null,
  state bigint not null,
  choice bigint not null,
  closed_at text collate "C" not null
);
create index deployments_by_name on deployments (name, id);
create index deployments_by_tenant on deployments using gin (tenants);
create index deployments_by_owner on deployments (owner, state);
create index deployments_to_choose on deployments (id) where choice = 2 and state = 1;
create index deployments_by_end on deployments (closed_at, id) where closed_at <> '';

create table orders (
  id text collate "C" primary key,
  name text collate "C" not null default '',
  version bigint not null default 0,
  created_at timestamptz not null,
  deleted_at timestamptz,
  finalizers text[] not null default '{}',
  creators text[] not null default '{}',
  tenants text[] not null default '{}',
  labels jsonb not null default '{}',
  annotations jsonb not null default '{}',
  data jsonb not null,
  body bytea not null,
  columns_version bigint not null default -1,
  deployment text collate "C" not null,
  group_id text collate "C" not null,
  state bigint not null,
  closed_at text collate "C" not null,
  expires_at text collate "C" not null
);
create index orders_by_name on orders (name, id);
create index orders_by_tenant on orders using gin (tenants);
create index orders_by_deployment on orders (deployment, state);
create index orders_open on orders (created_at, id) where state = 1;
create index orders_by_expiry on orders (expires_at) where expires_at <> '';
create index orders_by_end on orders (closed_at, id) where closed_at <> '';

create table bids (
  id text collate "C" primary key,
  name text collate "C" not null default '',
  version bigint not null default 0,
  created_at timestamptz not null,
  deleted_at timestamptz,
  finalizers text[] not null default '{}',
  creators text[] not null default '{}',
  tenants text[] not null default '{}',
  labels jsonb not null default '{}',
  annotations jsonb not null default '{}',
  data jsonb not null,
  body bytea not null,
  columns_version bigint not null default -1,
  deployment text collate "C" not null,
  order_id text collate "C" not null,
  provider text collate "C" not null,
  state bigint not null
);
create index bids_by_name on bids (name, id);
create index bids_by_tenant on bids using gin (tenants);
create index bids_by_deployment on bids (deployment, state);
create index bids_by_order on bids (order_id);
create index bids_open on bids (order_id) where state = 1;
create index bids_by_provider on bids (provider, id) where state in (1, 2);

create table leases (
  id text collate "C" primary key,
  name text collate "C" not null default '',
  version bigint not null default 0,
  created_at timestamptz not null,
  deleted_at timestamptz,
  finalizers text[] not null default '{}',
  creators text[] not null default '{}',
  tenants text[] not null default '{}',
  labels jsonb not null default '{}',
  annotations jsonb not null default '{}',
  data jsonb not null,
  body bytea not null,
  columns_version bigint not null default -1,
  deployment text collate "C" not null,
  order_id text collate "C" not null,
  group_id text collate "C" not null,
  owner text collate "C" not null,
  provider text collate "C" not null,
  state bigint not null,
  ended_by bigint not null
);
create index leases_by_name on leases (name, id);
create index leases_by_tenant on leases using gin (tenants);
create index leases_by_deployment on leases (deployment, state);
create index leases_by_order on leases (order_id);
create index leases_by_group on leases (group_id);
create index leases_by_provider on leases (provider, id) where state = 1;

create table owner_keys (
  id text collate "C" primary key,
  name text collate "C" not null default '',
  version bigint not null default 0,
  created_at timestamptz not null,
  deleted_at timestamptz,
  finalizers text[] not null default '{}',
  creators text[] not null default '{}',
  tenants text[] not null default '{}',
  labels jsonb not null default '{}',
  annotations jsonb not null default '{}',
  data jsonb not null,
  body bytea not null,
  columns_version bigint not null default -1,
  owner text collate "C" not null,
  fingerprint text collate "C" not null
);
create index owner_keys_by_name on owner_keys (name, id);
create index owner_keys_by_tenant on owner_keys using gin (tenants);
create unique index owner_keys_are_unique on owner_keys (owner, fingerprint);
