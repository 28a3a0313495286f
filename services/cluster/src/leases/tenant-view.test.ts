import { describe, expect, it } from 'vitest';
import { groupOf, leasePodOf, leaseRecord, leaseServiceOf, leaseSight, workloadOf } from '../../test/seen-lease.ts';
import { leaseStatusBody, serviceStatusBody, serviceStatusMessage } from '../gateway/wire/lease-status-body.ts';
import { judgeLease } from '../health/judge-lease.ts';
import type { SeenLeasePod } from '../health/lease-health.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import { tenantView } from './tenant-view.ts';

/** In words of the API server, of a webhook, of the scheduler, of a kubelet or of a container. */
const canary = 'admission webhook "x.inside.example" of 10.7.0.9 denied it';

const pods: readonly (readonly [string, Partial<SeenLeasePod>])[] = [
  ['is evicted', { phase: 'Failed', reason: 'Evicted', message: canary }],
  ['has ended', { phase: 'Failed', lastEnd: { reason: 'Error', exitCode: 1, message: canary } }],
  ['has no place', { node: '', unschedulable: canary }],
  ['waits for volumes', { node: '', unschedulable: `persistentvolumeclaim ${canary}`, claims: ['data'] }],
  ['has an image that nobody can pull', { waiting: { reason: 'ErrImagePull', message: canary } }],
  [
    'keeps exiting',
    { waiting: { reason: 'CrashLoopBackOff', message: canary }, lastEnd: { reason: 'StartError', exitCode: 128, message: canary } },
  ],
  ['cannot be started', { waiting: { reason: 'CreateContainerError', message: canary } }],
  ['wrote too much', { phase: 'Failed', reason: 'Evicted', message: `exceeds the limit ${canary}` }],
];

const healthOf = (pod: Partial<SeenLeasePod>, failure?: string) =>
  judgeLease({
    ...{ group: groupOf(leaseServiceOf('web')), claims: [], isNodeSeen: () => true, hasRun: true, isLate: true },
    pods: failure === undefined ? [leasePodOf('web-1', { isReady: false, ...pod })] : [],
    workloads: [workloadOf('web', 0, { failure })],
  });

const health = (...args: Parameters<typeof healthOf>) => ({ health: healthOf(...args), record: leaseRecord('amy', 1n) });
const refused: Partial<LeaseRecord> = { state: 'Error', reason: 'RefusedByCluster', message: canary };

describe('what a tenant reads', () => {
  it.each([
    ...pods.map(([what, pod]) => [`of a pod that ${what}`, health(pod)] as const),
    ['of a workload whose pods are refused', health({}, canary)] as const,
    ['of a lease of which an object is refused', { record: leaseRecord('amy', 1n, refused) }] as const,
  ])('is nothing of what Kubernetes says in words of its own, %s', (_what, changed) => {
    const sight = leaseSight('amy', 1n, changed);
    const told = [tenantView(sight, 'p.example'), leaseStatusBody(sight, 'p.example'), serviceStatusBody(sight, 'web', 'p.example')];
    const text = JSON.stringify([...told, serviceStatusMessage(sight, 'all', 'p.example')]);
    expect(text).not.toMatch(/inside|10\.7|webhook|denied/);
    // Something is said all the same.
    expect(leaseStatusBody(sight, '').errors).not.toEqual(undefined);
  });
});
