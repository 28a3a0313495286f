import { describe, expect, it } from 'vitest';
import { type HostPoolObject, wantedHosts } from './host-pool-object.ts';

const pool: HostPoolObject = {
  id: 'p1',
  metadata: { name: 'spare', tenants: ['acme'], version: '1' },
  spec: { host_sets: { a: { host_class: 'h100', size: 2 }, b: { host_class: 'l40s', size: 3 } } },
};

describe('a host pool', () => {
  it('wants the hosts of all its sets', () => {
    expect(wantedHosts(pool)).toBe(5);
  });
});
