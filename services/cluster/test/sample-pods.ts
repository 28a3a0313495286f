import type { ManifestGroup } from '@quartermaster/api/lease-manifest';
import type { SeenLeasePod } from '../src/health/lease-health.ts';

export const samplePod = (changed: Partial<SeenLeasePod>): SeenLeasePod => ({
  ...{
    name: 'web-1',
    uid: changed.name ?? 'web-1',
    service: 'web',
    node: '',
    assignedTo: '',
    isGated: false,
    isDeleting: false,
    phase: 'Pending',
  },
  ...{ isReady: false, restarts: 0, createdAt: 0, reason: '', message: '', unschedulable: '', claims: [], gpus: 0 },
  ...changed,
});

/** Service -> the unit that it takes replicas of. */
export const sampleGroup = (services: Readonly<Record<string, number>>): ManifestGroup => ({
  name: 'dc',
  services: Object.entries(services).map(([name, id]) => ({
    ...{ name, image: 'nginx', command: [], args: [], env: [], count: 1, exposes: [], mounts: [], permissions: [] },
    resources: { id, cpuMillis: 100, memoryBytes: 1, gpus: 0, gpuAttributes: [], volumes: [] },
  })),
});
