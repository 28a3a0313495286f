import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storageCases, storageSeries } from '../../test/arbitraries.ts';
import { activate, bookOf, reserve } from '../../test/sample-book.ts';
import { Gi, gpus, node, one, plugin, t4 } from '../../test/sample-facts.ts';
import { place } from '../placement/place.ts';
import type { Plan } from '../placement/plan.ts';
import { copiesOnNode } from '../placement/storage-classes.ts';
import { decideBy } from './decide.ts';
import type { Decision } from './decision.ts';
import { defaultPendingLimits } from './pending-limits.ts';
import { PendingTally } from './pending-tally.ts';
import type { ReservationBook } from './reservation-book.ts';

const messages = (decision: Decision): readonly string[] =>
  decision.kind === 'plan' ? [] : decision.reasons.map(({ code, message }) => `${code}: ${message}`);

const ask = (book: ReservationBook, changed: Parameters<typeof one>[0], owner?: string, limits = {}): Decision =>
  decideBy(book, { limits: { ...defaultPendingLimits, ...limits } })(one(changed), owner);

const four = (): ReservationBook => bookOf(['a', 'b', 'c', 'd'].map((name) => node(name, { cpuMillis: 4000 })));

describe('limits on what may be pending', () => {
  it('refuse an owner with too many reservations, and name the setting; others are not concerned', () => {
    const book = bookOf([node('a')]);
    reserve(book, 'order-1');
    reserve(book, 'order-2');
    expect(messages(ask(book, {}, 'alice', { perOwner: 2 }))).toEqual([
      'TooManyPending: alice has 2 pending reservations; cluster-pending-per-owner allows 2: give some back, or wait until they expire',
    ]);
    expect(ask(book, {}, 'bob', { perOwner: 2 }).kind).toBe('plan');
    expect(ask(book, {}, undefined, { perOwner: 2 }).kind).toBe('plan');
  });

  it('refuse everybody once too many are pending, whoever has them', () => {
    const book = bookOf([node('a')]);
    reserve(book, 'order-1', one(), { owner: 'bob' });
    const active = reserve(book, 'order-2', one(), { owner: 'carol' });
    expect(messages(ask(book, {}, 'alice', { most: 2 }))).toEqual([
      'TooManyPending: 2 reservations are pending; cluster-pending-max allows 2: wait until some become active or expire',
    ]);
    expect(ask(book, {}, undefined, { most: 2 })).toMatchObject({ kind: 'refused', why: 'limit' });
    activate(book, active);
    expect(ask(book, {}, 'alice', { most: 2 }).kind).toBe('plan');
  });

  it('refuse an owner more than a share of each resource', () => {
    const book = four();
    reserve(book, 'order-1', one({ count: 2, cpuMillis: 4000 }));
    expect(messages(ask(book, {}, 'alice'))).toEqual([
      'TooMuchPending: alice would have 9 cores pending; cluster-pending-owner-share allows 8 cores of the 16 cores in all',
    ]);
    expect(ask(book, {}, 'bob').kind).toBe('plan');
  });

  it('refuse an owner more than a share of the pod slots, where every node says how many it has', () => {
    const nodes = ['a', 'b', 'c', 'd'].map((name) => node(name, { podSlots: 10 }));
    const tiny = { count: 21, cpuMillis: 10, memoryBytes: 2 ** 20 };
    expect(messages(ask(bookOf(nodes), tiny, 'alice'))).toEqual([
      'TooMuchPending: alice would have 21 pod slots pending; cluster-pending-owner-share allows 20 of the 40 in all',
    ]);
    expect(ask(bookOf(nodes), { ...tiny, count: 20 }, 'alice').kind).toBe('plan');
    expect(ask(bookOf([...nodes, node('e')]), tiny, 'alice').kind).toBe('plan');
  });

  it('bound whoever is not named like an owner who has nothing pending', () => {
    const book = four();
    reserve(book, 'order-1');
    expect(ask(book, { count: 2, cpuMillis: 4000 }).kind).toBe('plan');
    expect(messages(ask(book, { count: 3, cpuMillis: 4000 }))).toEqual([
      'TooMuchPending: an owner would have 12 cores pending; cluster-pending-owner-share allows 8 cores of the 16 cores in all',
    ]);
    expect(messages(ask(book, {}, undefined, { perOwner: 0 }))).toEqual([
      'TooManyPending: an owner has 0 pending reservations; cluster-pending-per-owner allows 0: give some back, or wait until they expire',
    ]);
  });

  it('refuse all owners together more than a share, with or without an owner', () => {
    const book = four();
    reserve(book, 'order-1', one({ count: 3, cpuMillis: 4000 }));
    const reason =
      'TooMuchPending: all owners together would have 15 cores pending; cluster-pending-share allows 14.4 cores of the 16 cores in all';
    expect(messages(ask(book, { cpuMillis: 3000 }, 'bob'))).toEqual([reason]);
    expect(messages(ask(book, { cpuMillis: 3000 }))).toEqual([reason]);
    expect(ask(book, { cpuMillis: 2000 }).kind).toBe('plan');
  });

  it('count cards by group, and bytes by storage class, and ports and addresses', () => {
    const cards = ['a', 'b', 'c'].map((name) => node(name, { cards: plugin(2, 2, t4), storageClasses: ['disk'] }));
    const book = bookOf(cards, [{ name: 'disk', freeBytes: 10 * Gi }], { nodePorts: 4 });
    book.setIpPool({ total: 2, free: 2, byNamespace: new Map(), observedAt: 1 });
    const codes = (changed: Parameters<typeof one>[0]): string =>
      messages(ask(book, changed, 'alice'))
        .map((each) => /would have (.+) pending/.exec(each)?.[1])
        .join();
    expect(codes({ gpus: gpus(2, 't4') })).toBe('');
    expect(codes({ gpus: gpus(2, 't4'), count: 2 })).toBe('4 GPUs (nvidia t4 pcie 16gi)');
    expect(codes({ volumes: [{ kind: 'persistent', name: 'data', class: 'disk', bytes: 5 * Gi }] })).toBe('');
    expect(codes({ volumes: [{ kind: 'persistent', name: 'data', class: 'disk', bytes: 6 * Gi }] })).toBe('6 GiB of storage class disk');
    expect(codes({ randomPorts: 2 })).toBe('');
    expect(codes({ randomPorts: 3 })).toBe('3 external ports');
    expect(codes({ leasedIps: ['front'] })).toBe('');
    expect(codes({ leasedIps: ['front', 'back'] })).toBe('2 leased addresses');
  });

  it('let a cluster of one machine sell it, and one address that is all there is', () => {
    const book = bookOf([node('a')]);
    book.setIpPool({ total: 1, free: 1, byNamespace: new Map(), observedAt: 1 });
    expect(ask(book, { cpuMillis: 16_000, memoryBytes: 64 * Gi, leasedIps: ['front'] }, 'alice').kind).toBe('plan');
  });

  it('let one buyer have the whole cluster, as what becomes a lease is no longer pending', () => {
    const book = four();
    for (const name of ['order-1', 'order-2']) {
      const decision = ask(book, { count: 2, cpuMillis: 4000 }, 'alice');
      if (decision.kind !== 'plan') throw new Error(messages(decision).join());
      activate(book, reserve(book, name, one({ count: 2, cpuMillis: 4000 }), { plan: decision.plan }));
    }
    expect([...book.stock.nodes].map(({ room }) => room.cpu)).toEqual([0, 0, 0, 0]);
    expect(book.pending.countOf('alice')).toBe(0);
  });

  it('count again when a reservation is given back', () => {
    const book = four();
    reserve(book, 'order-1', one({ count: 2, cpuMillis: 4000 }));
    expect(ask(book, {}, 'alice').kind).toBe('refused');
    book.removeReservation('order-1');
    expect(ask(book, {}, 'alice').kind).toBe('plan');
  });

  it('leave others ephemeral storage beside several volumes that may come to lie on any node', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const replicated = { name: 'replicated', performance: 'beta2', freeBytes: 250 * Gi, replicas: 2, ephemeralNodes: new Set(names) };
    const book = bookOf(
      names.map((name) => node(name, { storageClasses: ['replicated'] })),
      [replicated],
    );
    const data = (gib: number) => ({ volumes: [{ kind: 'persistent', name: 'data', class: 'beta2', bytes: gib * Gi }] as const });
    const soft = bookOf([node('a', { storageClasses: ['replicated'] })], [{ ...replicated, replicasPerNode: 2 }]);
    reserve(soft, 'order-1', one(data(10)));
    expect(messages(ask(soft, data(16), 'alice'))).toEqual([
      'TooMuchPending: alice would have 26 GiB of storage class replicated pending; cluster-pending-owner-share allows 25 GiB of the 50 GiB of ephemeral storage that its nodes have on average for each of the 2 copies that one may keep: wait until some become active or expire',
    ]);
    // Nothing else is pending: it would be refused for good.
    expect(ask(book, data(95), 'alice').kind).toBe('plan');
    reserve(book, 'order-1', one(data(10)));
    const average = 'of the 100 GiB of ephemeral storage that its nodes have on average: wait until some become active or expire';
    expect(messages(ask(book, data(41), 'alice'))).toEqual([
      `TooMuchPending: alice would have 51 GiB of storage class replicated pending; cluster-pending-owner-share allows 50 GiB ${average}`,
    ]);
    expect(messages(ask(book, data(81), 'bob'))).toEqual([
      `TooMuchPending: all owners together would have 91 GiB of storage class replicated pending; cluster-pending-share allows 90 GiB ${average}`,
    ]);
    // It is more than the share by itself, and would wait for as long as anything small is pending.
    expect([51, 80].map((gib) => ask(book, data(gib), 'alice').kind)).toEqual(['plan', 'plan']);
    expect(messages(ask(book, data(85), 'bob'))).toHaveLength(1);
    const small = bookOf(
      names.map((name) => node(name, { storageClasses: ['replicated'] })),
      [replicated],
    );
    reserve(small, 'order-1', one(data(5)));
    expect(ask(small, data(91), 'alice').kind).toBe('plan');
    reserve(small, 'order-2', one(data(91)));
    // One of these at a time.
    expect(messages(ask(small, data(1), 'bob'))).toHaveLength(1);
    reserve(book, 'order-2', one(data(80)), { owner: 'bob' });
    expect(ask(book, { count: 5, volumes: [{ kind: 'ephemeral', name: 'tmp', bytes: 10 * Gi }] }, 'carol').kind).toBe('plan');
  });

  it('refuse nothing that there is room for when nothing else is pending, if all may be pending', () => {
    fc.assert(
      fc.property(storageCases, ([world, request]) => {
        const book = bookOf(world.nodes, world.classes);
        const decision = decideBy(book, { limits: { ...defaultPendingLimits, ownerShare: 1, share: 1 } })(request, 'alice');
        expect(decision.kind).toBe(place(book.stock, request).kind === 'plan' ? 'plan' : 'refused');
      }),
      { numRuns: 1000 },
    );
  });

  it('leave no more to pending volumes than a share of ephemeral storage, and one order that is more by itself', () => {
    fc.assert(
      fc.property(storageSeries, fc.array(fc.nat(1), { minLength: 6, maxLength: 6 }), ([world, list], owners) => {
        const book = bookOf(world.nodes, world.classes);
        const pending = new Map<string, Plan[]>(); // owner -> plans
        for (const [at, request] of list.entries()) {
          const owner = `owner-${owners[at]}`;
          const decision = decideBy(book)(request, owner);
          if (decision.kind !== 'plan') continue;
          reserve(book, `order-${at}`, request, { owner, plan: decision.plan });
          pending.set(owner, [...(pending.get(owner) ?? []), decision.plan]);
          pending.set('all', [...(pending.get('all') ?? []), decision.plan]);
        }
        for (const facts of world.classes) {
          const { name, freeBytes, ephemeralNodes } = facts;
          if (typeof freeBytes !== 'number' || ephemeralNodes === undefined || ephemeralNodes.size === 0) continue;
          const on = world.nodes.filter((each) => ephemeralNodes.has(each.name)).map(({ ephemeralBytes }) => ephemeralBytes);
          const average = on.reduce((sum, bytes) => sum + bytes, 0) / on.length / copiesOnNode(facts);
          for (const [owner, plans] of pending) {
            const amounts = plans.map(
              (plan) => new PendingTally().promisedBy(plan).find(({ resource }) => resource === `storage/${name}`)?.amount ?? 0,
            );
            const share = Math.max(Math.ceil(average * (owner === 'all' ? 0.9 : 0.5)), 1);
            const [largest = 0, ...rest] = amounts.toSorted((a, b) => b - a);
            expect(rest.reduce((sum, bytes) => sum + bytes, largest > share ? 0 : largest)).toBeLessThanOrEqual(share);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
});
