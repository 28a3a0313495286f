import { describe, expect, it } from 'vitest';
import { nodeShares } from './cluster-shares.ts';

describe('the shares of a bar', () => {
  it('give each state of nodes its tone and a link to exactly those nodes', () => {
    const nodesByState = [
      { state: 'Ready', isReady: true, count: 2 },
      { state: 'NotReady: kubelet stopped posting', isReady: false, count: 1 },
      { state: 'SchedulingDisabled', isReady: true, count: 1 },
    ];
    expect(nodeShares({ nodesByState }).map(({ label, count, tone }) => [label, count, tone])).toEqual([
      ['Ready', 2, 'good'],
      ['NotReady: kubelet stopped posting', 1, 'unknown'],
      ['SchedulingDisabled', 1, 'held'],
    ]);
    expect(nodeShares({ nodesByState })[0]?.href).toBe('/nodes?q=state%3A%22Ready%22');
  });
});
