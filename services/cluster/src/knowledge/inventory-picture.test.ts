import { describe, expect, it } from 'vitest';
import { claimOf, planOn, podOf } from '../../test/sample-book.ts';
import { node, one } from '../../test/sample-facts.ts';
import type { InventoryChange } from '../model/inventory-change.ts';
import { InventoryPicture } from './inventory-picture.ts';

const nothing: InventoryChange = {
  ...{ kind: 'whole', observedAt: 0, nodes: [], classes: [], pods: [], volumes: [] },
  ...{ removedNodes: [], removedClasses: [], removedPods: [], removedVolumes: [] },
};

describe('a picture of the inventory', () => {
  it('differs from a whole one by every node, class, pod and claim that is missing, too many or otherwise', () => {
    const amounts = { cpuMillis: 0, memoryBytes: 0, ephemeralBytes: 0, cards: new Map() };
    const figures = { facts: node('a'), allocatable: amounts, allocated: amounts };
    const whole: InventoryChange = {
      ...nothing,
      nodes: [figures],
      classes: [{ facts: { name: 'disk' } }],
      pods: [podOf({ name: 'x', plan: planOn([node('a')], one()) })],
      volumes: [claimOf('x', { bytes: 1 })],
    };
    const all = ['node a', 'class disk', 'pod pod-1', 'claim claim-1'];
    const picture = new InventoryPicture();
    expect(picture.differences(whole)).toEqual(all);
    picture.take(whole);
    expect(picture.differences(whole)).toEqual([]);
    expect(picture.differences(nothing)).toEqual(all);
    expect(picture.differences({ ...whole, volumes: [claimOf('x', { bytes: 2 })] })).toEqual(['claim claim-1']);
    picture.take({ ...nothing, kind: 'delta', removedVolumes: ['claim-1'] });
    expect(picture.differences(whole)).toEqual(['claim claim-1']);
  });
});
