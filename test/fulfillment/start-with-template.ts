import * as pub from '@quartermaster/api/fulfillment';
import * as priv from '@quartermaster/api/private';
import { startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';

/** A service with host class `c` and cluster template `t`, which has two node sets of it. */
export async function startWithTemplate(): Promise<TestFulfillment> {
  const service = await startTestFulfillment();
  await service.admin.client(priv.HostClasses).create({ object: { id: 'c' } });
  await service.admin.client(priv.ClusterTemplates).create({
    object: { id: 't', nodeSets: { w: { hostClass: 'c', size: 2 }, v: { hostClass: 'c', size: 1 } } },
  });
  return service;
}

/** The id of a new cluster of the tenant from that template. */
export async function createCluster(service: TestFulfillment, tenant: string): Promise<string> {
  const { object } = await service
    .tenant(tenant)
    .client(pub.Clusters)
    .create({ object: { spec: { template: 't' } } });
  return object?.id ?? '';
}
