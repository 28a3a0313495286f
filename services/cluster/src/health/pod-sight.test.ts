import type { Pod } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import { seenLeasePod } from './pod-sight.ts';

const here = (node: string) => ({ key: 'metadata.name', operator: 'In', values: [node] });
const affinity = (...terms: readonly object[]): Pod => ({
  spec: { containers: [], affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } } },
});
const container = { name: 'web', image: 'i', imageID: '', restartCount: 4 } as const;

describe('a pod of a lease', () => {
  it('is seen with all that its health is judged by', () => {
    const pod: Pod = {
      metadata: {
        name: 'web-0',
        uid: 'u',
        labels: { 'akash.network/manifest-service': 'web' },
        creationTimestamp: '2026-01-01T00:00:00Z',
        deletionTimestamp: '2026-01-01T01:00:00Z',
      },
      spec: {
        ...affinity({ matchFields: [here('n-1')] }).spec,
        containers: [{ name: 'web', resources: { requests: { cpu: '1', 'nvidia.com/gpu': '2', 'example.com/other': '3' } } }],
        nodeName: 'n-1',
        schedulingGates: [{ name: 'quartermaster.dev/placement' }],
        volumes: [
          { name: 'a', emptyDir: {} },
          { name: 'b', persistentVolumeClaim: { claimName: 'web-data-web-0' } },
        ],
      },
      status: {
        phase: 'Running',
        reason: 'r',
        message: 'm',
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'PodScheduled', status: 'True' },
        ],
        containerStatuses: [
          { ...container, ready: true },
          {
            ...container,
            name: 'other',
            ready: false,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { reason: 'Error', exitCode: 1, message: 'log' } },
          },
        ],
      },
    };
    expect(seenLeasePod(pod)).toEqual({
      name: 'web-0',
      uid: 'u',
      service: 'web',
      node: 'n-1',
      assignedTo: 'n-1',
      isGated: true,
      isDeleting: true,
      phase: 'Running',
      isReady: true,
      restarts: 4,
      createdAt: Date.UTC(2026, 0, 1),
      reason: 'r',
      message: 'm',
      unschedulable: '',
      waiting: { reason: 'CrashLoopBackOff', message: '' },
      lastEnd: { reason: 'Error', exitCode: 1, message: 'log' },
      claims: ['web-data-web-0'],
      gpus: 2,
    });
  });

  it('is seen where nobody has said anything of it yet', () => {
    expect(seenLeasePod({})).toMatchObject({ node: '', assignedTo: '', isGated: false, isReady: false, phase: '', restarts: 0, gpus: 0 });
  });

  it.each([
    ['n-1', [{ matchFields: [here('n-1')] }, { matchFields: [here('n-1')] }]],
    ['', [{ matchFields: [here('n-1')] }, { matchFields: [here('n-2')] }]],
    ['', [{ matchFields: [here('n-1')] }, { matchExpressions: [] }]],
    ['', [{ matchFields: [{ ...here('n-1'), operator: 'NotIn' }] }]],
    ['', [{ matchExpressions: [here('n-1')] }]],
  ])('has the node "%s" where its affinity allows no other: %j', (node, terms) => {
    expect(seenLeasePod(affinity(...terms)).assignedTo).toBe(node);
  });

  it.each([
    ['nothing fits', { status: 'False', reason: 'Unschedulable', message: 'nothing fits' }],
    ['the scheduler does not say why', { status: 'False', reason: 'Unschedulable' }],
    ['', { status: 'False', reason: 'SchedulingGated', message: 'gated' }],
    ['', { status: 'True' }],
  ])('is unschedulable for the reason "%s": %j', (reason, condition) => {
    expect(seenLeasePod({ status: { conditions: [{ type: 'PodScheduled', ...condition }] } }).unschedulable).toBe(reason);
  });

  it('ended as its container says now, before what it says of the time before', () => {
    const terminated = (reason: string) => ({ terminated: { reason, exitCode: 137 } });
    const status = { ...container, ready: false, state: terminated('OOMKilled'), lastState: terminated('Error') };
    expect(seenLeasePod({ status: { containerStatuses: [status] } }).lastEnd).toEqual({ reason: 'OOMKilled', exitCode: 137, message: '' });
  });
});
