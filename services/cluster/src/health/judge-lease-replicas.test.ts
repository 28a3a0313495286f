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

  it.each<[what: string, count: number, pods: number, workload: Partial<SeenWorkload>, message: string]>([
    ['the only one is missing', 1, 0, {}, 'Its replica is being created.'],
    ['the only one is settling', 1, 1, {}, 'Its replica is ready, and becomes available once it has been ready for 10 s.'],
    ['all are missing', 3, 0, {}, '0 of its 3 replicas are available; 3 are being created.'],
    ['one is missing', 3, 2, { available: 2 }, '2 of its 3 replicas are available; 1 is being created.'],
    [
      'one of each',
      3,
      2,
      { available: 1 },
      '1 of its 3 replicas is available; 1 is ready, and becomes available once it has been ready for 10 s; 1 is being created.',
    ],
    [
      'all are settling',
      2,
      2,
      {},
      '0 of its 2 replicas are available; 2 are ready, and become available once they have been ready for 10 s.',
    ],
    [
      'the only one is of another version',
      1,
      1,
      { available: 1, updated: 0 },
      'Its replica is of the previous version, and is being replaced.',
    ],
    [
      'some are of another version',
      3,
      3,
      { available: 3, updated: 1 },
      '2 of its 3 replicas are of the previous version, and are replaced one after another.',
    ],
  ])('are told by how many are available, and what the others wait for: %s', (_, count, ready, workload, message) => {
    const pods = Array.from({ length: ready }, (__, index) => leasePodOf(`web-${index}`));
    const group = groupOf(leaseServiceOf('web', { count }));
    const report = judged({ group, pods, workloads: [workloadOf('web', workload.available ?? 0, workload)] });
    expect(report).toMatchObject({ state: 'starting', services: [{ problems: [{ code: 'NotReady', message, subject: 'web' }] }] });
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
