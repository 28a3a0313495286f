import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ReservationService } from '@quartermaster/api/cluster';
import { type Reservation, reservationType } from '@quartermaster/api/reservation';
import { failureOf, KubeClient, kinds } from '@quartermaster/kube';
import { openRpcChannel, type ServiceClient } from '@quartermaster/rpc';
import { expect, it, onTestFinished, vi } from 'vitest';
import { addNode, patience } from '../inventory/operator-cluster.ts';
import { startOperator } from '../inventory/running-operator.ts';
import { deployedRoles } from './deployed-roles.ts';
import { askedBy } from './granted-rights.ts';
import { kubeconfigOf, type RoleScenario, type RunningDeployment, tokenOf, writeServingCertificate } from './role-deployment.ts';

const account = 'quartermaster-cluster';
const node = 'sold-1';
const unit = { id: 1, count: 1, cpuMillis: 1000, memoryBytes: 2 ** 30 };
const request = { units: [{ ...unit, cpuMillis: 1000n, memoryBytes: BigInt(2 ** 30) }] };
const order = (dseq: number) => ({ owner: 'akash1x', dseq: BigInt(dseq), gseq: 1, oseq: 1 });

/** An attempt of whoever led before, or somebody's by hand. */
const attempt = (dseq: number): Reservation => ({
  metadata: { name: `akash1x-${dseq}-1-1` },
  spec: {
    order: { owner: 'akash1x', dseq: String(dseq), gseq: 1, oseq: 1 },
    owner: 'akash1x',
    units: [unit],
    plan: {
      units: [{ id: 1, cpuMillis: 1000, memoryBytes: 2 ** 30, ephemeralStorageBytes: 0, replicas: [{ node, nodeUid: 'uid' }] }],
      ports: 0,
      leasedIps: 0,
    },
    expiresAt: '2100-01-01T00:00:00Z',
    term: 1,
  },
});

async function ask({ controlPlane, process }: RunningDeployment, token: string): Promise<ServiceClient<typeof ReservationService>> {
  const tls = { ca: controlPlane.certificateAuthority.certificate };
  const channel = openRpcChannel({ address: `127.0.0.1:${process.ports.get('grpc')}`, tls, token: () => token, tries: 1 });
  onTestFinished(() => channel.close());
  return channel.client(ReservationService);
}

export const clusterScenario: RoleScenario = {
  ...deployedRoles.cluster,
  account,
  minRights: 15,

  surround: async (cluster, directory) => {
    const { admin, controlPlane, namespace } = cluster;
    await addNode(admin, node, { resources: { cpu: '16', memory: '64Gi', 'ephemeral-storage': '100Gi', pods: '110' } });
    await vi.waitFor(() => admin.list(reservationType, { limit: 1 }), patience);
    // What was promised before the leader took over.
    const promised = await admin.create(reservationType, attempt(1));
    await admin.replace(reservationType, { ...promised, status: { confirmed: true, phase: 'Pending' } }, { subresource: 'status' });
    await writeServingCertificate(cluster, directory);
    await writeFile(join(directory, 'ca.crt'), controlPlane.certificateAuthority.certificate);
    await writeFile(join(directory, 'quartermaster.yaml'), '');
    await writeFile(join(directory, 'token'), await tokenOf(cluster, account, { audiences: ['quartermaster-inventory'] }));
    const peer = join(directory, 'peer');
    await mkdir(peer);
    await writeFile(join(peer, 'token'), await tokenOf(cluster, account, { audiences: ['quartermaster-cluster'] }));
    const operator = await startOperator({
      kubeconfig: controlPlane.kubeconfig,
      args: [
        `--inventory-namespace=${namespace}`,
        `--inventory-tls-cert-file=${join(directory, 'tls.crt')}`,
        `--inventory-tls-key-file=${join(directory, 'tls.key')}`,
      ],
    });
    return {
      mounts: {
        '/etc/quartermaster/tls': directory,
        '/etc/quartermaster/gateway-tls': directory,
        '/etc/quartermaster/settings': directory,
        '/var/run/secrets/quartermaster-inventory': directory,
        '/var/run/secrets/quartermaster-cluster': peer,
      },
      env: { POD_NAME: 'cluster-1', POD_IP: '127.0.0.1', POD_NAMESPACE: namespace },
      kubeconfig: await kubeconfigOf(cluster, account),
      args: [`--cluster-inventory-address=${operator.served.grpc}`],
      end: () => operator.stop(),
    };
  },

  uses: (running) => {
    it('reserves for whoever may in the cluster, and shows it to readers alone', async () => {
      const { admin, namespace } = running();
      for (const name of ['bidder', 'onlooker', 'passer-by']) await admin.create(kinds.serviceAccounts, { metadata: { namespace, name } });
      for (const [name, role] of [
        ['bidder', 'quartermaster:reservation-admin'],
        ['onlooker', 'quartermaster:reservation-reader'],
      ] as const) {
        await admin.create(kinds.clusterRoleBindings, {
          metadata: { name },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
          subjects: [{ kind: 'ServiceAccount', namespace, name }],
        });
      }
      const bidder = await ask(running(), await tokenOf(running(), 'bidder'));
      await expect
        .poll(() => bidder.getStatus({}), patience)
        .toMatchObject({ isLeader: true, inventory: { fresh: true }, pending: { count: 1n } });
      const reserved = async () => (await bidder.reserve({ order: order(2), request })).outcome.case;
      await expect.poll(reserved, patience).toBe('reservation');
      const onlooker = await ask(running(), await tokenOf(running(), 'onlooker'));
      // The API server hears of bindings one after the other.
      await expect.poll(async () => (await onlooker.listReservations({})).reservations, patience).toHaveLength(2);
      await expect(onlooker.unreserve({ order: order(2) })).rejects.toMatchObject({ code: 'permission_denied' });
      await expect((await ask(running(), await tokenOf(running(), 'passer-by'))).getStatus({})).rejects.toMatchObject({
        code: 'permission_denied',
      });
      for (const dseq of [1, 2]) await bidder.unreserve({ order: order(dseq) });
      expect((await admin.list(reservationType)).items).toEqual([]);
    });

    it('looks at an object that has the name of an order before it came to know of it', async () => {
      const { admin, controlPlane, namespace } = running();
      const bidder = await ask(running(), await tokenOf(running(), 'bidder'));
      const hasLooked = async () => {
        const asked = await askedBy(controlPlane.auditLog ?? '', `system:serviceaccount:${namespace}:${account}`);
        return asked.some(({ resource, verb }) => resource === 'reservations' && verb === 'get');
      };
      let dseq = 100;
      await vi.waitFor(async () => {
        dseq += 1;
        await Promise.allSettled([admin.create(reservationType, attempt(dseq)), bidder.reserve({ order: order(dseq), request })]);
        await bidder.unreserve({ order: order(dseq) });
        expect(await hasLooked()).toBe(true);
      }, patience);
    });
  },

  limits: (cluster) => {
    it('may touch neither nodes nor pods, and read no Secret', async () => {
      const client = await KubeClient.connect({ kubeconfig: await kubeconfigOf(cluster(), account) });
      onTestFinished(() => client.close());
      const { namespace } = cluster();
      expect(await client.list(kinds.secrets, { namespace }).catch(failureOf)).toMatchObject({ kind: 'forbidden' });
      expect(await client.list(kinds.pods).catch(failureOf)).toMatchObject({ kind: 'forbidden' });
      expect(await client.delete(kinds.nodes, { name: node }).catch(failureOf)).toMatchObject({ kind: 'forbidden' });
    });
  },
};
