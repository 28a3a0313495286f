import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type Group, GroupSchema, type GroupSpecSchema } from '@quartermaster/api/market';
import { expect, it } from 'vitest';
import { groupChanges, withOrders } from './group-changes.ts';

const spec = {
  resources: { units: [{ id: 1, count: 2, cpuMillis: 500n }] },
  requirements: { attributes: { region: 'eu' }, signedByAnyOf: ['a'] },
  maxPrice: { denom: 'uakt', amount: '10' },
  unitPrices: { 1: { denom: 'uakt', amount: '5' } },
  httpEndpoints: { 1: 1 },
  services: [{ name: 'web', unit: 1, count: 2, image: 'nginx' }],
} satisfies MessageInitShape<typeof GroupSpecSchema>;
const group = (change: object = {}, name = 'west'): Group => create(GroupSchema, { gseq: 1, name, oseq: 4, spec: { ...spec, ...change } });

it('lets services change as long as the same is ordered', () => {
  expect(groupChanges([group()], [group({ services: [{ name: 'api', unit: 1, count: 2, image: 'nginx:2' }] })])).toEqual([]);
});

it.each([
  ['resources, counts or ports', { resources: { units: [{ id: 1, count: 3, cpuMillis: 500n }] } }],
  ['resources, counts or ports', { resources: undefined }],
  ['requirements of the provider', { requirements: { attributes: { region: 'us' }, signedByAnyOf: ['a'] } }],
  ['prices', { maxPrice: { denom: 'uakt', amount: '11' } }],
  ['prices', { unitPrices: {} }],
  ['endpoints', { httpEndpoints: { 1: 2 } }],
])('names other %s', (what, change) => {
  expect(groupChanges([group()], [group(change)])).toEqual([`group "west" would have other ${what}`]);
});

it('names each part once, and groups that come or go', () => {
  expect(groupChanges([group()], [group({ unitPrices: {}, maxPrice: undefined })])).toEqual(['group "west" would have other prices']);
  expect(groupChanges([group()], [group({}, 'east')])).toEqual(['its groups were west, and would be east']);
  expect(groupChanges([group()], [])).toHaveLength(1);
});

it('keeps the orders that groups have', () => {
  expect(withOrders([group()], [create(GroupSchema, { gseq: 1, name: 'west' })])).toMatchObject([{ oseq: 4, name: 'west' }]);
});
