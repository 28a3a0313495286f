-- Every kind has one table of the same form. "data" is what filters ask for, "body" the whole message in protobuf, which is what reads return. Secrets are in
-- neither: where one is set, both hold a mark. The columns after "body" are computed from "data", so that they cannot disagree with it, and are never NULL.
-- Texts compare by code point.

create function texts_of(list jsonb) returns text[] language sql immutable parallel safe as $$
  select coalesce(array_agg(value order by position), '{}')
  from jsonb_array_elements_text(case jsonb_typeof(list) when 'array' then list else '[]' end) with ordinality as each(value, position)
$$;

-- One field of every value of a map: the host classes of node sets.
create function texts_in(map jsonb, field text) returns text[] language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct value ->> field order by value ->> field), '{}')
  from jsonb_each(case jsonb_typeof(map) when 'object' then map else '{}' end)
  where value ->> field <> ''
$$;

create table host_classes (
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
  body bytea not null
);
create index host_classes_by_name on host_classes (name, id);
create index host_classes_by_tenant on host_classes using gin (tenants);

create table cluster_templates (
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
  host_classes text[] not null generated always as (texts_in(data -> 'node_sets', 'host_class')) stored
);
create index cluster_templates_by_name on cluster_templates (name, id);
create index cluster_templates_by_tenant on cluster_templates using gin (tenants);
create index cluster_templates_by_host_class on cluster_templates using gin (host_classes);

create table hubs (
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
  body bytea not null
);
create index hubs_by_name on hubs (name, id);
create index hubs_by_tenant on hubs using gin (tenants);

create table clusters (
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
  template text collate "C" not null generated always as (coalesce(data #>> '{spec,template}', '')) stored,
  hub text collate "C" not null generated always as (coalesce(data #>> '{status,hub}', '')) stored,
  alias text collate "C" not null generated always as (coalesce(data #>> '{status,alias}', '')) stored,
  port bigint not null generated always as (coalesce((data #>> '{status,port}')::bigint, 0)) stored,
  state bigint not null generated always as (coalesce((data #>> '{status,state}')::bigint, 0)) stored,
  host_classes text[] not null generated always as (texts_in(data #> '{spec,node_sets}', 'host_class')) stored
);
create index clusters_by_name on clusters (name, id);
create index clusters_by_tenant on clusters using gin (tenants);
create index clusters_by_template on clusters (template, id);
create index clusters_by_hub on clusters (hub, id);
create index clusters_by_state on clusters (state, id);
create index clusters_by_host_class on clusters using gin (host_classes);
create unique index clusters_alias_is_unique on clusters (alias) where alias <> '';
create unique index clusters_port_is_unique on clusters (hub, port) where port <> 0;

create table hosts (
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
  class text collate "C" not null generated always as (coalesce(data #>> '{spec,class}', '')) stored,
  rack text collate "C" not null generated always as (coalesce(data #>> '{spec,rack}', '')) stored,
  serial text collate "C" not null generated always as (coalesce(data #>> '{spec,serial}', '')) stored,
  system_uuid text collate "C" not null generated always as (coalesce(data #>> '{spec,system_uuid}', '')) stored,
  boot_mac text collate "C" not null generated always as (coalesce(data #>> '{spec,boot_mac}', '')) stored,
  macs text[] not null generated always as (texts_of(jsonb_path_query_array(data, '$.spec.nics[*].mac'))) stored,
  cluster text collate "C" not null generated always as (coalesce(data #>> '{status,cluster}', '')) stored,
  hub text collate "C" not null generated always as (coalesce(data #>> '{status,hub}', '')) stored,
  host_pool text collate "C" not null generated always as (coalesce(data #>> '{status,host_pool}', '')) stored,
  source text collate "C" not null generated always as (coalesce(data #>> '{status,source,name}', '')) stored,
  state bigint not null generated always as (coalesce((data #>> '{status,state}')::bigint, 0)) stored,
  -- Whether more than one source claims it.
  is_disputed boolean not null generated always as (
    coalesce(data @? '$.status.conditions[*] ? (@.type == 4 && @.status == 1 && @.reason == "SourceConflict")', false)
  ) stored
) with (fillfactor = 90);
create index hosts_by_name on hosts (name, id);
create index hosts_by_tenant on hosts using gin (tenants);
-- What is free, what is not and why, and how many of each: all answered by the index alone.
create index hosts_by_class on hosts (class, cluster, id) include (deleted_at, state, rack, hub, host_pool, is_disputed);
create index hosts_by_cluster on hosts (cluster, id) include (deleted_at);
create index hosts_by_rack on hosts (rack, id);
create index hosts_by_hub on hosts (hub, id);
create index hosts_by_host_pool on hosts (host_pool, id);
create index hosts_by_source on hosts (source, id);
create index hosts_by_state on hosts (state, id);
create index hosts_by_serial on hosts (serial);
create index hosts_by_system_uuid on hosts (system_uuid);
create index hosts_by_boot_mac on hosts (boot_mac);
create index hosts_by_mac on hosts using gin (macs);

create table host_pools (
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
  hub text collate "C" not null generated always as (coalesce(data #>> '{status,hub}', '')) stored,
  host_classes text[] not null generated always as (texts_in(data #> '{spec,host_sets}', 'host_class')) stored
);
create index host_pools_by_name on host_pools (name, id);
create index host_pools_by_tenant on host_pools using gin (tenants);
create index host_pools_by_hub on host_pools (hub, id);
create index host_pools_by_host_class on host_pools using gin (host_classes);

-- What was deleted, for as long as the retention says.
create table archive (
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
create index archive_by_object on archive (kind, id);
create index archive_by_time on archive (archived_at);

-- The only place of secret values, each encrypted by a key of its own that the key "key_id" of the ring wraps.
create table secrets (
  kind text collate "C" not null,
  object_id text collate "C" not null,
  path text collate "C" not null,
  key_id text collate "C" not null,
  sealed bytea not null,
  primary key (kind, object_id, path)
);
create index secrets_by_key on secrets (key_id);

-- Which source brought a host and when it last saw it: written far more often than the host itself.
create table host_sources (
  source text collate "C" not null,
  source_id text collate "C" not null,
  host_id text collate "C" not null,
  last_seen timestamptz not null,
  primary key (source, source_id)
);
create unique index host_sources_by_host on host_sources (host_id);
