-- What people look for: the host with an address, and whatever has a label.
create index hosts_by_boot_ip on hosts (boot_ip);
create index hosts_by_label on hosts using gin (labels) with (fastupdate = off);
create index clusters_by_label on clusters using gin (labels) with (fastupdate = off);
-- Every host that is written looks for others with its addresses: it would read all that waits to be put into the index.
alter index hosts_by_mac set (fastupdate = off);
