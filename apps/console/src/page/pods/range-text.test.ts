import { describe, expect, it } from 'vitest';
import type { PodList } from '../../kubernetes-view.ts';
import { rangeText } from './range-text.ts';

const list = (change: Partial<PodList>): PodList => ({
  pods: [{ namespace: 'a', name: 'b', phase: 'Running', restarts: 0 }],
  matched: 3,
  phases: {},
  looked: { pods: 3, isComplete: true },
  ...change,
});

describe('the range of a page of pods', () => {
  it('says how many match', () => {
    expect(rangeText(list({}), 2, 0)).toBe('3–3 of 3');
    expect(rangeText(list({ pods: [] }), 0, 0)).toBe('none');
  });

  it('says how far the server looked where that was not everywhere', () => {
    const looked = { pods: 20_000, isComplete: false };
    expect(rangeText(list({ looked, remaining: 130_000 }), 0, 0)).toBe('1–1 of 3 among pods 1–20\u202f000 of 150\u202f000');
    expect(rangeText(list({ looked, pods: [] }), 0, 20_000)).toBe('none among pods 20\u202f001–40\u202f000');
  });
});
