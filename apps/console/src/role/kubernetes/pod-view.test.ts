import type { Pod } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import { podDetail, podRow } from './pod-view.ts';

const canary = 'canary-8d1c';

const pod: Pod = {
  metadata: {
    namespace: 'lease-1',
    name: 'web-0',
    creationTimestamp: '2026-01-02T03:04:05Z',
    labels: { app: 'web' },
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': canary },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: '1' }],
  },
  spec: {
    nodeName: 'gpu-7',
    serviceAccountName: 'web',
    initContainers: [{ name: 'fetch', image: 'fetch:1', command: ['sh', '-c', canary] }],
    containers: [
      {
        name: 'web',
        image: 'web:1',
        args: [`--password=${canary}`],
        env: [{ name: 'PASSWORD', value: canary }],
        resources: { requests: { cpu: '250m', memory: '1Gi', 'nvidia.com/gpu': '2' }, limits: { 'nvidia.com/gpu': '2' } },
      },
    ],
  },
  status: {
    phase: 'Running',
    startTime: '2026-01-02T03:04:06Z',
    conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady', lastTransitionTime: '2026-01-02T03:05:00Z' }],
    containerStatuses: [
      {
        name: 'web',
        image: 'web:1',
        imageID: '',
        ready: false,
        restartCount: 4,
        state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } },
      },
    ],
  },
};

describe('a pod as the console shows it', () => {
  it('says what it requests, what its containers do and why it is not ready', () => {
    expect(podRow(pod)).toEqual({
      namespace: 'lease-1',
      name: 'web-0',
      phase: 'Running',
      reason: 'CrashLoopBackOff',
      node: 'gpu-7',
      createdAt: Date.parse('2026-01-02T03:04:05Z'),
      restarts: 4,
    });
    expect(podDetail(pod)).toMatchObject({
      owner: { kind: 'StatefulSet', name: 'web' },
      requests: { cpuMillis: 250, memoryBytes: 2 ** 30, extended: { 'nvidia.com/gpu': 2 } },
      containers: [
        { name: 'fetch', isInit: true, state: undefined },
        { name: 'web', isInit: false, state: 'waiting', reason: 'CrashLoopBackOff', restarts: 4 },
      ],
      conditions: [{ type: 'Ready', status: 'False', since: Date.parse('2026-01-02T03:05:00Z') }],
    });
  });

  it('shows nothing of environments, arguments and annotations', () => {
    expect(JSON.stringify(pod).split(canary)).toHaveLength(5);
    expect(JSON.stringify([podRow(pod), podDetail(pod)])).not.toContain(canary);
  });
});
