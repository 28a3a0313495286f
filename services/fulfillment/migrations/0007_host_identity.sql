-- keeps: previous, which names neither the new columns nor the index, whose writes of "data" compute the generated ones, and which the trigger refuses nothing
-- Made anew below: without it the table is rewritten sooner.
drop index hosts_by_class;
-- Room for another version of a host beside its own: an update that changes no indexed column then costs no index anything.
alter table hosts set (fillfactor = 75);
-- One statement for all columns: each would rewrite the table, and nobody reads hosts meanwhile. Computed from "data", so that they are right whichever release wrote the host.
alter table hosts
  -- What a host lacks to be provisioned: a claim passes over it and says why.
  add column lacks text collate "C" not null generated always as (
    case
      when coalesce(data #>> '{spec,bmc,url}', '') = '' then 'NO_BMC'
      when coalesce(data #>> '{spec,boot_mac}', '') = '' then 'NO_BOOT_MAC'
      else ''
    end
  ) stored,
  -- Lowest height unit in the rack, 0 where it is not known, and how many there are. Two hosts cannot be in the same one.
  add column rack_unit bigint not null generated always as (coalesce((data #>> '{spec,rack_unit}')::bigint, 0)) stored,
  add column rack_height bigint not null generated always as (coalesce((data #>> '{spec,rack_height}')::bigint, 0)) stored,
  add column boot_ip text collate "C" not null generated always as (coalesce(data #>> '{spec,boot_ip}', '')) stored;
-- What is free, what is not and why: still answered by the index alone.
create index hosts_by_class on hosts (class, cluster, id) include (deleted_at, state, rack, hub, host_pool, is_disputed, lacks);

-- A claim may also come from a host: two that are the same machine claim each other, whoever brought them in. A host of a person claims under the source ''.
alter table host_claims add column by_host text collate "C" not null default '';
-- In words, what makes them the same. Empty in rows of the release before, which compared the marks anew each time.
alter table host_claims add column mark text collate "C" not null default '';
create index host_claims_by_claimant on host_claims (by_host) where by_host <> '';

-- As before, but for the conflict: it has a condition of its own now. One that the release before told lasts while its condition does.
create or replace function columns_from_data() returns trigger language plpgsql as $$
begin
  case tg_table_name
    when 'hosts' then
      new.class := coalesce(new.data #>> '{spec,class}', '');
      new.rack := coalesce(new.data #>> '{spec,rack}', '');
      new.serial := coalesce(new.data #>> '{spec,serial}', '');
      new.system_uuid := coalesce(new.data #>> '{spec,system_uuid}', '');
      new.boot_mac := coalesce(new.data #>> '{spec,boot_mac}', '');
      new.macs := texts_of(jsonb_path_query_array(new.data, '$.spec.nics[*].mac'));
      new.cluster := coalesce(new.data #>> '{status,cluster}', '');
      new.hub := coalesce(new.data #>> '{status,hub}', '');
      new.host_pool := coalesce(new.data #>> '{status,host_pool}', '');
      new.source := coalesce(new.data #>> '{status,source,name}', '');
      new.state := coalesce((new.data #>> '{status,state}')::bigint, 0);
      new.is_disputed := coalesce(new.data @? '$.status.conditions[*] ? (@.type == 101 && @.status == 1)', false)
        or coalesce(old.is_disputed and new.data @? '$.status.conditions[*] ? (@.type == 4 && @.status == 1 && @.reason == "SourceConflict")', false);
    when 'clusters' then
      new.template := coalesce(new.data #>> '{spec,template}', '');
      new.hub := coalesce(new.data #>> '{status,hub}', '');
      new.alias := coalesce(new.data #>> '{status,alias}', '');
      new.port := coalesce((new.data #>> '{status,port}')::bigint, 0);
      new.state := coalesce((new.data #>> '{status,state}')::bigint, 0);
      new.host_classes := texts_in(new.data #> '{spec,node_sets}', 'host_class');
    when 'cluster_templates' then
      new.host_classes := texts_in(new.data -> 'node_sets', 'host_class');
    when 'host_pools' then
      new.hub := coalesce(new.data #>> '{status,hub}', '');
      new.host_classes := texts_in(new.data #> '{spec,host_sets}', 'host_class');
  end case;
  return new;
end $$;

-- The release before knows a conflict by another condition, and writes that there is none with whatever else it changes. It leaves the condition of this release in "data".
create trigger hosts_dispute_ended_by_release_before before update on hosts for each row
  when (old.is_disputed and not new.is_disputed) execute function columns_from_data();
