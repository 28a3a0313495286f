import type { CapacityLine } from '@quartermaster/api/inventory-views';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gib, gpuDevice, gpuGroup, nodeInventory, storageInventory } from '../../test/inventory-values.ts';
import { amount } from '../model/amount.ts';
import type { NodeInventory } from '../model/node-inventory.ts';
import type { StorageInventory } from '../model/storage-inventory.ts';
import { capacityLines, nodeLines } from './capacity-lines.ts';
import { nodeSale } from './node-views.ts';
import { storageCard } from './storage-card.ts';

const cordoned = { state: 'held-back', reasons: [{ code: 'Cordoned', message: 'cordoned' }] } as const;
const silent = { state: 'unknown', reasons: [{ code: 'ReadyUnknown', message: 'silent' }] } as const;
const holder = { namespace: 'a', pod: 'p', source: 'kubelet' } as const;

const nodesNamed = (nodes: readonly NodeInventory[]) => (name: string) => nodes.find((node) => node.name === name);
const linesOf = (nodes: readonly NodeInventory[], storage: readonly StorageInventory[] = []) =>
  capacityLines({ nodes, storage, nodeOf: nodesNamed(nodes) });
const lineOf = (lines: readonly CapacityLine[], kind: string, name: string) =>
  lines.find((line) => line.kind === kind && line.name === name);

describe('nodeLines', () => {
  it('divides whatever else the kubelet counts as it does the rest of the node', () => {
    const extended = new Map([
      ['hugepages-2Mi', amount(8 * gib, 8 * gib, 2 * gib)],
      ['example.com/nic', amount(4, 3, 1)],
      ['example.com/none', amount(0, 0, 0)],
    ]);
    const others = (change: Partial<NodeInventory> = {}) => nodeLines(nodeInventory('a', { extended, ...change })).slice(3);
    expect(others()).toMatchObject([
      { name: 'hugepages-2Mi', unit: 'bytes', division: { allocated: 2 * gib, sellable: 6 * gib }, why: [] },
      { name: 'example.com/nic', unit: 'devices', division: { allocated: 1, sellable: 2, heldBack: 1 }, why: [{ code: 'NotOffered' }] },
    ]);
    expect(others({ sellability: silent }).map(({ division }) => division.unknown)).toEqual([8 * gib, 4]);
  });
});

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

  it('holds sick cards back, whether or not somebody has them, and says so', () => {
    const devices = [gpuDevice('GPU-1', { state: 'quarantined', holder }), gpuDevice('GPU-2', { state: 'quarantined' })];
    // Two pods, one of them on a sick card; the kubelet offers the six others.
    const lines = linesOf([nodeInventory('a', { gpus: [gpuGroup({ amount: amount(8, 6, 2) })], devices })]);
    expect(lineOf(lines, 'resource', 'gpu')).toMatchObject({
      division: { allocated: 1, sellable: 4, heldBack: 3, unknown: 0 },
      why: [
        { state: 'held-back', code: 'Quarantined', amount: 2, nodes: 0 },
        { state: 'held-back', code: 'NotOffered', amount: 1, nodes: 1 },
      ],
    });
  });

  it('takes a sick card in use off once, where it took the place of a fit one', () => {
    const devices = [gpuDevice('GPU-1', { state: 'quarantined', holder }), gpuDevice('GPU-2', { holder })];
    const lines = linesOf([nodeInventory('a', { gpus: [gpuGroup({ amount: amount(2, 1, 2) })], devices })]);
    expect(lineOf(lines, 'resource', 'gpu')?.division).toEqual({ allocated: 1, sellable: 0, heldBack: 1, unknown: 0 });
  });

  it('says what nodes keep for themselves, and what volumes in their memory and on their disks take', () => {
    const memory = { ...amount(64 * gib, 60 * gib, 2 * gib), available: 50 * gib };
    const ephemeralStorage = { ...amount(400 * gib, 360 * gib, 0), available: 300 * gib };
    const lines = linesOf([nodeInventory('a', { memory, ephemeralStorage })]);
    expect(lineOf(lines, 'resource', 'memory')?.why).toEqual([
      { state: 'held-back', code: 'MemoryVolumes', amount: 8 * gib, nodes: 1 },
      { state: 'held-back', code: 'System', amount: 4 * gib, nodes: 0 },
    ]);
    expect(lineOf(lines, 'resource', 'disk')?.why).toEqual([
      { state: 'held-back', code: 'LocalVolumes', amount: 60 * gib, nodes: 1 },
      { state: 'held-back', code: 'System', amount: 40 * gib, nodes: 0 },
    ]);
  });

  it('has a line for each class, held back with the reason when it is not offered', () => {
    const refusal = { code: 'BackendUnhealthy', message: 'ill' };
    const kept = storageInventory('kept', { amount: amount(1000 * gib, 900 * gib, 100 * gib) });
    const { amount: _amount, ...unread } = storageInventory('unread', { refusal });
    const lines = linesOf([], [storageInventory('beta3'), storageInventory('ill', { refusal }), kept, unread]);
    expect(lineOf(lines, 'class', 'beta3')).toMatchObject({
      division: { allocated: 250 * gib, sellable: 750 * gib, heldBack: 0 },
      why: [],
    });
    expect(lineOf(lines, 'class', 'ill')).toMatchObject({
      division: { sellable: 0, heldBack: 750 * gib },
      why: [{ state: 'held-back', code: 'BackendUnhealthy', amount: 750 * gib, nodes: 0 }],
    });
    expect(lineOf(lines, 'class', 'kept')?.why).toEqual([{ state: 'held-back', code: 'System', amount: 100 * gib, nodes: 0 }]);
    expect(lineOf(lines, 'class', 'unread')).toMatchObject({ division: { heldBack: 0 }, why: [{ state: 'unknown', amount: 0 }] });
  });

  it('divides a class on nodes as its nodes are, and says of each part why', () => {
    const storageClasses = ['local'];
    const perNode = new Map(['a', 'b', 'c', 'd', 'gone'].map((name) => [name, amount(100, 90, 30)]));
    const local = storageInventory('local', { perNode, amount: amount(500, 450, 160) });
    const nodes = [
      nodeInventory('a', { storageClasses }),
      nodeInventory('b', { storageClasses, sellability: cordoned }),
      nodeInventory('c', { storageClasses, sellability: silent }),
      nodeInventory('d'),
    ];
    const line = lineOf(linesOf(nodes, [local]), 'class', 'local');
    // Ten bytes are promised to volumes that no node has yet.
    expect(line?.division).toEqual({ allocated: 130, sellable: 50, heldBack: 220, unknown: 100 });
    expect(new Map(line?.why.map(({ code, amount: part }) => [code, part]))).toEqual(
      new Map([
        ['ReadyUnknown', 100],
        ['Cordoned', 70],
        ['NotOfferedThere', 70],
        ['NodeGone', 70],
        ['System', 10],
      ]),
    );
    expect(storageCard(local, nodesNamed(nodes))).toMatchObject({ division: line?.division, why: line?.why });
  });
});

describe('divisions', () => {
  const someAmount = fc
    .tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 1500 }), fc.nat(100))
    .map(([capacity, part, allocated, withheld]) => {
      const made = amount(capacity, Math.min(part, capacity), allocated);
      return { ...made, available: Math.max(made.available - withheld, 0) };
    });
  const someCard = fc.record({
    state: fc.constantFrom('healthy', 'quarantined', 'unknown'),
    isHeld: fc.boolean(),
    model: fc.constantFrom('h100', 'a100'),
  });
  const someNode = fc
    .record({
      cpu: someAmount,
      memory: someAmount,
      ephemeralStorage: someAmount,
      gpus: fc.array(fc.record({ amount: someAmount, model: fc.constantFrom('h100', 'a100') }), { maxLength: 3 }),
      cards: fc.array(someCard, { maxLength: 8 }),
      sellability: fc.constantFrom(cordoned, silent, { state: 'sellable', reasons: [] } as const),
      storageClasses: fc.constantFrom(['local'], []),
    })
    .map(({ gpus, cards, ...node }) => ({
      ...node,
      gpus: gpus.map((group) => gpuGroup(group)),
      devices: cards.map(({ isHeld, ...each }, index) => gpuDevice(`GPU-${index}`, { ...each, ...(isHeld ? { holder } : {}) })),
    }));
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

  it('add up to what there is, with a reason for all that is held back or unknown, and rows add up to lines', () => {
    fc.assert(
      fc.property(fc.array(someNode, { maxLength: 12 }), someAmount, fc.boolean(), (values, space, isRefused) => {
        const nodes = values.map((value, index) => nodeInventory(`n${index}`, value));
        const perNode = new Map(nodes.map(({ name }) => [name, space]));
        const all = amount(space.capacity * nodes.length, space.allocatable * nodes.length, space.allocated * nodes.length + 7);
        const refusal = isRefused ? { refusal: { code: 'Ill', message: 'ill' } } : {};
        const lines = linesOf(nodes, [
          storageInventory('local', { perNode, amount: all, ...refusal }),
          storageInventory('far', { amount: space, ...refusal }),
        ]);
        for (const { kind, name, division, why } of lines) {
          const parts = [division.allocated, division.sellable, division.heldBack, division.unknown];
          expect(parts.every((part) => part >= 0)).toBe(true);
          const reasons = (state: string) => sum(why.filter((each) => each.state === state).map((each) => each.amount));
          expect([reasons('held-back'), reasons('unknown')]).toEqual([division.heldBack, division.unknown]);
          if (kind === 'class') expect(sum(parts)).toBe(name === 'far' ? space.capacity : all.capacity);
        }
        const capacities = {
          cpu: sum(nodes.map(({ cpu }) => cpu.capacity)),
          gpu: sum(nodes.flatMap(({ gpus }) => gpus.map((group) => group.amount.capacity))),
        };
        const rows = nodes.map(nodeSale);
        for (const name of ['cpu', 'gpu'] as const) {
          const { allocated = 0, sellable = 0, heldBack = 0, unknown = 0 } = lineOf(lines, 'resource', name)?.division ?? {};
          const shown = rows.flatMap((row) => (row[name] === undefined ? [] : [row[name]]));
          expect([0, 1, 2, 3, 4].map((part) => sum(shown.map((use) => use[part] ?? 0)))).toEqual([
            capacities[name],
            allocated,
            sellable,
            heldBack,
            unknown,
          ]);
        }
      }),
    );
  });
});
