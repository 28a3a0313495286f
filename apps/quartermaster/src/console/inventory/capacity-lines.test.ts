import type { NodeInventory } from '@quartermaster/inventory';
import { gib, gpuDevice, gpuGroup, nodeInventory, storageInventory, totalsOf } from '@quartermaster/inventory/testing';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capacityLines } from './capacity-lines.ts';

const amount = (capacity: number, allocatable: number, allocated: number) => ({
  capacity,
  allocatable,
  allocated,
  available: Math.max(allocatable - allocated, 0),
  overcommitted: Math.max(allocated - allocatable, 0),
});
const cordoned = { state: 'held-back', reasons: [{ code: 'Cordoned', message: 'cordoned' }] } as const;
const silent = { state: 'unknown', reasons: [{ code: 'ReadyUnknown', message: 'silent' }] } as const;

const linesOf = (nodes: readonly NodeInventory[], storage: Parameters<typeof capacityLines>[0]['storage'] = []) =>
  capacityLines({ totals: totalsOf(nodes), withheld: nodes.filter(({ sellability }) => sellability.state !== 'sellable'), storage });
const lineOf = (lines: ReturnType<typeof linesOf>, kind: string, name: string) =>
  lines.find((line) => line.kind === kind && line.name === name);

describe('capacityLines', () => {
  it('counts what pods hold as allocated wherever the node reports, and the rest by what can be done with it', () => {
    const gpus = [gpuGroup({ amount: amount(8, 8, 2) })];
    const lines = linesOf([
      nodeInventory('a', { gpus }),
      nodeInventory('b', { gpus, sellability: cordoned }),
      nodeInventory('c', { gpus, sellability: silent }),
    ]);
    expect(lineOf(lines, 'resource', 'gpu')).toMatchObject({
      unit: 'devices',
      division: { allocated: 4, sellable: 6, heldBack: 6, unknown: 8 },
      why: [
        { state: 'unknown', code: 'ReadyUnknown', amount: 8, nodes: 1 },
        { state: 'held-back', code: 'Cordoned', amount: 6, nodes: 1 },
      ],
    });
    expect(lineOf(lines, 'model', 'nvidia h100 SXM5 80Gi')?.division).toEqual({ allocated: 4, sellable: 6, heldBack: 6, unknown: 8 });
  });

  it('says that nodes keep some for themselves, and cards that are in quarantine', () => {
    const sick = [gpuDevice('GPU-1', { state: 'quarantined' })];
    const lines = linesOf([nodeInventory('a', { gpus: [gpuGroup({ amount: amount(8, 7, 2) })], devices: sick })]);
    expect(lineOf(lines, 'resource', 'gpu')?.why).toEqual([{ state: 'held-back', code: 'Quarantined', amount: 1, nodes: 0 }]);
    expect(lineOf(lines, 'resource', 'memory')?.why).toEqual([{ state: 'held-back', code: 'System', amount: 4 * gib, nodes: 0 }]);
  });

  it('has a line for each class, held back with the reason when it is not offered', () => {
    const refusal = { code: 'BackendUnhealthy', message: 'ill' };
    const lines = linesOf([], [storageInventory('beta3'), storageInventory('ill', { refusal })]);
    expect(lineOf(lines, 'class', 'beta3')).toMatchObject({
      division: { allocated: 250 * gib, sellable: 750 * gib, heldBack: 0 },
      why: [],
    });
    expect(lineOf(lines, 'class', 'ill')).toMatchObject({
      division: { sellable: 0, heldBack: 750 * gib },
      why: [{ state: 'held-back', code: 'BackendUnhealthy', amount: 750 * gib }],
    });
  });

  it('divides exactly what there is, whatever the nodes say, and explains no more than it holds back', () => {
    const someAmount = fc
      .tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 1500 }))
      .map(([capacity, part, allocated]) => amount(capacity, Math.min(part, capacity), allocated));
    const someNode = fc
      .record({
        cpu: someAmount,
        gpu: someAmount,
        sellability: fc.constantFrom(cordoned, silent, { state: 'sellable', reasons: [] } as const),
      })
      .map(({ cpu, gpu, sellability }) => ({ cpu, gpus: [gpuGroup({ amount: gpu })], sellability }));
    fc.assert(
      fc.property(fc.array(someNode, { maxLength: 12 }), (values) => {
        const nodes = values.map((value, index) => nodeInventory(`n${index}`, value));
        for (const [name, all] of [
          ['cpu', nodes.map(({ cpu }) => cpu)],
          ['gpu', nodes.flatMap(({ gpus }) => gpus.map((group) => group.amount))],
        ] as const) {
          const line = lineOf(linesOf(nodes), 'resource', name);
          const division = line?.division ?? { allocated: 0, sellable: 0, heldBack: 0, unknown: 0 };
          const parts: readonly number[] = [division.allocated, division.sellable, division.heldBack, division.unknown];
          expect(parts.every((part) => part >= 0)).toBe(true);
          expect(parts.reduce((sum, part) => sum + part, 0)).toBe(all.reduce((sum, { capacity }) => sum + capacity, 0));
          const explained = (line?.why ?? []).filter(({ state }) => state === 'held-back').reduce((sum, { amount: part }) => sum + part, 0);
          expect(explained).toBe(division.heldBack);
        }
      }),
    );
  });
});
