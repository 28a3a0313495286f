import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient, kinds } from '@quartermaster/kube';
import { startSimulatedServer } from '@quartermaster/simulator';

interface FarmPod {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly node?: string | undefined;
}

/** An API server with the pods of a farm. */
export interface PodCluster {
  readonly kubeconfig: string;
  add(pod: FarmPod): Promise<{ remove(): Promise<void> }>;
  stop(): Promise<void>;
}

const phases = ['Running', 'Running', 'Pending', 'Running', 'Succeeded', 'Failed'];

const farmPods = Array.from({ length: 60 }, (_, index): FarmPod => {
  const phase = phases[index % phases.length] ?? 'Running';
  return {
    namespace: index % 3 === 0 ? 'tenant-a' : 'tenant-b',
    name: `training-7d9c5b6f4-${index.toString(36).padStart(5, 'x')}`,
    phase,
    node: phase === 'Pending' ? undefined : `node-${String(index % 40).padStart(5, '0')}`,
  };
});

/** In the order of the API server. */
export const farmPodNames = farmPods
  .map(({ namespace, name }) => `${namespace}/${name}`)
  .toSorted()
  .map((key) => key.split('/')[1]);

export async function startPodCluster(): Promise<PodCluster> {
  const server = await startSimulatedServer();
  const folder = await mkdtemp(join(tmpdir(), 'pod-cluster-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 });
  const client = await KubeClient.connect({ kubeconfig });
  const add: PodCluster['add'] = async ({ namespace, name, phase, node }) => {
    const spec = { nodeName: node, containers: [{ name: 'main', image: 'training' }] };
    await client.create(kinds.pods, { metadata: { namespace, name }, spec });
    if (phase !== 'Pending') {
      await client.patch(kinds.pods, { namespace, name }, { kind: 'merge', body: { status: { phase } } }, { subresource: 'status' });
    }
    return { remove: async () => await client.delete(kinds.pods, { namespace, name }, { gracePeriodSeconds: 0 }) };
  };
  for (const name of ['tenant-a', 'tenant-b', 'tenant-c']) await client.create(kinds.namespaces, { metadata: { name } });
  await Promise.all(farmPods.map(add));
  return {
    kubeconfig,
    add,
    stop: async () => {
      await client.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
