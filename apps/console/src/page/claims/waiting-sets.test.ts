import { describe, expect, it } from 'vitest';
import type { OrderedCluster } from '../states/node-sets.ts';
import { isWantedBy, waitingSets } from './waiting-sets.ts';

const cluster = (id: string, size: number, change: Partial<OrderedCluster> = {}): OrderedCluster => ({
  id,
  metadata: { name: id, tenants: [], version: '1' },
  spec: { node_sets: { workers: { host_class: 'gpu', size, hosts: [] } } },
  status: { node_sets: { workers: { host_class: 'gpu', size: 2, hosts: ['a', 'b'] } }, hub: 'east' },
  ...change,
});

describe('node sets that wait for hosts', () => {
  it('are those with fewer than were ordered, of clusters that stay', () => {
    const leaving = cluster('leaving', 5, {
      metadata: { name: '', tenants: [], version: '1', deletion_timestamp: '2026-01-01T00:00:00Z' },
    });
    const found = waitingSets([cluster('full', 2), cluster('short', 3), leaving]);
    expect(found.map(({ cluster: { id }, line }) => [id, line.name])).toEqual([['short', 'workers']]);
  });

  it('want hosts of their class that no other hub has', () => {
    const [set] = waitingSets([cluster('short', 3)]);
    if (set === undefined) throw new Error('one set waits');
    expect(isWantedBy({ spec: { class: 'gpu' } }, set)).toBe(true);
    expect(isWantedBy({ spec: { class: 'gpu' }, status: { hub: 'east' } }, set)).toBe(true);
    expect(isWantedBy({ spec: { class: 'gpu' }, status: { hub: 'west' } }, set)).toBe(false);
    expect(isWantedBy({ spec: { class: 'cpu' } }, set)).toBe(false);
  });
});
