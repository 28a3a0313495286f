import { describe, expect, it } from 'vitest';
import { codesOf, nodesOf, reserve } from '../../test/placings.ts';
import { a100, claims, Gi, gpus, node, one, plugin, stock, t4, unit } from '../../test/sample-facts.ts';
import { place } from './place.ts';
import type { Request } from './request.ts';
import { Stock } from './stock.ts';
import type { NodeFacts } from './stock-facts.ts';

describe('cards', () => {
  it('are sold where the device plugin picks only while every free card there is wanted', () => {
    const mixed = stock([node('a', { cards: plugin(2, 4, a100, t4) })]);
    expect(codesOf(place(mixed, one({ gpus: gpus(1, 'a100') })))).toEqual(['NoRoom']);
    expect(nodesOf(place(mixed, one({ gpus: gpus(1, 'a100', 't4') })))).toEqual(['a']);
    expect(nodesOf(place(mixed, one({ gpus: gpus(1, '*') })))).toEqual(['a']);
  });

  it('of one replica are of one group: two that the plugin could mix are not sold together', () => {
    const mixed = [node('a', { cards: plugin(2, 4, a100, t4) })];
    expect(codesOf(place(stock(mixed), one({ gpus: gpus(2, '*') })))).toEqual(['NoRoom']);
    expect(codesOf(place(stock([node('a', { cards: claims([a100, 1, 1], [t4, 1, 1]) })]), one({ gpus: gpus(2, '*') })))).toEqual([
      'NoRoom',
    ]);
    expect(nodesOf(place(stock(mixed), one({ count: 2, gpus: gpus(1, '*') })))).toEqual(['a', 'a']);
  });

  it('are told apart by claims, and the plan names the group', () => {
    const claimed = stock([node('a', { cards: claims([a100, 1, 4], [t4, 3, 4]) })]);
    const placing = place(claimed, one({ gpus: gpus(1, 'a100') }));
    expect(placing).toMatchObject({
      plan: { units: [{ replicas: [{ cards: { resource: 'gpu.nvidia.com', group: 'nvidia/a100/sxm4/80gi', count: 1 } }] }] },
    });
    expect(reserve(claimed, one({ gpus: gpus(1, 'a100') }), one({ gpus: gpus(1, 'a100') }))).toEqual(['a', 'refusal']);
  });

  it('are wanted by memory and by interface without its generation', () => {
    const pcie = { ...a100, interface: 'PCIe', memoryBytes: 40 * Gi };
    const both = stock([node('a', { cards: plugin(1, 1, a100) }), node('b', { cards: plugin(1, 1, pcie) })]);
    const want = { vendor: 'nvidia', model: 'a100' };
    expect(nodesOf(place(both, one({ gpus: { count: 1, wants: [{ ...want, memoryBytes: 80 * Gi }] } })))).toEqual(['a']);
    expect(nodesOf(place(both, one({ gpus: { count: 1, wants: [{ ...want, interface: 'pcie' }] } })))).toEqual(['b']);
    expect(nodesOf(place(both, one({ gpus: { count: 1, wants: [{ ...want, interface: 'sxm' }] } })))).toEqual(['a']);
    expect(codesOf(place(both, one({ gpus: { count: 1, wants: [{ ...want, memoryBytes: 80 * Gi, interface: 'pcie' }] } })))).toEqual([
      'NoRoom',
    ]);
  });

  it('of another model are taken when those found first are on a node without memory', () => {
    const small = node('a', { cards: plugin(1, 1, t4), memoryBytes: Gi });
    const large = node('b', { cards: plugin(1, 1, a100) });
    expect(nodesOf(place(stock([small, large]), one({ memoryBytes: 16 * Gi, gpus: gpus(1, '*') })))).toEqual(['b']);
  });
});

describe('cards of the replicas of a unit', () => {
  const byPlugin = (name: string, free = 1) => node(name, { cards: plugin(free, 8, a100) });
  const byClaim = (name: string, free = 1) => node(name, { cards: claims([a100, free, 8]) });
  const replicas = (count: number) => one({ count, gpus: gpus(1, 'a100') });
  const sorted = (nodes: readonly NodeFacts[], request: Request) => nodesOf(place(stock(nodes), request)).toSorted();

  it('are of one resource, since all their pods have one template: too few of each are a refusal that says so', () => {
    expect(place(stock([byPlugin('n1'), byClaim('n2')]), replicas(2))).toEqual({
      kind: 'refusal',
      reasons: [
        {
          code: 'NoRoom',
          message:
            'there is room for 1 with GPUs of gpu.nvidia.com and 1 with GPUs of nvidia.com/gpu, but all 2 replicas must have GPUs of one resource',
        },
      ],
    });
  });

  it('are of the one that has enough, whichever that is and wherever the best place is', () => {
    expect(sorted([byPlugin('n1'), byClaim('n2'), byPlugin('n3')], replicas(2))).toEqual(['n1', 'n3']);
    expect(sorted([byPlugin('n1'), byClaim('n2'), byClaim('n3')], replicas(2))).toEqual(['n2', 'n3']);
    // Where they would be apart, they would be mixed.
    expect(sorted([byPlugin('n1', 1), byClaim('n2', 2)], replicas(2))).toEqual(['n2', 'n2']);
    expect(sorted([byPlugin('n1', 2), byClaim('n2', 1)], replicas(2))).toEqual(['n1', 'n1']);
  });

  it('are of one resource on a node that has both, too', () => {
    const both = (free: number) => node('n1', { cards: [...plugin(1, 8, a100), ...claims([a100, free, 8])] });
    expect(codesOf(place(stock([both(1)]), replicas(2)))).toEqual(['NoRoom']);
    expect(place(stock([both(2)]), replicas(2))).toMatchObject({
      plan: { units: [{ replicas: [{ cards: { resource: 'gpu.nvidia.com' } }, { cards: { resource: 'gpu.nvidia.com' } }] }] },
    });
  });

  it('may be of another resource than those of another unit, be it alike', () => {
    const units = [unit({ id: 1, count: 2, gpus: gpus(1, 'a100') }), unit({ id: 2, count: 2, gpus: gpus(1, 'a100') })];
    const placing = place(stock([byPlugin('n1', 2), byClaim('n2', 2)]), { units });
    expect(nodesOf(placing).toSorted()).toEqual(['n1', 'n1', 'n2', 'n2']);
    expect(new Set(nodesOf(placing).slice(0, 2)).size).toBe(1);
    // A single replica takes what is left of the others.
    const three = [...units, unit({ id: 3, gpus: gpus(1, 'a100') })];
    expect(nodesOf(place(stock([byPlugin('n1', 3), byClaim('n2', 2)]), { units: three })).at(-1)).toBe('n1');
    expect(place(stock([byPlugin('n1', 3), byClaim('n2', 1)]), { units })).toMatchObject({
      kind: 'refusal',
      reasons: [{ code: 'NoRoomTogether', message: expect.stringContaining('GPUs of one resource') }],
    });
  });

  it('are a refusal within the usual steps also of many units that are alike', () => {
    const units = Array.from({ length: 20 }, (_, id) => unit({ id, count: 2, cpuMillis: 10, gpus: gpus(1, 'a100') }));
    expect(place(stock([byPlugin('n1', 21), byClaim('n2', 19)]), { units })).toMatchObject({ kind: 'refusal' });
    expect(place(stock([byPlugin('n1', 22), byClaim('n2', 18)]), { units })).toMatchObject({ kind: 'plan' });
  });

  it('are only of the resource that is asked for beside other replicas', () => {
    const request = one({ gpus: { ...gpus(1, 'a100'), resource: 'nvidia.com/gpu' } });
    expect(nodesOf(place(stock([byClaim('n1'), byPlugin('n2')]), request))).toEqual(['n2']);
    expect(place(stock([byClaim('n1')]), request)).toMatchObject({
      reasons: [{ message: 'no single node can hold one replica with GPUs of nvidia.com/gpu, as the others of the unit have' }],
    });
  });
});

describe('the strategy', () => {
  it('breaks into no whole node while another place exists, even one with more to spare', () => {
    const nodes = [node('whole', { cards: plugin(2, 2, a100) }), node('broken', { cards: plugin(5, 8, a100) })];
    const small = one({ gpus: gpus(1, 'a100') });
    expect(reserve(stock(nodes), small, small, small, small, small, small)).toEqual([
      'broken',
      'broken',
      'broken',
      'broken',
      'broken',
      'whole',
    ]);
    expect(nodesOf(place(stock(nodes), one({ gpus: gpus(2, 'a100') })))).toEqual(['whole']);
  });

  it('takes the place with the least cards to spare, and the lesser card', () => {
    const nodes = [
      node('three', { cards: plugin(3, 8, a100) }),
      node('two', { cards: plugin(2, 8, a100) }),
      node('lesser', { cards: plugin(2, 8, t4) }),
    ];
    expect(nodesOf(place(stock(nodes), one({ gpus: gpus(2, 'a100') })))).toEqual(['two']);
    expect(nodesOf(place(stock(nodes), one({ gpus: gpus(2, '*') })))).toEqual(['lesser']);
  });

  it('keeps work without cards off nodes with cards while others have room', () => {
    const nodes = [
      node('whole', { cards: plugin(8, 8, a100) }),
      node('broken', { cards: plugin(3, 8, a100) }),
      node('sold', { cards: plugin(0, 8, a100) }),
      node('plain'),
    ];
    const half = one({ cpuMillis: 16_000 });
    expect(reserve(stock(nodes), half, half, half, half, half)).toEqual(['plain', 'sold', 'broken', 'whole', 'refusal']);
  });

  it('keeps replicas apart by spread key, and by node where there is none, unless told otherwise', () => {
    const nodes = [node('a1', { spreadKey: 'a' }), node('a2', { spreadKey: 'a' }), node('b1', { spreadKey: 'b' })];
    const keys = nodesOf(place(stock(nodes), one({ count: 2 }))).map((name) => name.slice(0, 1));
    expect(keys.toSorted()).toEqual(['a', 'b']);
    const bare = [node('a'), node('b'), node('c')];
    expect(nodesOf(place(stock(bare), one({ count: 3 }))).toSorted()).toEqual(['a', 'b', 'c']);
    expect(new Set(nodesOf(place(stock(bare), one({ count: 3 }), { spread: 'anywhere' }))).size).toBe(1);
  });

  it('ties equal nodes by uid, whatever they are called', () => {
    expect(nodesOf(place(stock([node('a', { uid: '2' }), node('b', { uid: '1' })]), one()))).toEqual(['b']);
    expect(nodesOf(place(stock([node('b', { uid: '1' }), node('a', { uid: '2' })]), one()))).toEqual(['b']);
  });

  it('turns back where the first choice leaves no room for the rest', () => {
    // The unit with the most memory fits best on a, which is the only place for the other two.
    const nodes = [
      node('a', { cpuMillis: 4000, memoryBytes: 8 * Gi }),
      node('b', { cpuMillis: 5000, memoryBytes: 8 * Gi, storageClasses: [] }),
    ];
    const request = {
      units: [
        unit({ id: 1, cpuMillis: 1000, memoryBytes: 4 * Gi }),
        unit({ id: 2, cpuMillis: 4000, memoryBytes: 3 * Gi }),
        unit({ id: 3, cpuMillis: 4000, memoryBytes: Gi }),
      ],
    };
    expect(nodesOf(place(stock(nodes), request)).toSorted()).toEqual(['a', 'b', 'b']);
    expect(place(stock(nodes), request, { maxSteps: 3 })).toEqual({ kind: 'undecided', steps: 3 });
  });

  it('sees by counting that units which would fit alone lack room together', () => {
    // No two nodes are alike, and neither unit takes more of everything: a search would try every node for every replica.
    const nodes = Array.from({ length: 30 }, (_, at) => node(`n${at}`, { cpuMillis: 16_000 + at, cards: plugin(8, 8, a100) }));
    const large = (id: number, cpuMillis: number, memoryBytes: number, count: number) =>
      unit({ id, count, cpuMillis, memoryBytes, gpus: gpus(8, id === 1 ? 'a100' : '*') });
    const request = (count: number): Request => ({ units: [large(1, 1000, 2 * Gi, 15), large(2, 2000, Gi, count)] });
    expect(codesOf(place(stock(nodes), request(16)))).toEqual(['NoRoomTogether']);
    expect(place(stock(nodes), request(15)).kind).toBe('plan');
  });
});

describe('a search', () => {
  it('keeps replicas apart as well, unless told otherwise', () => {
    const nodes = [
      node('a', { cpuMillis: 4000, memoryBytes: 8 * Gi }),
      node('b', { cpuMillis: 5000, memoryBytes: 8 * Gi }),
      node('c', { cpuMillis: 500, memoryBytes: Gi }),
      node('d', { cpuMillis: 500, memoryBytes: Gi }),
    ];
    const request = {
      units: [
        unit({ id: 1, cpuMillis: 1000, memoryBytes: 4 * Gi }),
        unit({ id: 2, cpuMillis: 4000, memoryBytes: 3 * Gi }),
        unit({ id: 3, cpuMillis: 4000, memoryBytes: Gi }),
        unit({ id: 4, count: 2, cpuMillis: 100, memoryBytes: Gi / 4 }),
      ],
    };
    expect(
      nodesOf(place(stock(nodes), request))
        .slice(3)
        .toSorted(),
    ).toEqual(['c', 'd']);
    expect(new Set(nodesOf(place(stock(nodes), request, { spread: 'anywhere' })).slice(3)).size).toBe(1);
  });

  it('ends, whatever the number of classes to choose from', () => {
    const usable = node('a', { storageClasses: ['disk', 'flash'] });
    const classes = ['disk', 'flash'].map((name) => ({ name, performance: 'beta2', freeBytes: 100 * Gi }));
    const request = (cpuMillis: number): Request => ({
      units: Array.from({ length: 20 }, (_, id) =>
        unit({
          id,
          cpuMillis: cpuMillis + id,
          volumes: Array.from({ length: 16 }, (__, at) => ({ kind: 'persistent', name: `data-${at}`, class: 'beta2', bytes: Gi })),
        }),
      ),
    });
    expect(place(stock([usable], classes), request(10))).toMatchObject({ kind: 'undecided' });
    // No choice of classes makes a node larger.
    expect(codesOf(place(stock([usable], classes), request(16_001)))).toContain('NoRoom');
  });
});

describe('headroom', () => {
  it('of cards is left on each node, and what is left over is a whole node', () => {
    const kept = new Stock({ cards: 1 });
    kept.setNode(node('whole', { cards: plugin(4, 4, a100) }));
    kept.setNode(node('broken', { cards: plugin(3, 4, a100) }));
    expect(reserve(kept, one({ gpus: gpus(1, 'a100') }), one({ gpus: gpus(3, 'a100') }), one({ gpus: gpus(2, 'a100') }))).toEqual([
      'broken',
      'whole',
      'refusal',
    ]);
  });
});

describe('a node', () => {
  it('takes nothing while it is held back, or more is promised than it has', () => {
    expect(codesOf(place(stock([node('a', { heldBack: [{ code: 'Cordoned', message: 'is cordoned' }] })]), one()))).toEqual(['NoRoom']);
    expect(codesOf(place(stock([node('a', { memoryBytes: -1 })]), one()))).toEqual(['NoRoom']);
  });

  it('keeps what is held of it while it is away', () => {
    const away = stock([node('a')]);
    expect(reserve(away, one({ cpuMillis: 10_000 }))).toEqual(['a']);
    away.removeNode('a');
    expect(codesOf(place(away, one()))).toEqual(['NoRoom']);
    away.setNode(node('a'));
    expect(codesOf(place(away, one({ cpuMillis: 6001 })))).toEqual(['NoRoom']);
    expect(nodesOf(place(away, one({ cpuMillis: 6000 })))).toEqual(['a']);
  });

  it('gives RAM volumes of its memory, at their full size', () => {
    const request = one({ memoryBytes: 32 * Gi, volumes: [{ kind: 'ram', name: 'shm', bytes: 33 * Gi }] });
    expect(codesOf(place(stock([node('a')]), request))).toEqual(['NoRoom']);
  });
});

describe('endpoints', () => {
  it('take one port each, however many replicas there are', () => {
    const ports = stock([node('a')], [], { freePorts: 3 });
    expect(reserve(ports, one({ count: 4, randomPorts: 2 }), one({ randomPorts: 2 }), one({ randomPorts: 1 })).slice(4)).toEqual([
      'refusal',
      'a',
    ]);
    expect(codesOf(place(ports, one({ randomPorts: 1 })))).toEqual(['TooFewPorts']);
    expect(place(ports, one({ randomPorts: 1 }))).toMatchObject({ reasons: [{ message: '1 external port is asked for; 0 are free' }] });
  });

  it('share a leased address by name; without an answer only requests with addresses are refused', () => {
    const request = { units: [unit({ id: 1, leasedIps: ['front', 'back'] }), unit({ id: 2, leasedIps: ['front'] })] };
    expect(place(stock([node('a')], [], { freeIps: 2 }), request)).toMatchObject({ plan: { ips: 2 } });
    expect(codesOf(place(stock([node('a')], [], { freeIps: 1 }), request))).toEqual(['TooFewIps']);
    expect(codesOf(place(stock([node('a')]), request))).toEqual(['IpCapacityUnknown']);
    expect(nodesOf(place(stock([node('a')]), one()))).toEqual(['a']);
  });
});
