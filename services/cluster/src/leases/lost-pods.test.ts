import { describe, expect, it } from 'vitest';
import { samplePod } from '../../test/sample-pods.ts';
import { lostPods } from './lost-pods.ts';

describe('pods that are lost', () => {
  it('are those that the cluster deletes from a node of which nothing is heard', () => {
    const on = (node: string, isDeleting: boolean) => samplePod({ name: `${node}-${isDeleting}`, node, isDeleting });
    const pods = [on('dead', true), on('dead', false), on('well', true), on('well', false), samplePod({ name: 'gated', isDeleting: true })];
    expect([...lostPods(pods, (node) => node !== 'dead')]).toEqual(['dead-true']);
  });

  it('stay lost when their node is heard again, until they are gone', () => {
    const pods = [
      samplePod({ name: 'given-up', node: 'back', isDeleting: true }),
      samplePod({ name: 'other', node: 'back', isDeleting: true }),
    ];
    expect([...lostPods(pods, () => true, new Set(['given-up', 'gone']))]).toEqual(['given-up']);
  });
});
