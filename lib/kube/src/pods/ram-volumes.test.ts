import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ramBesideRequests, ramInRequestsAnnotation } from './ram-volumes.ts';

type MarkedPod = Parameters<typeof ramBesideRequests>[0];

const ofLease = { 'akash.network/manifest-service': 'web' };
const marked = { [ramInRequestsAnnotation]: 'true' };

function podOf(limits: readonly number[], metadata: MarkedPod['metadata'] = {}): MarkedPod {
  return { metadata, spec: { volumes: limits.map((bytes) => ({ emptyDir: { medium: 'Memory', sizeLimit: String(bytes) } })) } };
}

const sizes = fc.array(fc.nat(2 ** 40), { maxLength: 4 });
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe('ramBesideRequests', () => {
  it('comes to the same total for a pod that has its volumes in its requests and for one that has them beside', () => {
    fc.assert(
      fc.property(sizes, fc.nat(2 ** 40), (limits, containersBytes) => {
        const within = containersBytes + sum(limits);
        const plain = containersBytes + ramBesideRequests(podOf(limits, { labels: ofLease }), containersBytes);
        const once = within + ramBesideRequests(podOf(limits, { labels: ofLease, annotations: marked }), within);
        expect(once).toBe(plain);
      }),
    );
  });

  it('never counts a marked pod as less than its volumes, nor as less than its requests', () => {
    fc.assert(
      fc.property(sizes, fc.nat(2 ** 40), (limits, requested) => {
        const total = requested + ramBesideRequests(podOf(limits, { labels: ofLease, annotations: marked }), requested);
        expect(total).toBe(Math.max(requested, sum(limits)));
      }),
    );
  });

  it.each<[string, MarkedPod['metadata']]>([
    ['of no lease', { annotations: marked }],
    ['of no lease whose labels only look like it', { labels: { 'akash.network': 'true' }, annotations: marked }],
    ['without the mark', { labels: ofLease }],
    ['whose mark says something else', { labels: ofLease, annotations: { [ramInRequestsAnnotation]: 'false' } }],
    ['with the mark as a label', { labels: { ...ofLease, ...marked } }],
  ])('counts every volume of a pod %s', (_, metadata) => {
    expect(ramBesideRequests(podOf([1000, 500], metadata), 10_000)).toBe(1500);
  });

  it('counts what has a limit and is in memory, and refuses a limit that is none', () => {
    const volumes = [
      { emptyDir: { medium: 'Memory', sizeLimit: '1Ki' } },
      { emptyDir: { medium: 'Memory' } },
      { emptyDir: { sizeLimit: '1Gi' } },
      {},
    ];
    expect(ramBesideRequests({ spec: { volumes } }, 0)).toBe(1024);
    const refused = (): number => ramBesideRequests({ spec: { volumes: [{ emptyDir: { medium: 'Memory', sizeLimit: '1GB' } }] } }, 0);
    expect(refused).toThrow(expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining('"1GB"') }));
  });
});
