-- What people look for: the host with an address, and whatever has a label.
create index hosts_by_boot_ip on hosts (boot_ip);
create index hosts_by_label on hosts using gin (labels);
create index clusters_by_label on clusters using gin (labels);
