import { expect, it } from 'vitest';
import { hostnameHitHref, leaseHitHref } from '../model/addresses.ts';
import { orderOfHostname } from './hostname-words.ts';
import { searchLeases } from './search-leases.ts';

const order = { owner: 'akash1Ann', dseq: '7', gseq: 1, oseq: 1 };
const known = {
  leases: { leases: [{ order, namespace: 'lease-akash1ann-7-1-1', state: 'LEASE_RUN_STATE_ACTIVE' as const }], nextPageToken: 'more' },
  hostnames: {
    hostnames: [
      { hostname: 'web.example', owner: 'akash1Ann', lease: 'akash1ann.0f3c-7-1-1', state: 'Held' },
      { hostname: 'old.example', owner: 'akash1Ann', state: 'Released' },
    ],
  },
};

it('finds leases by tenant, number and namespace, and hostnames with where they lead', () => {
  expect(searchLeases(known, 'AKASH1ANN').hits.map(({ kind, id }) => [kind, id])).toEqual([['lease', 'akash1Ann/7/1/1']]);
  expect(searchLeases(known, 'lease-akash1ann').hits).toHaveLength(1);
  expect(searchLeases(known, '7/1/1').hits[0]).toEqual({
    kind: 'lease',
    id: 'akash1Ann/7/1/1',
    label: '7/1/1',
    detail: 'akash1Ann · active',
  });
  expect(searchLeases(known, '.example').hits.map(({ id, detail }) => [id, detail])).toEqual([
    ['web.example akash1Ann/7/1/1', 'akash1Ann · lease 7/1/1'],
    ['old.example', 'akash1Ann · released'],
  ]);
});

it('says how far it looked', () => {
  expect(searchLeases(known, 'x').searched).toEqual(['the first 1 leases', 'hostnames']);
});

it('leads to the lease of a hostname, whatever its owner is called, or to the list of names', () => {
  expect(orderOfHostname(known.hostnames.hostnames[0] ?? {})).toEqual(order);
  expect(hostnameHitHref('web.example akash1Ann/7/1/1')).toBe('/leases/akash1Ann/7/1/1');
  expect(hostnameHitHref('old.example')).toBe('/hostnames?q=old.example');
  expect(leaseHitHref('7-1-1-p1')).toBe('/leases/7-1-1-p1');
});
