import { describe, expect, it } from 'vitest';
import { nodeInventory, storageInventory } from '../../test/inventory-values.ts';
import { amount } from '../model/amount.ts';
import type { NodeInventory } from '../model/node-inventory.ts';
import { withoutWithheld } from './withheld-space.ts';

const perNode = new Map([
  ['a', amount(100, 100, 10)],
  ['b', amount(200, 200, 0)],
  ['c', amount(300, 300, 0)],
]);
const local = storageInventory('local', { perNode, amount: amount(600, 600, 10), largestVolumeBytes: 300 });
const refusal = { code: 'ClassNotListed', message: 'add it' };
const cordoned = { state: 'held-back' as const, reasons: [{ code: 'Cordoned', message: 'uncordon it' }] };
const silent = { state: 'unknown' as const, reasons: [{ code: 'ReadyUnknown', message: 'look at it' }] };

const left = (storage: typeof local, nodes: Readonly<Record<string, Partial<NodeInventory>>>) => {
  const nodeOf = (name: string) => (name in nodes ? nodeInventory(name, { storageClasses: ['local'], ...nodes[name] }) : undefined);
  const { amount: sum, largestVolumeBytes, perNode: places } = withoutWithheld(storage, nodeOf);
  expect(places).toBe(storage.perNode);
  return [sum?.capacity, sum?.allocated, sum?.available, largestVolumeBytes];
};

describe('the space of a class that lives on nodes', () => {
  it('is all to be had while all of its nodes are sold', () => {
    expect(left(local, { a: {}, b: {}, c: {} })).toEqual([600, 10, 590, 300]);
    expect(withoutWithheld(local, (name) => nodeInventory(name, { storageClasses: ['local'] }))).toBe(local);
  });

  it('is not to be had on a node that is held back, silent or gone, and is still there', () => {
    expect(left(local, { a: {}, b: {}, c: { sellability: cordoned } })).toEqual([600, 10, 290, 200]);
    expect(left(local, { a: {}, b: { sellability: silent }, c: {} })).toEqual([600, 10, 390, 300]);
    expect(left(local, { a: {} })).toEqual([600, 10, 90, 90]);
    expect(left(local, {})).toEqual([600, 10, 0, 0]);
  });

  it('is not to be had where the configuration offers the class elsewhere only, and is shown of a class that is offered nowhere', () => {
    const classless = { storageClasses: [] };
    expect(left(local, { a: {}, b: {}, c: classless })).toEqual([600, 10, 290, 200]);
    expect(left({ ...local, refusal }, { a: classless, b: classless, c: classless })).toEqual([600, 10, 590, 300]);
    expect(left({ ...local, refusal }, { a: classless, b: classless, c: { ...classless, sellability: cordoned } })).toEqual([
      600, 10, 290, 200,
    ]);
  });

  it('concerns no class of the whole cluster', () => {
    const shared = storageInventory('beta3');
    expect(withoutWithheld(shared, () => undefined)).toBe(shared);
  });
});
