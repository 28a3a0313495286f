import { describe, expect, it } from 'vitest';
import { nodeShares } from './cluster-shares.ts';

describe('the shares of a bar', () => {
  it('give each state of nodes its tone and a link to exactly those nodes', () => {
    const nodesByState = [
      { state: 'Sellable', tone: 'good', count: 2 },
      { state: 'Unknown: silent', tone: 'unknown', count: 1 },
      { state: 'Held back: cordoned', tone: 'held', count: 1 },
    ] as const;
    expect(nodeShares({ nodesByState }).map(({ label, count, tone }) => [label, count, tone])).toEqual([
      ['Sellable', 2, 'good'],
      ['Unknown: silent', 1, 'unknown'],
      ['Held back: cordoned', 1, 'held'],
    ]);
    expect(nodeShares({ nodesByState })[0]?.href).toBe('/nodes?q=state%3A%22Sellable%22');
  });
});
