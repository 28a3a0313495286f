import { type CacheEntry, type CacheOpener, ramInRequestsAnnotation } from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import { SeenPods } from './seen-pods.ts';

const gi = 2 ** 30;

const podOf = (memory: string, metadata: Pod['metadata'] = {}): Pod => ({
  metadata: { namespace: 'lease-1', name: 'web-0', ...metadata },
  spec: {
    nodeName: 'n1',
    containers: [{ name: 'web', resources: { requests: { memory } } }],
    volumes: [{ name: 'scratch', emptyDir: { medium: 'Memory', sizeLimit: '2Gi' } }],
  },
  status: { phase: 'Running' },
});

/** The pods as a cache would hold them, in its own terms. */
function seeing(...pods: readonly Pod[]): SeenPods {
  const opener = {
    open: ({ project }: { readonly project: (pod: Pod) => never }) => {
      const entries = pods.map(
        (pod, i): CacheEntry<never> => ({ key: `lease-1/${i}`, uid: `u${i}`, resourceVersion: '1', value: project(pod) }),
      );
      return { subscribe: () => () => {}, entries: () => entries, byIndex: () => entries };
    },
  } as unknown as CacheOpener;
  return new SeenPods(
    opener,
    () => 'ns-uid',
    () => [],
    () => {},
  );
}

describe('the pods that a replica sees', () => {
  const labels = { 'akash.network/manifest-service': 'web' };
  const annotations = { [ramInRequestsAnnotation]: 'true' };

  it('count memory-backed volumes once, whether they are in the requests or beside them', () => {
    const within = seeing(podOf('3Gi', { labels, annotations }));
    const beside = seeing(podOf('1Gi', { labels }));
    expect(within.on('n1').memoryBytes).toBe(3 * gi);
    expect(within.on('n1')).toEqual(beside.on('n1'));
    expect(within.leasePods()).toEqual(beside.leasePods());
  });

  it('count the volumes of a pod of no lease, whatever it says of itself', () => {
    expect(seeing(podOf('3Gi', { annotations })).on('n1').memoryBytes).toBe(5 * gi);
  });
});
