import { describe, expect, it } from 'vitest';
import { activate, bookOf, claimOf, delta, figures, podOf, reserve } from '../../test/sample-book.ts';
import { a100, claims, Gi, gpus, node, one, plugin, t4 } from '../../test/sample-facts.ts';
import { parseCommitLevel } from '../placement/commit-level.ts';
import { place } from '../placement/place.ts';
import { availability } from './availability.ts';
import { amountsOf, leasesOf, totalsOf } from './reservation-totals.ts';

const cordoned = [{ code: 'Cordoned', message: 'it is cordoned' }];
const amount = (
  allocatable: number,
  allocated: number,
  pending: number,
  active: number,
  available: number,
  overcommitted = 0,
  headroom = 0,
) => ({
  ...{ allocatable, allocated, pending, active, available, overcommitted, headroom },
});

describe('availability', () => {
  it('tells apart what pods have, what is held for pending and for active reservations, and what is left, without headroom', () => {
    const book = bookOf([node('a', { cpuMillis: 4000 })], [], { headroom: { cpuMillis: 500 } });
    reserve(book, 'order-1');
    const active = activate(book, reserve(book, 'order-2', one({ cpuMillis: 600, count: 2 })));
    expect(availability(book).cpu).toEqual(amount(3500, 0, 1000, 1200, 1300, 0, 500));
    const ran = figures(node('a', { cpuMillis: 3400 }));
    const full = figures(node('a', { cpuMillis: 4000 }));
    book.takeInventory(
      delta({ nodes: [{ ...full, facts: ran.facts, allocated: { ...full.allocated, cpuMillis: 600 } }], pods: [podOf(active)] }),
    );
    expect(availability(book).cpu).toEqual(amount(3500, 600, 1000, 600, 1300, 0, 500));
  });

  it('counts only nodes that take new work, and what is promised on others as promised beyond what there is', () => {
    const book = bookOf([node('a', { cpuMillis: 2000 }), node('b', { cpuMillis: 3000 })]);
    reserve(book, 'order-1', one({ cpuMillis: 2000 }));
    book.takeInventory(delta({ nodes: [figures(node('a', { cpuMillis: 2000, heldBack: cordoned }))] }));
    expect(availability(book).cpu).toEqual(amount(3000, 0, 2000, 0, 3000, 2000));
    book.takeInventory(delta({ nodes: [figures(node('a', { cpuMillis: 1500 }))] }));
    expect(availability(book).cpu).toEqual(amount(4500, 0, 2000, 0, 3000, 500));
    book.takeInventory(delta({ removedNodes: ['a'] }));
    expect(availability(book).cpu).toEqual(amount(3000, 0, 2000, 0, 3000, 2000));
  });

  it('keeps pods from a node that is held back, but not from one that only nobody could read, nor by what was said before the inventory fell silent', () => {
    const reason = (code: string) => ({ heldBack: [{ code, message: 'it says why' }] });
    const book = bookOf([
      node('a'),
      node('b', reason('HealthSignal')),
      node('c', reason('NodeLeftOut')),
      node('d', reason('FiguresUnreadable')),
    ]);
    const held = () => ['a', 'b', 'c', 'd', 'untold'].filter((name) => book.nodeTerms.isHeldBack(name));
    expect(held()).toEqual(['b']);
    book.setKnowledge({ protocol: 'deltas', problem: { code: 'InventoryStale', message: 'nothing was heard of it' } });
    expect(held()).toEqual([]);
  });

  it('counts cards by group, whoever assigns them', () => {
    const book = bookOf([node('a', { cards: claims([a100, 4, 4], [t4, 2, 2]) }), node('b', { cards: plugin(3, 3, t4) }), node('c')]);
    reserve(book, 'order-1', one({ gpus: gpus(2, 'a100') }));
    activate(book, reserve(book, 'order-2', one({ gpus: gpus(3, 't4') })));
    expect(availability(book).cards).toEqual([
      { group: t4, amount: amount(5, 0, 0, 3, 2) },
      { group: a100, amount: amount(4, 0, 2, 0, 2) },
    ]);
    // Nobody describes them any more but by what was promised.
    book.takeInventory(delta({ removedNodes: ['a'] }));
    expect(availability(book).cards[1]).toEqual({ group: a100, amount: amount(0, 0, 2, 0, 0, 2) });
  });

  it('sells as many cards as placement does where some of each node are headroom', () => {
    const cards = [node('a', { cards: claims([a100, 4, 4], [t4, 1, 1]) }), node('b', { cards: plugin(5, 5, a100) })];
    const book = bookOf(cards, [], { headroom: { cards: 2 } });
    const sold = (): unknown =>
      availability(book).cards.map(({ group, amount: { available, headroom } }) => [group.model, available, headroom]);
    expect(sold()).toEqual([
      ['a100', 5, 4],
      ['t4', 0, 1],
    ]);
    expect(place(book.stock, one({ gpus: gpus(1, 't4') }))).toMatchObject({ kind: 'refusal' });
    expect(place(book.stock, one({ gpus: gpus(4, '*') }))).toMatchObject({ kind: 'refusal' });
    reserve(book, 'order-1', one({ gpus: gpus(2, 'a100') }));
    expect(sold()).toContainEqual(['a100', 3, 4]);
    // Of cards that only the plugin tells apart it is taken off once.
    const mixed = figures(node('c', { cards: plugin(3, 3, a100, t4) }));
    const counted = new Map([...mixed.allocatable.cards.keys()].map((group) => [group, group.includes('a100') ? 2 : 1]));
    book.takeInventory(delta({ nodes: [{ ...mixed, allocatable: { ...mixed.allocatable, cards: counted } }] }));
    expect(sold()).toEqual([
      ['a100', 3, 6],
      ['t4', 1, 1],
    ]);
  });

  it('counts storage by class, the commit level applied, and says nothing of what is not known', () => {
    const book = bookOf([node('a', { storageClasses: ['disk', 'local'] })], [], {
      storageLevel: parseCommitLevel('1.5', 'storage-commit-level'),
    });
    const local = { name: 'local', freeBytes: new Map([['a', 6 * Gi]]) };
    book.takeInventory(
      delta({
        classes: [
          {
            facts: { name: 'disk', performance: 'beta1', freeBytes: 13 * Gi, replicas: 3 },
            allocatableBytes: 10 * Gi,
            allocatedBytes: 2 * Gi,
          },
          { facts: local, allocatableBytes: 4 * Gi, allocatedBytes: 0 },
          { facts: { name: 'nfs', refusal: { code: 'Ill', message: 'is ill' } } },
        ],
      }),
    );
    const volume = (name: string) => [{ kind: 'persistent', name: 'data', class: name, bytes: Gi } as const];
    reserve(book, 'order-1', one({ volumes: volume('disk') }));
    activate(book, reserve(book, 'order-2', one({ volumes: volume('local') })));
    expect(availability(book).storage).toEqual([
      { storageClass: 'disk', performance: 'beta1', refusal: undefined, amount: amount(15 * Gi, 2 * Gi, Gi, 0, 12 * Gi) },
      { storageClass: 'local', performance: undefined, refusal: undefined, amount: amount(6 * Gi, 0, 0, Gi, 5 * Gi) },
      { storageClass: 'nfs', performance: undefined, refusal: { code: 'Ill', message: 'is ill' }, amount: undefined },
    ]);
  });

  it('counts the pools of ports and addresses, and says nothing of addresses without an answer', () => {
    const book = bookOf([node('a')], [], { nodePorts: 10, headroom: { ports: 2 } });
    book.setIpPool({ total: 5, free: 4, byNamespace: new Map(), observedAt: 1 });
    reserve(book, 'order-1', one({ randomPorts: 3, leasedIps: ['front'] }));
    book.setNodePorts({ byNamespace: new Map([['x', 1]]), others: 1 });
    expect(availability(book)).toMatchObject({ ports: amount(8, 2, 3, 0, 3, 0, 2), ips: amount(5, 1, 1, 0, 3) });
    book.setNodePorts({ byNamespace: new Map(), others: 6 });
    book.setIpPool(undefined);
    expect(availability(book)).toMatchObject({ ports: amount(8, 6, 3, 0, 0, 1, 2), ips: undefined });
  });
});

describe('what a reservation has', () => {
  const volumes = [{ kind: 'persistent', name: 'data', class: 'disk', bytes: 2 * Gi }] as const;
  const empty = { cpuMillis: 0, memoryBytes: 0, ephemeralBytes: 0, cards: new Map(), storage: new Map(), ports: 0, ips: 0 };

  it('is what its pods and claims have, beside what is held for the others, by unit', () => {
    const book = bookOf([node('a', { storageClasses: ['disk'], cards: plugin(4, 4, t4) })], [{ name: 'disk', freeBytes: 10 * Gi }]);
    const active = activate(book, reserve(book, 'order-1', one({ count: 2, gpus: gpus(1, 't4'), volumes, randomPorts: 1 })));
    book.takeInventory(
      delta({ pods: [podOf(active), podOf(active, { uid: 'pod-2', cpuMillis: 100 })], volumes: [claimOf('order-1', { bytes: 2 * Gi })] }),
    );
    const entry = book.entry('order-1');
    const cards = (count: number) => new Map([['nvidia.com/gpu', count]]);
    const disk = new Map([['disk', 2 * Gi]]);
    expect(entry && amountsOf(entry)).toEqual({
      promised: { ...empty, cpuMillis: 2000, memoryBytes: 2 * Gi, cards: cards(2), storage: new Map([['disk', 4 * Gi]]), ports: 1 },
      allocated: { ...empty, cpuMillis: 1100, memoryBytes: 2 * Gi, cards: cards(2), storage: disk },
      held: { ...empty, cpuMillis: 1000, memoryBytes: Gi, cards: cards(1), storage: disk, ports: 1 },
      unitPods: [{ unit: 1, replicas: 2, pods: 1 }],
    });
    expect(leasesOf(book).map(({ reservation, use }) => [reservation.name, use.pods.length])).toEqual([['order-1', 2]]);
  });

  it('adds up by phase', () => {
    const book = bookOf([node('a')]);
    reserve(book, 'order-1');
    reserve(book, 'order-2', one({ cpuMillis: 500 }));
    activate(book, reserve(book, 'order-3'));
    expect(totalsOf(book, 'pending')).toMatchObject({
      count: 2,
      promised: { cpuMillis: 1500 },
      held: { cpuMillis: 1500 },
      allocated: empty,
    });
    expect(totalsOf(book, 'active')).toMatchObject({ count: 1, promised: { cpuMillis: 1000 } });
  });
});
