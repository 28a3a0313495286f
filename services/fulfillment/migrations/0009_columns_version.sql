-- keeps: previous, which names neither the new column nor those that are no longer computed: the triggers below fill them in
-- The version of the object that the service has written the columns for. Who does not know the column raises the version alone: that tells the release before from this one
-- by two numbers, whatever else a write changes. A constant default, so that no table is rewritten.
alter table hosts add column columns_version bigint not null default -1;
alter table clusters add column columns_version bigint not null default -1;
alter table cluster_templates add column columns_version bigint not null default -1;
alter table host_pools add column columns_version bigint not null default -1;

-- Written by the service as the others are: each expression was parsed anew for every statement. They keep what they hold.
alter table hosts
  alter column lacks drop expression,
  alter column rack_unit drop expression,
  alter column rack_height drop expression,
  alter column boot_ip drop expression;

-- Every column from the document, for the release before. "columns_version" stays as it is: the version grows with every write, so that the next one of that release differs, too.
create or replace function columns_from_data() returns trigger language plpgsql as $$
begin
  case tg_table_name
    when 'hosts' then
      new.class := coalesce(new.data #>> '{spec,class}', '');
      new.rack := coalesce(new.data #>> '{spec,rack}', '');
      new.rack_unit := coalesce((new.data #>> '{spec,rack_unit}')::bigint, 0);
      new.rack_height := coalesce((new.data #>> '{spec,rack_height}')::bigint, 0);
      new.serial := coalesce(new.data #>> '{spec,serial}', '');
      new.system_uuid := coalesce(new.data #>> '{spec,system_uuid}', '');
      new.boot_mac := coalesce(new.data #>> '{spec,boot_mac}', '');
      new.boot_ip := coalesce(new.data #>> '{spec,boot_ip}', '');
      new.macs := texts_of(jsonb_path_query_array(new.data, '$.spec.nics[*].mac'));
      new.cluster := coalesce(new.data #>> '{status,cluster}', '');
      new.hub := coalesce(new.data #>> '{status,hub}', '');
      new.host_pool := coalesce(new.data #>> '{status,host_pool}', '');
      new.source := coalesce(new.data #>> '{status,source,name}', '');
      new.state := coalesce((new.data #>> '{status,state}')::bigint, 0);
      new.lacks := case
        when coalesce(new.data #>> '{spec,bmc,url}', '') = '' then 'NO_BMC'
        when new.boot_mac = '' then 'NO_BOOT_MAC'
        else ''
      end;
      -- One that was told in the former form counts if it did before, or if the writer says so, which knows no other form; it lasts while its condition does.
      new.is_disputed := coalesce(new.data @? '$.status.conditions[*] ? (@.type == 101 && @.status == 1)', false)
        or coalesce((old.is_disputed or new.is_disputed) and new.data @? '$.status.conditions[*] ? (@.type == 4 && @.status == 1 && @.reason == "SourceConflict")', false);
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

drop trigger hosts_created_by_release_before on hosts;
drop trigger hosts_written_by_release_before on hosts;
drop trigger hosts_dispute_ended_by_release_before on hosts;
drop trigger clusters_created_by_release_before on clusters;
drop trigger clusters_written_by_release_before on clusters;
drop trigger cluster_templates_created_by_release_before on cluster_templates;
drop trigger cluster_templates_written_by_release_before on cluster_templates;
drop trigger host_pools_created_by_release_before on host_pools;
drop trigger host_pools_written_by_release_before on host_pools;

-- To be dropped when no database can be shared with the release before any more.
create trigger hosts_created_by_release_before before insert on hosts for each row
  when (new.columns_version <> new.version) execute function columns_from_data();
-- Whoever ends a dispute may know one of its two forms only, this release included.
create trigger hosts_written_by_release_before before update on hosts for each row
  when (new.columns_version <> new.version or (old.is_disputed and not new.is_disputed)) execute function columns_from_data();
create trigger clusters_written_by_release_before before insert or update on clusters for each row
  when (new.columns_version <> new.version) execute function columns_from_data();
create trigger cluster_templates_written_by_release_before before insert or update on cluster_templates for each row
  when (new.columns_version <> new.version) execute function columns_from_data();
create trigger host_pools_written_by_release_before before insert or update on host_pools for each row
  when (new.columns_version <> new.version) execute function columns_from_data();

-- Hosts that are in use, in order: however many free ones come before them.
create index hosts_in_use on hosts (id) where cluster <> '';
