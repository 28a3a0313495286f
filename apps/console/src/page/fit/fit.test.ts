import type { NodeRow, NodeSale, StorageCard } from '@quartermaster/api/inventory-views';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FitOrder, fit } from './fit.ts';

const gib = 1024 ** 3;

function node(
  name: string,
  free: Partial<{ cpu: number; memory: number; gpus: Record<string, number> }>,
  sale: Partial<NodeSale> = {},
): NodeRow {
  const { cpu = 96_000, memory = 768 * gib, gpus = {} } = free;
  return {
    name,
    isReady: true,
    state: 'Ready',
    cpuMillis: 96_000,
    memoryBytes: 768 * gib,
    gpus: {},
    pods: 0,
    sale: {
      state: 'sellable',
      why: [],
      quarantined: 0,
      cpu: [96_000, 96_000 - cpu, cpu, 0, 0],
      memory: [768 * gib, 768 * gib - memory, memory, 0, 0],
      disk: [0, 0, 0, 0, 0],
      models: Object.fromEntries(Object.keys(gpus).map((model) => [model, 8])),
      freeModels: gpus,
      ...sale,
    },
  };
}
const nothing: FitOrder = { cpuMillis: 0, memoryBytes: 0, gpus: 0, gpuModel: '', storageClass: '', storageBytes: 0, replicas: 1 };
const card = (facts: Partial<StorageCard>): StorageCard => ({
  name: 'beta3',
  provisioner: 'p',
  backend: 'rook-ceph',
  division: { allocated: 0, sellable: 0, heldBack: 0, unknown: 0 },
  why: [],
  promisedBytes: 0,
  volumes: 0,
  sharesSpaceWith: [],
  ...facts,
});
const amount = (available: number) => ({ capacity: available, allocatable: available, allocated: 0, available, overcommitted: 0 });

describe('whether an order fits', () => {
  const nodes = [
    node('a', { cpu: 20_000, gpus: { h100: 4 } }),
    node('b', { cpu: 90_000, gpus: { h100: 8 } }),
    node('c', { gpus: { a100: 8 } }),
    node('d', { gpus: { h100: 8 } }, { state: 'held-back', why: ['Cordoned'] }),
  ];

  it('says where it goes, the fullest nodes first', () => {
    expect(fit({ ...nothing, cpuMillis: 8_000, gpus: 2, gpuModel: 'h100', replicas: 3 }, nodes, [])).toMatchObject({
      room: 6,
      plan: [
        { node: 'a', replicas: 2 },
        { node: 'b', replicas: 1 },
      ],
      changes: [],
    });
  });

  it('takes all cards of a replica from one model when none is named', () => {
    const mixed = [node('m', { gpus: { h100: 3, a100: 2 } })];
    expect(fit({ ...nothing, gpus: 4 }, mixed, []).room).toBe(0);
    expect(fit({ ...nothing, gpus: 3 }, mixed, []).room).toBe(1);
  });

  it('says of every other node why not, the nearest first', () => {
    const { refusals } = fit({ ...nothing, cpuMillis: 40_000, gpus: 8, gpuModel: 'h100', replicas: 2 }, nodes, []);
    expect(refusals).toEqual([
      { node: 'c', lacks: [{ kind: 'resource', resource: 'gpu', wanted: 8, free: 0 }] },
      { node: 'd', lacks: [{ kind: 'state', state: 'held-back', why: ['Cordoned'] }] },
      {
        node: 'a',
        lacks: [
          { kind: 'resource', resource: 'cpu', wanted: 40_000, free: 20_000 },
          { kind: 'resource', resource: 'gpu', wanted: 8, free: 4 },
        ],
      },
    ]);
  });

  it('names what would help: less of one thing, another model, a node that is held back', () => {
    const { changes } = fit({ ...nothing, cpuMillis: 95_000, gpus: 8, gpuModel: 'h100' }, nodes, []);
    expect(changes).toEqual([
      { kind: 'less', resource: 'cpu', amount: 90_000 },
      { kind: 'model', model: 'a100', room: 1 },
      { kind: 'release', node: 'd', room: 1, state: 'held-back', why: ['Cordoned'] },
    ]);
  });

  it('promises nothing on a node that nobody hears of, and nothing at all without an inventory', () => {
    const { sale: _, ...unread } = node('x', {});
    expect(fit({ ...nothing, cpuMillis: 1 }, [unread, node('y', {}, { state: 'unknown', why: ['ReadyUnknown'] })], []).room).toBe(0);
  });

  it('counts a class that is everywhere as a whole, and one volume no larger than it takes', () => {
    const classes = [card({ amount: amount(100 * gib), largestVolumeBytes: 40 * gib })];
    const order = { ...nothing, storageClass: 'beta3', replicas: 9 };
    expect(fit({ ...order, storageBytes: 30 * gib }, nodes, classes).room).toBe(3);
    expect(fit({ ...order, storageBytes: 50 * gib }, nodes, classes)).toMatchObject({
      room: 0,
      changes: [{ kind: 'less', resource: 'storage', amount: 40 * gib }],
    });
  });

  it('puts replicas with node-local storage where the space is', () => {
    const places = { count: 2, roomiest: [{ node: 'b', available: 70 * gib, capacity: 100 * gib }] };
    const classes = [card({ name: 'local', amount: amount(90 * gib), places })];
    expect(fit({ ...nothing, storageClass: 'local', storageBytes: 30 * gib, replicas: 2 }, nodes, classes).plan).toEqual([
      { node: 'b', replicas: 2 },
    ]);
  });

  it('takes nodes that a class does not name for unknown, not for full, unless those that it names have too little', () => {
    const named = (available: number, count: number) => [
      card({ name: 'local', amount: amount(900 * gib), places: { count, roomiest: [{ node: 'b', available, capacity: 100 * gib }] } }),
    ];
    const order = { ...nothing, storageClass: 'local', storageBytes: 30 * gib, replicas: 9 };
    const answer = fit(order, nodes, named(70 * gib, 3));
    expect(answer).toMatchObject({ room: 2, isAtLeast: true, plan: [{ node: 'b', replicas: 2 }] });
    expect(answer.refusals).toContainEqual({ node: 'a', lacks: [{ kind: 'unsaid' }] });
    // Those that are not named have no more than the named ones.
    expect(fit(order, nodes, named(20 * gib, 3))).toMatchObject({ room: 0, isAtLeast: false });
    expect(fit(order, nodes, named(70 * gib, 1))).toMatchObject({ room: 2, isAtLeast: false });
    expect(fit({ ...order, cpuMillis: 95_500 }, [node('a', { cpu: 1 })], named(70 * gib, 3))).toMatchObject({ room: 0, isAtLeast: false });
  });

  it('says what a class that is not offered says, and that there is no such class', () => {
    const refused = [card({ amount: amount(gib), refusal: { code: 'X', message: 'It is sick.' } })];
    const order = { ...nothing, storageClass: 'beta3', storageBytes: 1 };
    expect(fit(order, nodes, refused)).toMatchObject({ room: 0, plan: [], storageProblem: 'It is sick.' });
    expect(fit(order, nodes, [])).toMatchObject({ room: 0, storageProblem: 'There is no storage class beta3.' });
  });

  it('never gives a node more than it has, and stops only when no node takes one more', () => {
    const small = fc.integer({ min: 0, max: 12 });
    const anyNode = fc.record({ cpu: small, memory: small, gpus: fc.dictionary(fc.constantFrom('h', 'a'), small), isOpen: fc.boolean() });
    const anyOrder = fc.record({
      cpuMillis: small,
      memoryBytes: small,
      gpus: small,
      gpuModel: fc.constantFrom('', 'h'),
      replicas: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(fc.array(anyNode, { maxLength: 6 }), anyOrder, (facts, wish) => {
        fc.pre(wish.cpuMillis + wish.memoryBytes + wish.gpus > 0);
        const order = { ...nothing, ...wish };
        const all = facts.map(({ isOpen, ...free }, index) =>
          node(`n${index}`, free, isOpen ? {} : { state: 'held-back', why: ['Cordoned'] }),
        );
        const { plan } = fit(order, all, []);
        const takes = (name: string, replicas: number): boolean => {
          const sale = all.find((each) => each.name === name)?.sale;
          if (sale === undefined || sale.state !== 'sellable') return replicas === 0;
          const cards = order.gpuModel === '' ? Math.max(0, ...Object.values(sale.freeModels)) : (sale.freeModels[order.gpuModel] ?? 0);
          return (
            replicas * order.cpuMillis <= sale.cpu[2] && replicas * order.memoryBytes <= sale.memory[2] && replicas * order.gpus <= cards
          );
        };
        const given = new Map(plan.map((each) => [each.node, each.replicas])); // node -> replicas
        const placed = [...given.values()].reduce((total, each) => total + each, 0);
        expect([...given].every(([name, replicas]) => takes(name, replicas))).toBe(true);
        expect(placed).toBeLessThanOrEqual(order.replicas);
        if (placed < order.replicas) expect(all.some(({ name }) => takes(name, (given.get(name) ?? 0) + 1))).toBe(false);
      }),
    );
  });
});
