-- keeps: previous, for which the triggers below fill the columns in; test/fulfillment/earlier-schema.it.test.ts compares them
-- The columns beside "data" are written by the service from now on, which computes them from the message. They keep what they hold.
alter table cluster_templates alter column host_classes drop expression;
alter table clusters
  alter column template drop expression,
  alter column hub drop expression,
  alter column alias drop expression,
  alter column port drop expression,
  alter column state drop expression,
  alter column host_classes drop expression;
alter table hosts
  alter column class drop expression,
  alter column rack drop expression,
  alter column serial drop expression,
  alter column system_uuid drop expression,
  alter column boot_mac drop expression,
  alter column macs drop expression,
  alter column cluster drop expression,
  alter column hub drop expression,
  alter column host_pool drop expression,
  alter column source drop expression,
  alter column state drop expression,
  alter column is_disputed drop expression;
alter table host_pools
  alter column hub drop expression,
  alter column host_classes drop expression;

-- The release before may run beside this one while replicas are replaced, and writes "data" alone: for it the columns are filled in as they were computed before. Of a
-- row that this release writes, which has them, that changes nothing. To be dropped when no database can be shared with that release any more.
create function columns_from_data() returns trigger language plpgsql as $$
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
      new.is_disputed := coalesce(new.data @? '$.status.conditions[*] ? (@.type == 4 && @.status == 1 && @.reason == "SourceConflict")', false);
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

-- In a block, since triggers count as breaking for those that refuse something; these refuse nothing.
do $$
declare
  columns record;
begin
  for columns in
    select * from (values
      ('hosts', 'class', 'class, rack, serial, system_uuid, boot_mac, macs, cluster, hub, host_pool, source, state, is_disputed'),
      ('clusters', 'hub', 'template, hub, alias, port, state, host_classes'),
      ('cluster_templates', 'host_classes', 'host_classes'),
      ('host_pools', 'hub', 'hub, host_classes')
    ) as each(of_table, one, all_of_them)
  loop
    execute format('create trigger %s_created_by_release_before before insert on %1$s for each row when (new.%s is null) execute function columns_from_data()',
      columns.of_table, columns.one);
    execute format('create trigger %s_written_by_release_before before update on %1$s for each row
      when (new.data is distinct from old.data and row(%s) is not distinct from row(%s)) execute function columns_from_data()',
      columns.of_table, regexp_replace(columns.all_of_them, '(\w+)', 'new.\1', 'g'), regexp_replace(columns.all_of_them, '(\w+)', 'old.\1', 'g'));
  end loop;
end $$;
