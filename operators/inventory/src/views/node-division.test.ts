import { describe, expect, it } from 'vitest';
import { gpuDevice, gpuGroup, nodeInventory } from '../../test/inventory-values.ts';
import { amount } from '../model/amount.ts';
import { nodeDivision } from './node-division.ts';

describe('nodeDivision', () => {
  it('divides the cards of a node again only where they, or what keeps them from being sold, changed', () => {
    const node = nodeInventory('a', { gpus: [gpuGroup({ amount: amount(8, 8, 2) })], devices: [gpuDevice('GPU-1')] });
    const { models } = nodeDivision(node);
    const busier = nodeDivision({ ...node, cpu: amount(64_000, 64_000, 32_000) });
    expect(busier.models).toBe(models);
    expect(busier.cpu.division.allocated).toBe(32_000);
    const held = { state: 'held-back', reasons: [{ code: 'Cordoned', message: 'cordoned' }] } as const;
    expect(nodeDivision({ ...node, sellability: held }).gpu?.division).toMatchObject({ sellable: 0, heldBack: 6 });
    const sick = nodeDivision({ ...node, devices: [gpuDevice('GPU-1', { state: 'quarantined' })] });
    expect(sick.gpu?.division).toMatchObject({ sellable: 5, heldBack: 1 });
    expect(nodeDivision({ ...node, gpus: [gpuGroup({ amount: amount(8, 8, 3) })] }).gpu?.division.allocated).toBe(3);
  });
});
