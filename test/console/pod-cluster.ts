import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient, kinds } from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';
import { startSimulatedServer } from '@quartermaster/simulator';

interface FarmPod {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly node?: string | undefined;
  /** More than a name and a phase. */
  readonly spec?: Pod['spec'];
  readonly status?: Pod['status'];
}

/** An API server with the pods of a farm. */
export interface PodCluster {
  readonly kubeconfig: string;
  add(pod: FarmPod): Promise<{ remove(): Promise<void> }>;
  stop(): Promise<void>;
}

const phases = ['Running', 'Running', 'Pending', 'Running', 'Succeeded', 'Failed'];

const startedAt = '2026-01-02T03:04:05Z';

/** The one that the scripted inventory knows the cards of, with a container that works and one that does not. */
const described: Pick<FarmPod, 'phase' | 'spec' | 'status'> = {
  phase: 'Running',
  spec: {
    containers: [
      {
        name: 'main',
        image: 'registry.example.com/acme/training:2026.1',
        resources: {
          requests: { cpu: '8', memory: '64Gi', 'nvidia.com/gpu': '2' },
          limits: { memory: '64Gi', 'nvidia.com/gpu': '2' },
        },
      },
      { name: 'logs', image: 'registry.example.com/acme/ship-logs:7', env: [{ name: 'PASSWORD', value: 'canary-env' }] },
    ],
  },
  status: {
    startTime: startedAt,
    conditions: [
      { type: 'PodScheduled', status: 'True', lastTransitionTime: startedAt },
      {
        type: 'Ready',
        status: 'False',
        reason: 'ContainersNotReady',
        message: 'containers with unready status: [logs]',
        lastTransitionTime: startedAt,
      },
    ],
    containerStatuses: [
      { name: 'main', image: '', imageID: '', ready: true, restartCount: 0, state: { running: { startedAt } } },
      { name: 'logs', image: '', imageID: '', ready: false, restartCount: 12, state: { waiting: { reason: 'CrashLoopBackOff' } } },
    ],
  },
};
export const describedPod = { namespace: 'tenant-b', name: 'training-7d9c5b6f4-xxxx4' };

const farmPods = Array.from({ length: 60 }, (_, index): FarmPod => {
  const phase = phases[index % phases.length] ?? 'Running';
  return {
    namespace: index % 3 === 0 ? 'tenant-a' : 'tenant-b',
    name: `training-7d9c5b6f4-${index.toString(36).padStart(5, 'x')}`,
    phase,
    node: phase === 'Pending' ? undefined : `node-${String(index % 40).padStart(5, '0')}`,
    ...(index === 4 && described),
  };
});

const farmEvents = [
  {
    regarding: { apiVersion: 'v1', kind: 'Pod', ...describedPod },
    reason: 'BackOff',
    note: 'Back-off restarting failed container logs',
    type: 'Warning',
    namespace: 'tenant-b',
  },
  {
    regarding: { apiVersion: 'v1', kind: 'Node', name: 'node-00004' },
    reason: 'GpuQuarantined',
    note: 'GPU 3 is not sold: Xid 79, fallen off the bus',
    type: 'Warning',
    namespace: 'default',
  },
];

export async function startPodCluster(): Promise<PodCluster> {
  const server = await startSimulatedServer();
  const folder = await mkdtemp(join(tmpdir(), 'pod-cluster-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 });
  const client = await KubeClient.connect({ kubeconfig });
  const add: PodCluster['add'] = async ({ namespace, name, phase, node, spec, status }) => {
    const whole = { containers: [{ name: 'main', image: 'training' }], ...spec, nodeName: node };
    await client.create(kinds.pods, { metadata: { namespace, name }, spec: whole });
    if (phase !== 'Pending') {
      const body = { status: { ...status, phase } };
      await client.patch(kinds.pods, { namespace, name }, { kind: 'merge', body }, { subresource: 'status' });
    }
    return { remove: async () => await client.delete(kinds.pods, { namespace, name }, { gracePeriodSeconds: 0 }) };
  };
  for (const name of ['tenant-a', 'tenant-b', 'tenant-c']) await client.create(kinds.namespaces, { metadata: { name } });
  await Promise.all(farmPods.map(add));
  for (const [index, { namespace, ...event }] of farmEvents.entries()) {
    await client.create(kinds.events, {
      metadata: { namespace, name: `farm-event-${index}` },
      eventTime: new Date().toISOString().replace('Z', '000Z'),
      action: 'Look',
      reportingController: 'farm',
      reportingInstance: 'farm-1',
      ...event,
    });
  }
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
