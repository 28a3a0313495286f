import { describe, expect, it } from 'vitest';
import { nodeTone, podTone } from './node-state.ts';

describe('the tone of a state', () => {
  it.each([
    [true, 'Ready', 'good'],
    [true, 'SchedulingDisabled', 'held'],
    [true, 'Ready,SchedulingDisabled', 'held'],
    [false, 'NotReady: Kubelet stopped posting node status.', 'unknown'],
    [false, 'NotReady: NodeStatusUnknown, SchedulingDisabled', 'unknown'],
    [false, 'NotReady: container runtime is down, SchedulingDisabled', 'failed'],
  ])('of a node that is ready: %s with %s is %s', (isReady, state, tone) => {
    expect(nodeTone({ isReady, state })).toBe(tone);
  });

  it('of a phase that nobody has heard of is plain', () => {
    expect(['Running', 'Pending', 'Succeeded', 'Failed', 'Unknown', 'Evicting'].map(podTone)).toEqual([
      'allocated',
      'reserved',
      'plain',
      'failed',
      'unknown',
      'plain',
    ]);
  });
});
