import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { InventoryService, Sellability } from '@quartermaster/api/inventory';
import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import { RemovalsService } from '@quartermaster/api/removals';
import { discoveryAudience, discoveryName, discoveryPort, startDiscoveryServer, usageAccess } from '@quartermaster/inventory/discovery';
import { systemClock } from '@quartermaster/kernel';
import { failureOf, KubeClient, kinds, podExec } from '@quartermaster/kube';
import { openRpcChannel, type RpcChannel, type ServiceClient } from '@quartermaster/rpc';
import { selfSignedTls } from '@quartermaster/service';
import { expect, it, onTestFinished } from 'vitest';
import { addNode, hardwareOf, patience, report } from '../inventory/operator-cluster.ts';
import { ceph, install, longhorn, put } from '../inventory/storage-fixtures.ts';
import { statusOf } from '../kube/loopback.ts';
import { deployedRoles } from './deployed-roles.ts';
import { askedBy } from './granted-rights.ts';
import {
  type DeployedCluster,
  kubeconfigOf,
  type RoleScenario,
  type RunningDeployment,
  tokenOf,
  writeServingCertificate,
} from './role-deployment.ts';

const account = 'quartermaster-inventory';
/** Of this machine, as a pod has an address of its own: one for each process of tests, since the port is always the same. */
const agentAddress = `127.${64 + ((process.pid >> 16) & 63)}.${(process.pid >> 8) & 255}.${process.pid & 255}`;

/** A cluster with a node, its agent, Rook's toolbox and the kinds of Ceph and Longhorn. */
async function furnish({ admin, namespace }: DeployedCluster): Promise<void> {
  for (const kind of [...Object.values(ceph), ...Object.values(longhorn)]) await install(admin, kind);
  await addNode(admin, 'gpu-1', { labels: { 'akash.network/capabilities.gpu.vendor.acme': 'true' } });
  await report(admin, 'gpu-1', hardwareOf('gpu-1'));
  await admin.create(kinds.serviceAccounts, { metadata: { namespace: 'rook-ceph', name: 'default' } });
  const running = async (
    metadata: { namespace: string; name: string; labels: Record<string, string> },
    serviceAccountName: string,
    podIP: string,
  ) => {
    const containers = [{ name: metadata.name, image: 'registry.invalid/image' }];
    await admin.create(kinds.pods, { metadata, spec: { nodeName: 'gpu-1', serviceAccountName, containers } });
    const status = { phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions: [{ type: 'Ready', status: 'True' }] };
    await admin.patch(kinds.pods, metadata, { kind: 'merge', body: { status } }, { subresource: 'status' });
  };
  await running({ namespace: 'rook-ceph', name: 'rook-ceph-tools', labels: { app: 'rook-ceph-tools' } }, 'default', '10.0.0.2');
  await running({ namespace, name: 'discovery', labels: { 'app.kubernetes.io/name': discoveryName } }, discoveryName, agentAddress);
  await put(admin, ceph.clusters, { metadata: { namespace: 'rook-ceph', name: 'my-cluster' }, spec: {} });
}

function channelOf({ controlPlane, process }: RunningDeployment, token: string): RpcChannel {
  const tls = { ca: controlPlane.certificateAuthority.certificate };
  const channel = openRpcChannel({ address: `127.0.0.1:${process.ports.get('grpc')}`, tls, token: () => token, tries: 1 });
  onTestFinished(() => channel.close());
  return channel;
}

async function ask(running: RunningDeployment, token: string): Promise<ServiceClient<typeof InventoryService>> {
  return channelOf(running, token).client(InventoryService);
}

export const inventoryScenario: RoleScenario = {
  ...deployedRoles.inventory,
  account,
  minRights: 50,
  // The second half of opening a stream.
  unlogged: [{ resource: 'pods/exec', verb: 'create' }],

  surround: async (cluster, directory) => {
    await furnish(cluster);
    await writeServingCertificate(cluster, directory);
    const database = createServer((_, response) => {
      response.end(JSON.stringify({ 1234: { name: 'acme', devices: { 5678: { name: 'road' } } } }));
    });
    await once(database.listen(0, '127.0.0.1'), 'listening');
    await writeFile(join(directory, 'token'), await tokenOf(cluster, account, { audiences: [discoveryAudience] }));
    return {
      mounts: {
        '/etc/quartermaster/tls': directory,
        '/etc/quartermaster/inventory': directory,
        '/var/run/secrets/quartermaster-discovery': directory,
      },
      env: { POD_NAME: 'inventory-1', QUARTERMASTER_INVENTORY_NAMESPACE: cluster.namespace },
      kubeconfig: await kubeconfigOf(cluster, account),
      args: [
        '--inventory-hardware-keep=1s',
        `--gpu-database-url=http://127.0.0.1:${(database.address() as AddressInfo).port}/devices/gpus`,
      ],
      end: () => database.close(),
    };
  },

  uses: (running) => {
    it('reads the whole cluster, and answers whoever may read the inventory in it, and nobody else', async () => {
      const { admin, namespace } = running();
      for (const name of ['reader', 'tenant']) await admin.create(kinds.serviceAccounts, { metadata: { namespace, name } });
      await admin.create(kinds.clusterRoleBindings, {
        metadata: { name: 'reader' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'quartermaster:inventory-reader' },
        subjects: [{ kind: 'ServiceAccount', namespace, name: 'reader' }],
      });
      const reader = await ask(running(), await tokenOf(running(), 'reader'));
      await expect
        .poll(() => reader.getStatus({}), patience)
        .toMatchObject({ isLeader: true, completeness: { complete: true, stale: [] } });
      expect((await reader.getSnapshot({})).snapshot?.nodes).toMatchObject([{ name: 'gpu-1' }]);
      const tenant = await ask(running(), await tokenOf(running(), 'tenant'));
      await expect(tenant.getStatus({})).rejects.toMatchObject({ code: 'permission_denied' });
      const stranger = await ask(running(), 'made-up');
      await expect(stranger.getStatus({})).rejects.toMatchObject({ code: 'unauthenticated' });
      const { controlPlane, process } = running();
      const { certificate: authority } = controlPlane.certificateAuthority;
      expect(await statusOf(`https://127.0.0.1:${process.ports.get('rest')}/v1/status`, { authority }, 20_000)).toBe(401);
    });

    it('asks the agent of a node how busy its GPUs are, by the certificate that the object of the node names, with its token for agents', async () => {
      const { admin, namespace } = running();
      const reader = await ask(running(), await tokenOf(running(), 'reader'));
      const problem = async () => (await reader.getStatus({})).parts.find(({ name }) => name === 'gpu usage')?.message;
      await expect
        .poll(problem, patience)
        .toContain('1 of 1 agents do not tell how busy their GPUs are: its NodeHardware names no certificate');
      const tls = await selfSignedTls({ commonName: 'agent' });
      onTestFinished(() => tls.close());
      const agent = {
        scanAgeMs: 0,
        stalledMs: 0,
        usage: async () => [{ uuid: 'GPU-gpu-1-0', utilizationPercent: 42, memoryUsedBytes: 0 }],
      };
      const admit = usageAccess({ client: admin, clock: systemClock, namespace, callers: [account] });
      const server = await startDiscoveryServer({ host: agentAddress, port: discoveryPort, agent, maxScanAgeMs: 60_000, tls, admit });
      onTestFinished(() => server.stop(0));
      const status = { certificateFingerprint: tls.status().fingerprint };
      await admin.patch(nodeHardwareType, { name: 'gpu-1' }, { kind: 'merge', body: { status } }, { subresource: 'status' });
      const busy = async () => (await reader.getSnapshot({})).snapshot?.nodes[0]?.devices[0]?.utilization;
      await expect.poll(busy, patience).toBe(42);
      await expect.poll(problem, patience).toBe('');
    });

    it('labels nodes and tells of them', async () => {
      const { admin } = running();
      const labels = async () => (await admin.get(kinds.nodes, { name: 'gpu-1' })).metadata?.labels;
      await expect.poll(labels, patience).toMatchObject({ 'akash.network': 'true', 'akash.network/capabilities.gpu.vendor.acme': 'true' });
      const cordon = async (unschedulable: true | null) =>
        await admin.patch(kinds.nodes, { name: 'gpu-1' }, { kind: 'merge', body: { spec: { unschedulable } } });
      const reader = await ask(running(), await tokenOf(running(), 'reader'));
      const sellability = async () => (await reader.getSnapshot({})).snapshot?.nodes[0]?.sellability;
      const told = async () => (await admin.list(kinds.events, { namespace: 'default' })).items.find(({ reason }) => reason === 'HeldBack');
      await cordon(true);
      await expect.poll(told, patience).toBeDefined();
      await cordon(null);
      await expect.poll(sellability, patience).toBe(Sellability.SELLABLE);
      await cordon(true);
      await expect.poll(async () => (await told())?.series?.count, patience).toBe(2);
      await cordon(null);
    });

    it('keeps the GPU database that it read', async () => {
      const { admin, namespace } = running();
      const kept = () => admin.find(kinds.configMaps, { namespace, name: 'quartermaster-gpu-database' });
      await expect.poll(async () => Object.keys((await kept())?.binaryData ?? {}), patience).toEqual(['gpus.json.gz']);
    });

    it('forgets the hardware of a node that is gone', async () => {
      const { admin } = running();
      await report(admin, 'gone-1', hardwareOf('gone-1'));
      const left = async () => (await admin.list(nodeHardwareType)).items.map(({ metadata }) => metadata?.name);
      await expect.poll(left, patience).toEqual(['gpu-1']);
    });

    it('lets only those approve removals who may delete what is removed', async () => {
      const removals = channelOf(running(), await tokenOf(running(), 'reader')).client(RemovalsService);
      await expect(removals.approveRemoval({ id: 'hardware-0' })).rejects.toMatchObject({ code: 'permission_denied' });
    });
  },

  limits: (cluster) => {
    it('may run commands where the toolbox is and nowhere else, for which it needs both of its verbs', async () => {
      const { controlPlane, admin, namespace } = cluster();
      const client = await KubeClient.connect({ kubeconfig: await kubeconfigOf(cluster(), account) });
      onTestFinished(() => client.close());
      const isRefused = async (inNamespace: string): Promise<boolean> => {
        // There is no kubelet: even one who may run commands gets an error, another one.
        const pod = { namespace: inNamespace, name: 'rook-ceph-tools' };
        await expect(podExec(client, pod, { container: 'rook-ceph-tools', command: ['true'] })).rejects.toThrow('exec in');
        const asked = await askedBy(controlPlane.auditLog ?? '', `system:serviceaccount:${namespace}:${account}`);
        return asked.findLast(({ resource, namespace: where }) => resource === 'pods/exec' && where === inNamespace)?.code === 403;
      };
      const allow = async (verbs: readonly string[]) => {
        const ref = { namespace: 'rook-ceph', name: `${account}-toolbox` };
        await admin.patch(kinds.roles, ref, { kind: 'merge', body: { rules: [{ apiGroups: [''], resources: ['pods/exec'], verbs }] } });
      };
      expect(await isRefused('rook-ceph')).toBe(false);
      expect(await isRefused(namespace)).toBe(true);
      for (const verb of ['get', 'create']) {
        await allow([verb]);
        await expect.poll(() => isRefused('rook-ceph'), patience).toBe(true);
        await allow(['get', 'create']);
        await expect.poll(() => isRefused('rook-ceph'), patience).toBe(false);
      }
      expect(await client.list(kinds.secrets, { namespace }).catch(failureOf)).toMatchObject({ kind: 'forbidden' });
    });
  },
};
