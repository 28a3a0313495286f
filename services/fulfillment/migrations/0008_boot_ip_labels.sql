-- What people look for: the host with an address, and whatever has a label. The address is computed by the database, so that it is right whichever release wrote the host.
alter table hosts add column boot_ip text collate "C" not null generated always as (coalesce(data #>> '{spec,boot_ip}', '')) stored;
create index hosts_by_boot_ip on hosts (boot_ip);
create index hosts_by_label on hosts using gin (labels);
create index clusters_by_label on clusters using gin (labels);
