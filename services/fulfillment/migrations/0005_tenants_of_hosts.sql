-- Whoever sees a host sees it by its cluster, so nothing looks for hosts by their own tenants. Every host that was written paid for this index.
drop index hosts_by_tenant;
