import { describe, expect, it } from 'vitest';
import { groupOf, leasePodOf, leaseServiceOf, workloadOf } from '../../test/seen-lease.ts';
import { judgeLease } from './judge-lease.ts';
import type { HealthInput, SeenWorkload } from './lease-health.ts';

const judged = (changed: Partial<HealthInput>) =>
  judgeLease({
    ...{ group: groupOf(leaseServiceOf('web')), pods: [leasePodOf('web-1')], workloads: [workloadOf('web', 1)], claims: [] },
    ...{ isNodeSeen: () => true, hasRun: false, isLate: false },
    ...changed,
  });

const persistent = leaseServiceOf('web', {
  resources: { ...leaseServiceOf('web').resources, volumes: [{ name: 'data', bytes: 1, kind: 'persistent', class: 'beta1' }] },
});

describe('the replicas of a service', () => {
  it.each([
    [false, 0, 'starting'],
    [false, 1, 'healthy'],
    [true, 0, 'healthy'],
  ] as const)('run a manifest for the first time once all are of it: has run %s, %i of it, %s', (hasRun, updated, state) => {
    expect(judged({ hasRun, workloads: [workloadOf('web', 1, { updated })] }).state).toBe(state);
  });

  it.each([
    ['Deployment', leaseServiceOf('web')],
    ['StatefulSet', persistent],
  ] as const)('are those of its %s, while one of the other kind is still there', (kind, service) => {
    const other = kind === 'Deployment' ? 'StatefulSet' : 'Deployment';
    const both = (own: number): readonly SeenWorkload[] => [workloadOf('web', 1 - own, { kind: other }), workloadOf('web', own, { kind })];
    for (const workloads of [both(0), both(0).toReversed()]) {
      const report = judged({ group: groupOf(service), workloads, hasRun: true });
      expect(report).toMatchObject({ state: 'unhealthy', services: [{ available: 0 }] });
    }
    expect(judged({ group: groupOf(service), workloads: both(1), hasRun: true }).state).toBe('healthy');
    // Until its own is there, the other one serves.
    expect(judged({ group: groupOf(service), workloads: [workloadOf('web', 1, { kind: other })], hasRun: true }).state).toBe('healthy');
  });

  it('are not pods that are being deleted where they are heard of, nor is how those ended why one lacks', () => {
    const evicted = { phase: 'Failed', isReady: false, reason: 'Evicted', message: 'The node was low on resource: memory.' };
    const codes = (isDeleting: boolean) =>
      judged({ pods: [leasePodOf('web-1', { ...evicted, isDeleting })], workloads: [workloadOf('web', 0)] }).services[0]?.problems.map(
        ({ code }) => code,
      );
    expect([codes(false), codes(true)]).toEqual([['Evicted'], ['NotReady']]);
    const leaving = leasePodOf('web-1', { isDeleting: true, isReady: false, waiting: { reason: 'ErrImagePull', message: '' } });
    const report = judged({ pods: [leaving], workloads: [workloadOf('web', 0)] });
    expect(report).toMatchObject({ state: 'starting', services: [{ problems: [{ code: 'NotReady', subject: 'web' }] }] });
  });
});
