import { systemClock } from '@quartermaster/kernel';
import { kinds } from '@quartermaster/kube';
import type { Deployment } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import { shownObjects } from '../../test/shown-objects.ts';
import { openAddress } from '../networks/open-address.ts';
import { LeaseCaches } from './lease-caches.ts';

describe('what is followed of leases', () => {
  it('has the addresses of pods, of both families', () => {
    const metadata = { namespace: 'lease-amy-7-1-1', name: 'web-0', labels: { 'akash.network/namespace': 'lease-amy-7-1-1' } };
    const pods = [{ metadata, status: { podIP: '10.0.0.7', podIPs: [{ ip: '10.0.0.7' }, { ip: '2001:db8::7' }] } }];
    const caches = new LeaseCaches(shownObjects({ pods }), 'lease', systemClock);
    expect([...caches.pods.entries()].map(({ value }) => value.addresses)).toEqual([['10.0.0.7', '2001:db8::7']]);
    expect(openAddress(caches.pods.entries(), { blocked: [] })).toContain('pod lease-amy-7-1-1/web-0 has the address 2001:db8::7');
  });

  it.each(['deployments', 'statefulSets'] as const)('has %s as they were applied, before any watch shows them', (plural) => {
    const labels = { 'akash.network/namespace': 'lease-amy-7-1-1', 'akash.network/manifest-service': 'web' };
    const metadata = { namespace: 'lease-amy-7-1-1', name: 'web', uid: 'w', resourceVersion: '7', generation: 1, labels };
    const status = { observedGeneration: 1, availableReplicas: 2, readyReplicas: 2, updatedReplicas: 2 };
    const workload: Deployment = { metadata, status };
    const caches = new LeaseCaches(shownObjects({ [kinds[plural].plural]: [workload] }), 'lease', systemClock);
    const observed = () => caches.workloadsIn('lease-amy-7-1-1').map(({ isObserved }) => isObserved);
    expect(observed()).toEqual([true]);
    const applied: Deployment = { ...workload, metadata: { ...metadata, resourceVersion: '8', generation: 2 } };
    caches.applied(kinds[plural].kind, applied);
    expect(observed()).toEqual([false]);
  });
});
