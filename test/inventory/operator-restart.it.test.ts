import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inventoryRole, overridesName } from '@quartermaster/inventory';
import { accessReviewer, KubeClient, kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { applyDeployment } from '../deploy/apply-deployment.ts';
import { type AskedFor, askedBy, credentialOf } from '../deploy/granted-rights.ts';
import { tokenOf } from '../deploy/role-deployment.ts';
import { type ControlPlane, startControlPlane } from '../kube/control-plane.ts';
import { RequestProxy } from '../support/request-proxy.ts';
import { addNode, gib, hardwareOf, operatorNamespace, patience, prepare, report } from './operator-cluster.ts';
import { type RunningOperator, startOperator } from './running-operator.ts';
import { ceph, install, put, storageClass } from './storage-fixtures.ts';

const account = 'quartermaster-inventory';
const capability = 'akash.network/capabilities.';
const rook = 'rook-ceph';
/** Of a test with several waits, each of which says what did not come about. */
const severalWaits = 10 * patience.timeout;
/** What of the cluster nobody needs to be allowed to read, by how the role names it and how completeness does. */
const optional: readonly (readonly [group: string, resource: string, source: string])[] = [
  ['quartermaster.dev', 'nodehardwares', 'hardware'],
  ['resource.k8s.io', 'resourceslices', 'resource-slices'],
  ['resource.k8s.io', 'resourceclaims', 'resource-claims'],
  ['storage.k8s.io', 'storageclasses', 'storage-classes'],
  ['storage.k8s.io', 'csistoragecapacities', 'csi-storage-capacities'],
  ['', 'namespaces', 'namespaces'],
  ['', 'persistentvolumes', 'persistent-volumes'],
  ['', 'persistentvolumeclaims', 'persistent-volume-claims'],
  ['', 'configmaps', 'local-path-config'],
  ['ceph.rook.io', 'cephclusters', 'ceph-clusters'],
  ['longhorn.io', 'nodes', 'longhorn-nodes'],
];

describe('an operator that starts again, on a real API server that logs what it is asked for', () => {
  let controlPlane: ControlPlane;
  let admin: KubeClient;
  let proxy: RequestProxy;
  /** What the log calls the token of the replica that started last: what one before it was cut off from is logged whenever the server gets to it. */
  let credential = '';
  let database: Server;
  let databaseUrl: string;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ scheduler: false, controllers: false, audit: 'Metadata' });
    admin = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
    await prepare(admin);
    for (const name of [rook, 'akash-services']) await admin.create(kinds.namespaces, { metadata: { name } });
    await applyDeployment(admin, inventoryRole);
    const { server: target, certificateAuthority } = controlPlane;
    const served = await certificateAuthority.issueServer({ commonName: 'proxy', hosts: ['127.0.0.1'] });
    proxy = await RequestProxy.start({ target, authority: certificateAuthority.certificate, ...served });
    database = createServer((_, response) => {
      response.end(JSON.stringify({ '10de': { name: 'nvidia', devices: { fff0: { name: 'x9000', memory_size: '999Gi' } } } }));
    });
    await once(database.listen(0, '127.0.0.1'), 'listening');
    databaseUrl = `http://127.0.0.1:${(database.address() as AddressInfo).port}/devices/gpus`;
    await furnish();
  });

  afterAll(async () => {
    database?.close();
    await proxy?.stop();
    await admin?.close();
    await controlPlane?.stop();
  });

  /** A card that the override names, one that the fetched database does, one that only the shipped one does, and a class on Ceph. */
  async function furnish(): Promise<void> {
    for (const [name, productId] of [
      ['overridden', '2330'],
      ['fetched', 'fff0'],
      ['shipped', '1eb8'],
    ] as const) {
      await addNode(admin, name);
      await report(admin, name, hardwareOf(name, productId));
    }
    const overrides = { '10de': { name: 'nvidia', devices: { 2330: { name: 'h100-house' } } } };
    const metadata = { namespace: operatorNamespace, name: overridesName };
    await admin.create(kinds.configMaps, { metadata, data: { 'gpus.json': JSON.stringify(overrides) } });
    for (const kind of Object.values(ceph)) await install(admin, kind);
    const capacity = { bytesTotal: 3000 * gib, bytesUsed: 300 * gib, lastUpdated: '2026-01-01T00:00:00Z' };
    const status = { phase: 'Ready', ceph: { health: 'HEALTH_OK', capacity } };
    await put(admin, ceph.clusters, { metadata: { namespace: rook, name: 'main' }, spec: {}, status });
    await put(admin, ceph.blockPools, { metadata: { namespace: rook, name: 'blocks' }, spec: { replicated: { size: 3 } } });
    await storageClass(admin, 'beta3', 'rook-ceph.rbd.csi.ceph.com', { clusterID: rook, pool: 'blocks' });
  }

  async function replica(): Promise<RunningOperator> {
    const token = await tokenOf({ admin, namespace: operatorNamespace }, account);
    credential = credentialOf(token);
    const kubeconfig = await controlPlane.writeKubeconfig({ user: { token }, server: proxy.url, namespace: operatorNamespace });
    const operator = await startOperator({
      kubeconfig,
      args: [`--gpu-database-url=${databaseUrl}`, `--inventory-namespace=${operatorNamespace}`],
    });
    onTestFinished(() => operator.stop());
    return operator;
  }

  const labelsOf = async (name: string) => (await admin.get(kinds.nodes, { name })).metadata?.labels ?? {};
  const versions = async () =>
    new Map((await admin.list(kinds.nodes)).items.map(({ metadata }) => [metadata?.name, metadata?.resourceVersion]));

  /** What the last replica changed, apart from the lease by which it leads, and from these nodes and events of them. */
  async function writes(...nodes: readonly string[]): Promise<AskedFor[]> {
    const all = await askedBy(controlPlane.auditLog ?? '', `system:serviceaccount:${operatorNamespace}:${account}`);
    const asked = all.filter((each) => each.credential === credential);
    expect(asked.map(({ verb }) => verb)).toContain('list');
    const others = ['leases', 'tokenreviews', 'subjectaccessreviews'];
    const isOfNode = (name = ''): boolean => nodes.some((node) => name === node || name.startsWith(`${node}.`));
    return asked.filter(
      ({ verb, resource, name }) => !['get', 'list', 'watch'].includes(verb) && !others.includes(resource) && !isOfNode(name),
    );
  }

  /** A node that needs labels gets them from the queue in which the others were before it. */
  async function labelNext(name: string, expected: object): Promise<void> {
    await addNode(admin, name, { resources: { cpu: '4', memory: '8Gi', pods: '10' } });
    await expect.poll(() => labelsOf(name), patience).toMatchObject(expected);
  }

  it('labels nodes by what Ceph, the overrides and both databases say, and keeps the fetched one', async () => {
    await replica();
    for (const [node, model] of [
      ['overridden', 'h100-house'],
      ['fetched', 'x9000'],
      ['shipped', 't4'],
    ] as const) {
      const expected = { [`${capability}gpu.model.${model}`]: 'true', [`${capability}storage.class.beta3`]: 'true' };
      await expect.poll(() => labelsOf(node), patience).toMatchObject(expected);
    }
    const kept = await admin.get(kinds.configMaps, { namespace: operatorNamespace, name: 'quartermaster-gpu-database' });
    expect(Object.keys(kept.binaryData ?? {})).toEqual(['gpus.json.gz']);
  });

  it('writes nothing with slow Ceph, slow overrides and no database server, nor when Ceph answers at last', {
    timeout: severalWaits,
  }, async () => {
    const versionsBefore = await versions();
    await new Promise((resolve) => database.close(resolve));
    const releaseOverrides = proxy.hold(new RegExp(`/configmaps\\?.*${overridesName}`));
    const releaseCeph = proxy.hold(/\/ceph\.rook\.io\//);
    const starting = replica();
    await expect.poll(() => proxy.hasSeen(/\/ceph\.rook\.io\//), patience).toBe(true);
    releaseOverrides();
    const operator = await starting;
    expect(operator.inventory.feed.storageClass('beta3')?.refusal?.code).toBe('CapacityUnknown');
    await labelNext('next', { 'akash.network': 'true' });
    expect(await labelsOf('next')).not.toHaveProperty([`${capability}storage.class.beta3`]);
    releaseCeph();
    await expect.poll(() => labelsOf('next'), patience).toHaveProperty([`${capability}storage.class.beta3`]);
    await labelNext('last', { [`${capability}storage.class.beta3`]: 'true' });
    expect(await writes('next', 'last')).toEqual([]);
    const versionsAfter = await versions();
    expect(versionsAfter).toEqual(new Map([...versionsAfter, ...versionsBefore]));
    expect((await operator.grpc.getStatus({})).parts.find(({ name }) => name === 'gpu database')?.message).toContain('fetch failed');
  });

  it('goes on without kinds that it may not read, names each of them, writes nothing, and reads them when it may', {
    timeout: severalWaits,
  }, async () => {
    const ref = { name: account };
    const { rules = [] } = await admin.get(kinds.clusterRoles, ref);
    const without = (refused: typeof optional) =>
      rules.flatMap((rule) => {
        const isRefused = (name: string) =>
          rule.verbs.includes('list') && refused.some(([group, resource]) => resource === name && rule.apiGroups?.includes(group));
        const resources = rule.resources?.filter((name) => !isRefused(name)) ?? [];
        return resources.length === 0 ? [] : [{ ...rule, resources }];
      });
    const allow = (allowed: typeof rules) => admin.patch(kinds.clusterRoles, ref, { kind: 'merge', body: { rules: allowed } });
    const identity = { name: `system:serviceaccount:${operatorNamespace}:${account}`, groups: [] };
    /** The server takes a moment until it knows of changed rights: a list that it lets through is watched from then on. */
    const untilRefused = async (refused: typeof optional) => {
      const mayList = ([group, plural]: (typeof optional)[number]) =>
        accessReviewer(admin)(identity, { verb: 'list', group, plural }, AbortSignal.timeout(patience.timeout));
      for (const kind of refused) await expect.poll(() => mayList(kind), patience).toBe(false);
    };
    await allow(without(optional));
    await untilRefused(optional);
    const operator = await replica();
    expect(operator.inventory.feed.current()?.nodes.map(({ name }) => name)).toContain('shipped');
    const stale = () => operator.inventory.completeness().stale;
    // Others are still being asked when it has just started.
    await expect
      .poll(() => stale().map(({ source }) => source), patience)
      .toEqual(expect.arrayContaining(optional.map(([, , source]) => source)));
    await expect.poll(() => stale().filter(({ reason }) => !reason.includes('forbidden')), patience).toEqual([]);
    await labelNext('refused', { 'akash.network': 'true' });
    expect(await writes('next', 'last', 'refused')).toEqual([]);
    const slices = optional.filter(([, , source]) => source === 'resource-slices');
    await allow(without(slices));
    await expect.poll(() => stale().map(({ source }) => source), patience).toEqual(['resource-slices']);
    // The agent of this one says which cards it has.
    await report(admin, 'carded', hardwareOf('carded', '1eb8'));
    await addNode(admin, 'carded');
    await expect.poll(() => labelsOf('carded'), patience).toHaveProperty([`${capability}gpu.model.t4`]);
    await allow(rules);
    await expect.poll(stale, patience).toEqual([]);
    await labelNext('allowed', { [`${capability}storage.class.beta3`]: 'true' });
    expect(await writes('next', 'last', 'refused', 'carded', 'allowed')).toEqual([]);
  });
});
