import { HostAssignments, HostSources } from '@quartermaster/api/fulfillment-extras';
import { Clusters, Hosts } from '@quartermaster/api/private';
import { startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { silentLog } from '@quartermaster/kernel';
import { expandScenario, loadScenario } from '@quartermaster/simulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fillDatacenter } from './fill-datacenter.ts';

let service: TestFulfillment;

beforeAll(async () => {
  service = await startTestFulfillment();
});

afterAll(async () => {
  await service.stop();
});

const fill = async (): Promise<void> => {
  const token = await service.token({ name: 'scenario', role: 'admin' });
  const scenario = await loadScenario('gpu-farm');
  const signal = new AbortController().signal;
  await fillDatacenter({ address: service.grpcAddress, token, scenario, onProgress: () => {}, log: silentLog, signal });
};

const everything = async () => {
  const { items: hosts } = await service.admin.client(Hosts).list({ limit: 1000 });
  const { items: clusters } = await service.admin.client(Clusters).list({ limit: 1000 });
  return { hosts, clusters };
};

it('brings a scenario in once: the nodes are in the cluster of the provider, tenants have what they asked for', async () => {
  await fill();
  const first = await everything();
  const machines = [...expandScenario(await loadScenario('gpu-farm')).machines()];
  expect(first.hosts.map(({ spec }) => spec?.serial ?? '').toSorted()).toEqual(machines.map(({ hardware }) => hardware.serial).toSorted());
  for (const { name, isNode } of machines) {
    const host = first.hosts.find(({ metadata }) => metadata?.name === name);
    expect([name, host?.status?.cluster === 'provider-cluster']).toEqual([name, isNode]);
  }
  for (const { spec, status } of first.clusters) {
    for (const [set, { size }] of Object.entries(spec?.nodeSets ?? {})) expect(status?.nodeSets[set]?.hosts).toHaveLength(size);
  }
  expect(first.clusters.map(({ id }) => id).toSorted()).toEqual(['acme-llm', 'acme-serving', 'globex-vision', 'provider-cluster']);

  await fill();
  const second = await everything();
  const versions = ({ hosts, clusters }: typeof first) => [...hosts, ...clusters].map(({ id, metadata }) => [id, metadata?.version]);
  expect(versions(second)).toEqual(versions(first));
  const { sources } = await service.admin.client(HostSources).list({});
  expect(sources).toMatchObject([{ name: 'scenario', hosts: BigInt(machines.length) }]);
});

it('finishes a cluster that a run which was interrupted left without hosts, and leaves alone what a person took away', async () => {
  await fill();
  const [clusters, assignments] = [service.admin.client(Clusters), service.admin.client(HostAssignments)];
  const hostsOf = async (id: string) =>
    Object.values((await clusters.get({ id })).object?.status?.nodeSets ?? {}).flatMap(({ hosts }) => hosts);
  const { object: unfinished } = await clusters.get({ id: 'acme-serving' });
  await assignments.releaseHosts({ cluster: 'acme-serving' });
  await clusters.delete({ id: 'acme-serving' });
  const { name = '', tenants = [] } = unfinished?.metadata ?? {};
  await clusters.create({
    object: { id: 'acme-serving', metadata: { name, tenants }, spec: { template: unfinished?.spec?.template ?? '' } },
  });
  await assignments.releaseHosts({ cluster: 'globex-vision' });
  await fill();
  expect(await hostsOf('acme-serving')).not.toEqual([]);
  expect(await hostsOf('globex-vision')).toEqual([]);
});
