import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import { discoveryName as account } from '@quartermaster/inventory/discovery';
import { failureOf, KubeClient, kinds } from '@quartermaster/kube';
import { expect, it, onTestFinished } from 'vitest';
import { hardwareOf, patience } from '../inventory/operator-cluster.ts';
import { canaries, writeCanaryMachine } from './canary-machine.ts';
import { deployedRoles } from './deployed-roles.ts';
import { scanDiscoveryPort } from './discovery-port.ts';
import { startPodResources } from './pod-resources.ts';
import { type DeployedCluster, kubeconfigOf, type RoleScenario } from './role-deployment.ts';

/** The account of the agent on a new node, with a token that is bound to its pod. */
async function agentKubeconfig(cluster: DeployedCluster, node: string): Promise<string> {
  const { admin, namespace } = cluster;
  await admin.create(kinds.nodes, { metadata: { name: node } });
  const spec = { nodeName: node, serviceAccountName: account, containers: [{ name: 'discovery', image: 'quartermaster' }] };
  const { metadata } = await admin.create(kinds.pods, { metadata: { namespace, name: `agent-${node}` }, spec });
  return await kubeconfigOf(cluster, account, { kind: 'Pod', apiVersion: 'v1', name: `agent-${node}`, uid: metadata?.uid ?? '' });
}

export const discoveryScenario: RoleScenario = {
  ...deployedRoles.discovery,
  account,
  minRights: 6,
  // An apply of what does not exist yet.
  unlogged: [{ resource: 'nodehardwares', verb: 'create' }],

  surround: async (cluster, directory) => {
    const root = join(directory, 'root');
    await mkdir(root);
    await writeCanaryMachine(root);
    const end = await startPodResources(join(root, 'kubelet.sock'), {
      name: 'train-0',
      namespace: 'lease',
      container: 'main',
      resourceName: 'nvidia.com/gpu',
      deviceId: 'GPU-1',
    });
    return {
      mounts: { '/host': root },
      env: { NODE_NAME: 'machine-1', QUARTERMASTER_DISCOVERY_NAMESPACE: cluster.namespace },
      kubeconfig: await agentKubeconfig(cluster, 'machine-1'),
      args: ['--pod-resources-socket=/kubelet.sock'],
      end,
    };
  },

  uses: (running) => {
    it('keeps the object of its node, with who holds its devices and what it is to be known by', async () => {
      const { admin } = running();
      await expect
        .poll(() => admin.find(nodeHardwareType, { name: 'machine-1' }), patience)
        .toMatchObject({
          spec: {
            cpu: { threads: 1 },
            machine: { serial: canaries.serial, systemUuid: canaries.systemUuid },
            gpus: [{ uuid: `GPU-${canaries.gpu}` }],
            nics: [{ mac: canaries.mac }],
            disks: [{ serial: canaries.disk }],
          },
          status: {
            devices: [{ pod: 'train-0', deviceId: 'GPU-1' }],
            certificateFingerprint: expect.stringMatching(/^([0-9A-F]{2}:?){32}$/),
          },
        });
    });

    scanDiscoveryPort(running);
  },

  limits: (cluster) => {
    it('may make the object of its own node, for which it needs the right to create, and no other', async () => {
      const { admin } = cluster();
      const client = await KubeClient.connect({ kubeconfig: await agentKubeconfig(cluster(), 'machine-2') });
      onTestFinished(() => client.close());
      const write = async (node: string): Promise<string> =>
        await client
          .apply(
            nodeHardwareType,
            { metadata: { name: node }, spec: hardwareOf(node) },
            { fieldManager: account, force: true, dryRun: true },
          )
          .then(
            () => 'written',
            (thrown: unknown) => failureOf(thrown)?.kind ?? 'failed',
          );
      const allow = async (verbs: readonly string[]) => {
        const rules = [{ apiGroups: ['quartermaster.dev'], resources: ['nodehardwares'], verbs }];
        await admin.patch(kinds.clusterRoles, { name: account }, { kind: 'merge', body: { rules } });
      };
      expect(await write('machine-2')).toBe('written');
      // A new policy takes a moment until the server has compiled it.
      await expect.poll(() => write('machine-3'), patience).toBe('forbidden');
      await allow(['get', 'patch']);
      await expect.poll(() => write('machine-2'), patience).toBe('forbidden');
      await allow(['get', 'create', 'patch']);
      await expect.poll(() => write('machine-2'), patience).toBe('written');
    });
  },
};
