import { describe, expect, it } from 'vitest';
import { amount } from '../model/amount.ts';
import type { StorageInventory } from '../model/storage-inventory.ts';
import { withoutEphemeral } from './ephemeral-share.ts';
import { sumOfNodes } from './querier/sum-of-nodes.ts';

const none = new Map<string, number>();
const perNode = new Map([
  ['a', amount(100, 100, 30)],
  ['b', amount(200, 200, 50)],
]);
const local: StorageInventory = {
  class: 'local-path',
  provisioner: 'rancher.io/local-path',
  backend: 'local-path',
  amount: sumOfNodes(perNode.values(), 5),
  perNode,
  ephemeralNodes: ['a'],
  promisedBytes: 85,
  volumes: 3,
};

describe('volumes in the ephemeral storage of nodes', () => {
  it('have less room by what pods have requested there', () => {
    const shared = withoutEphemeral(local, () => amount(100, 90, 25), none);
    expect(shared.perNode).toEqual(
      new Map([
        ['a', amount(100, 75, 30)],
        ['b', amount(200, 200, 50)],
      ]),
    );
    expect(shared.amount).toEqual({ capacity: 300, allocatable: 275, allocated: 85, available: 190, overcommitted: 0 });
    expect(shared.largestVolumeBytes).toBe(150);
  });

  it('show as overcommitted, and not as negative, when both together are too much', () => {
    const shared = withoutEphemeral(local, () => amount(100, 90, 90), none);
    expect(shared.perNode?.get('a')).toEqual({ capacity: 100, allocatable: 10, allocated: 30, available: 0, overcommitted: 20 });
  });

  it('have less room by pods and other volumes where they are replicated over nodes, too', () => {
    const replicated: StorageInventory = {
      class: 'replicated',
      provisioner: 'driver.longhorn.io',
      backend: 'longhorn',
      amount: amount(100, 100, 0),
      ephemeralNodes: ['a'],
      beside: (promisedOn) => ({ amount: amount(100, 100 - promisedOn('a'), 0), largestVolumeBytes: promisedOn('b') }),
      promisedBytes: 0,
      volumes: 0,
    };
    const shared = withoutEphemeral(replicated, (node) => (node === 'a' ? amount(100, 90, 25) : undefined), new Map([['a', 5]]));
    expect(shared).toMatchObject({ amount: { available: 70 }, largestVolumeBytes: 0, ephemeralNodes: ['a'] });
    // Two of the same figures must be equal, or every look would publish them anew.
    expect(shared).not.toHaveProperty('beside');
  });

  it('are left alone on filesystems of their own', () => {
    const own = { ...local, ephemeralNodes: [] };
    expect(withoutEphemeral(own, () => amount(100, 100, 100), none)).toBe(own);
  });
});
