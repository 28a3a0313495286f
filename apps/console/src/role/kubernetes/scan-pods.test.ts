import type { Pod } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import { type ReadPods, scanPods } from './scan-pods.ts';

const { signal } = new AbortController();

const pod = (index: number): Pod => ({
  metadata: { namespace: 'a', name: `pod-${index}`, creationTimestamp: new Date(index * 1000).toISOString() },
  spec: { nodeName: 'gpu-01', containers: [] },
  status: { phase: index % 4 === 0 ? 'Pending' : 'Running' },
});

/** As many pods as wanted, in the pages of an API server, which tells how many follow. */
function serverOf(count: number): { readonly read: ReadPods; readonly asked: Parameters<ReadPods>[0][] } {
  const asked: Parameters<ReadPods>[0][] = [];
  return {
    asked,
    read: async (question) => {
      asked.push(question);
      const first = Number(question.continue ?? 0);
      const end = Math.min(first + question.limit, count);
      const items = Array.from({ length: end - first }, (_, offset) => pod(first + offset));
      return end === count ? { items } : { items, continue: String(end), remainingItemCount: count - end };
    },
  };
}

describe('looking through pods', () => {
  it('shows the newest first, a page at a time, and counts them by phase whichever is asked for', async () => {
    const { read } = serverOf(1_200);
    const list = await scanPods(read, { phase: 'Running', offset: 1, limit: 2 }, signal);
    expect(list).toMatchObject({ matched: 900, phases: { Running: 900, Pending: 300 }, looked: { pods: 1_200, isComplete: true } });
    expect(list.pods.map(({ name }) => name)).toEqual(['pod-1198', 'pod-1197']);
    expect(list.continue).toBeUndefined();
  });

  it('looks at so many for one answer, says so, and goes on from there', async () => {
    const { read, asked } = serverOf(25_000);
    const first = await scanPods(read, { filter: 'pod-2', offset: 0, limit: 1 }, signal);
    expect(first).toMatchObject({ looked: { pods: 20_000, isComplete: false }, continue: '20000', remaining: 5_000 });
    expect(first.pods[0]?.name).toBe('pod-2999');
    const second = await scanPods(read, { filter: 'pod-2', offset: 0, limit: 1, continue: first.continue }, signal);
    expect(second).toMatchObject({ looked: { pods: 5_000, isComplete: false }, pods: [{ name: 'pod-24999' }] });
    expect(second.continue).toBeUndefined();
    expect(asked).toHaveLength(50);
  });

  it('lets the API server select what it can', async () => {
    const { read, asked } = serverOf(1);
    await scanPods(read, { filter: 'node:"gpu-01" namespace:"a" pod', offset: 0, limit: 1 }, signal);
    await scanPods(read, { node: 'gpu-02', offset: 0, limit: 1 }, signal);
    expect(asked.map(({ namespace, fieldSelector }) => [namespace, fieldSelector])).toEqual([
      ['a', 'spec.nodeName=gpu-01'],
      [undefined, 'spec.nodeName=gpu-02'],
    ]);
  });
});
