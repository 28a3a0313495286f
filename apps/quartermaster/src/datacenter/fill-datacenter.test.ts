import { create } from '@bufbuild/protobuf';
import { HostAssignments, HostSources } from '@quartermaster/api/fulfillment-extras';
import { ClusterSchema, Clusters, ClusterTemplates, Hubs } from '@quartermaster/api/private';
import { type Log, silentLog } from '@quartermaster/kernel';
import { type RpcServer, type ServedService, serve, startRpcServer } from '@quartermaster/rpc';
import { loadScenario } from '@quartermaster/simulator';
import { afterEach, expect, it } from 'vitest';
import { fillDatacenter } from './fill-datacenter.ts';

let server: RpcServer;

afterEach(() => server.stop(0));

const never = (): never => {
  throw new Error('nobody asks for this');
};
const others = { list: never, get: never, update: never, delete: never, signal: never };

/** A service that has so many hosts for a cluster, and gives two of them at a time. */
function scarce(hosts: number): readonly ServedService[] {
  let left = hosts;
  return [
    serve(HostSources, { applyHosts: () => ({}), list: never }),
    serve(Hubs, { ...others, create: ({ object }) => ({ object }) }),
    serve(ClusterTemplates, { ...others, create: ({ object }) => ({ object }) }),
    serve(Clusters, {
      ...others,
      create: ({ object }) => ({ object: create(ClusterSchema, { id: object?.id ?? '', spec: { nodeSets: { all: { size: 5 } } } }) }),
    }),
    serve(HostAssignments, {
      claimHosts: () => {
        const claimed = Array.from({ length: Math.min(left, 2) }, (_, index) => `host-${left - index}`);
        left -= claimed.length;
        return { claimed, missing: 5 - (hosts - left) };
      },
      releaseHosts: never,
    }),
  ];
}

async function fill(hosts: number): Promise<readonly unknown[]> {
  server = await startRpcServer({ services: scarce(hosts) });
  const { datacenter, ...small } = await loadScenario('small');
  const scenario = { ...small, datacenter: { ...datacenter, hosts: [], templates: [], tenants: [] } };
  const warnings: unknown[] = [];
  const log: Log = { ...silentLog, warn: (_message, fields) => warnings.push(fields) };
  const signal = new AbortController().signal;
  await fillDatacenter({ address: server.address, token: 'a-token', scenario, onProgress: () => {}, log, signal });
  return warnings;
}

it('claims as often as it takes to have all hosts of a node set', async () => {
  expect(await fill(5)).toEqual([]);
});

it('says how many hosts are missing when there are no more', async () => {
  expect(await fill(3)).toEqual([{ cluster: 'provider-cluster', nodeSet: 'all', missing: 2 }]);
});
