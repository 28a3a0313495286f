import { describe, expect, it } from 'vitest';
import { type HostPoolObject, poolState, wantedHosts } from './host-pool-object.ts';

const pool = (state: string, deletion?: string): HostPoolObject => ({
  id: 'p1',
  metadata: { name: 'spare', tenants: ['acme'], version: '1', ...(deletion === undefined ? {} : { deletion_timestamp: deletion }) },
  spec: { host_sets: { a: { host_class: 'h100', size: 2 }, b: { host_class: 'l40s', size: 3 } } },
  status: { state, hosts: [], conditions: [], host_sets: {} },
});

describe('a host pool', () => {
  it('wants the hosts of all its sets', () => {
    expect(wantedHosts(pool(''))).toBe(5);
  });

  it('has a state in a word', () => {
    expect(poolState(pool('HOST_POOL_STATE_UNSPECIFIED')).word).toBe('Ordered');
    expect(poolState(pool('HOST_POOL_STATE_READY'))).toEqual({ tone: 'good', word: 'Ready' });
    expect(poolState(pool('HOST_POOL_STATE_READY', '2026-01-01T00:00:00Z')).word).toBe('Being deleted');
  });
});
