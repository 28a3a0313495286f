import { ramInRequestsAnnotation } from '@quartermaster/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type InventoryPod, podObserver } from './observe-pod.ts';
import { SharedValues } from './shared-values.ts';

const metadata = {
  uid: 'u1',
  namespace: 'lease-1',
  name: 'web-0',
  creationTimestamp: '2026-01-01T00:00:00Z',
  labels: { app: 'web', 'akash.network/lease.id.owner': 'akash1x', 'akash.network/manifest-service': 'web' },
};
const container = { name: 'app', resources: { requests: { cpu: '250m', memory: '1Gi', 'nvidia.com/gpu': '2' } } };
const pod = (more: Partial<NonNullable<InventoryPod['spec']>> = {}, phase = 'Running'): InventoryPod => ({
  metadata,
  spec: { nodeName: 'n1', containers: [container], ...more },
  status: { phase },
});

const observePod = podObserver(new SharedValues());

describe('observePod', () => {
  it('counts what the scheduler counts and keeps the labels of the lease', () => {
    expect(observePod(pod())).toEqual({
      uid: 'u1',
      namespace: 'lease-1',
      name: 'web-0',
      node: 'n1',
      requests: { cpuMillis: 250, memoryBytes: 2 ** 30, ephemeralStorageBytes: 0, extended: new Map([['nvidia.com/gpu', 2]]) },
      createdAt: Date.parse('2026-01-01T00:00:00Z'),
      ramBytes: 0,
      leaseLabels: { 'akash.network/lease.id.owner': 'akash1x', 'akash.network/manifest-service': 'web' },
    });
  });

  it('keeps nothing that anybody could fill: labels that name no lease, resources of which nothing is asked for', () => {
    const labels = { ...metadata.labels, 'akash.network/lease.note': 'x', 'akash.network/lease.id.note': 'x' };
    const requests = { ...container.resources.requests, 'example.com/nothing': '0' };
    const observed = observePod({ ...pod({ containers: [{ ...container, resources: { requests } }] }), metadata: { ...metadata, labels } });
    expect(observed).toEqual(observePod(pod()));
    const none = { name: 'app', resources: { requests: { 'example.com/nothing': '0' } } };
    expect(observePod(pod({ containers: [none] }))).toMatchObject({ createdAt: 0, requests: { extended: new Map() } });
  });

  it.each(['Succeeded', 'Failed'])('gives a pod that has %s no node and no requests', (phase) => {
    expect(observePod(pod({}, phase))).toMatchObject({ uid: 'u1', node: '', requests: { cpuMillis: 0 } });
  });

  it('gives a pod that is not bound no node', () => {
    expect(observePod(pod({ nodeName: '' })).node).toBe('');
  });

  it('counts memory-backed volumes once per pod, however many containers mount them', () => {
    const volumes = [
      { emptyDir: { medium: 'Memory', sizeLimit: '512Mi' } },
      { emptyDir: { medium: 'Memory', sizeLimit: '1G' } },
      { emptyDir: { medium: 'Memory' } },
      { emptyDir: { sizeLimit: '10Gi' } },
      {},
    ];
    expect(observePod(pod({ volumes, containers: [container, { ...container, name: 'second' }] })).ramBytes).toBe(512 * 2 ** 20 + 1e9);
  });

  it('counts volumes that the requests contain already once, on pods of leases alone', () => {
    const annotations = { [ramInRequestsAnnotation]: 'true' };
    fc.assert(
      fc.property(fc.nat(2 ** 40), fc.nat(2 ** 40), (bytes, limit) => {
        const asking = (memory: number) =>
          pod({
            containers: [{ name: 'app', resources: { requests: { memory: String(memory) } } }],
            volumes: [{ emptyDir: { medium: 'Memory', sizeLimit: String(limit) } }],
          });
        const total = ({ requests, ramBytes }: ReturnType<typeof observePod>) => requests.memoryBytes + ramBytes;
        const marked = observePod({ ...asking(bytes + limit), metadata: { ...metadata, annotations } });
        expect(marked.ramBytes).toBe(0);
        expect(total(marked)).toBe(total(observePod(asking(bytes))));
        const stranger = { ...metadata, labels: { app: 'web' }, annotations };
        expect(observePod({ ...asking(bytes), metadata: stranger }).ramBytes).toBe(limit);
      }),
    );
  });

  it('shares what pods have in common, and nothing else', () => {
    const [first, second] = [observePod(pod()), observePod(structuredClone(pod()))];
    expect(second.requests).toBe(first.requests);
    const larger = { ...container, resources: { requests: { ...container.resources.requests, 'nvidia.com/gpu': '3' } } };
    expect(observePod(pod({ containers: [larger] })).requests.extended).toEqual(new Map([['nvidia.com/gpu', 3]]));
  });
});
