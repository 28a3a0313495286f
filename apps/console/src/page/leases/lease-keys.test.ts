import { describe, expect, it } from 'vitest';
import { rowFilter } from '../../filter/row-filter.ts';
import { isAllNarrowed, leaseKeys, narrowed } from './lease-keys.ts';

describe('a filter of leases', () => {
  it('has the service look for whole values of its own', () => {
    expect(narrowed('tenant:"ann" state:active node:"n1" namespace:"lease-x"')).toEqual({
      owner: 'ann',
      state: 'LEASE_RUN_STATE_ACTIVE',
      node: 'n1',
      namespace: 'lease-x',
    });
    expect(isAllNarrowed('tenant:"ann" state:active')).toBe(true);
  });

  it('looks for the rest itself', () => {
    expect(narrowed('tenant:an state:nothing hostname:"a.example" words')).toEqual({});
    expect(narrowed('this.tenant == "ann"')).toEqual({});
    expect(isAllNarrowed('tenant:"ann" words')).toBe(false);
    expect(isAllNarrowed('this.tenant == "ann"')).toBe(false);
    expect(isAllNarrowed('')).toBe(true);
  });

  it('finds leases by what is said of them', () => {
    const lease = {
      order: { owner: 'ann', dseq: '7', gseq: 1, oseq: 1 },
      state: 'LEASE_RUN_STATE_ACTIVE' as const,
      health: 'LEASE_HEALTH_UNHEALTHY' as const,
      services: [{ name: 'api', image: 'api:1', problems: [{ message: 'The image cannot be pulled.' }], pods: [{ node: 'n1' }] }],
      hostnames: [
        { hostname: 'a.example', state: 'held' },
        { hostname: 'b.example', state: 'withheld' },
      ],
    };
    const matching = [
      '7/1/1',
      'state:active',
      'health:unhealthy',
      'node:n1',
      'image:api',
      'hostname:a.ex',
      'problem:pulled',
      'this.service.exists(s, s == "api")',
    ];
    expect(matching.filter((query) => !rowFilter(query, leaseKeys).matches(lease))).toEqual([]);
    const others = ['state:error', 'tenant:bob', 'node:n2', 'hostname:b.ex'];
    expect(others.filter((query) => rowFilter(query, leaseKeys).matches(lease))).toEqual([]);
  });
});
