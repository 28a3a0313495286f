import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import type { OrderedCluster } from '../states/node-sets.ts';
import { isWantedBy, readSets, waitingSets } from './waiting-sets.ts';

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

  it('are not known until they were read, and say what they do not cover', () => {
    expect(readSets({ data: undefined, error: null })).toEqual({ sets: undefined, note: 'Loading the clusters …' });
    expect(readSets({ data: undefined, error: new ApiError('permission_denied', 'you may not list clusters') })).toEqual({
      sets: undefined,
      note: 'Which clusters wait for hosts is not known. You may not list clusters.',
    });
    const items = [cluster('full', 2), cluster('short', 3)];
    expect(readSets({ data: { items, total: 2, next_cursor: '' }, error: null })).toMatchObject({ sets: [{}], note: undefined });
    const { sets, note } = readSets({ data: { items, total: 30, next_cursor: 'c' }, error: null });
    expect([sets?.length, note]).toEqual([1, 'Only 2 of 30 clusters were looked at: others may wait, too.']);
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
