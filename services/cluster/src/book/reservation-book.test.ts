import { describe, expect, it } from 'vitest';
import { activate, bookOf, claimOf, delta, figures, podOf, reserve } from '../../test/sample-book.ts';
import { Gi, node, one } from '../../test/sample-facts.ts';
import { conditionsOf } from './conditions.ts';
import type { ReservationBook } from './reservation-book.ts';

const cpu = (book: ReservationBook, name = 'a'): number | undefined => book.stock.node(name)?.room.cpu;
const used = (cpuMillis: number) => figures(node('a', { cpuMillis: 16_000 - cpuMillis }));

describe('a book', () => {
  it('counts a pod once, from the generation in which its node counts it to the one in which it no longer does', () => {
    const book = bookOf([node('a')]);
    const active = activate(book, reserve(book, 'order-1'));
    expect(cpu(book)).toBe(15_000);
    book.takeInventory(delta({ nodes: [used(1000)], pods: [podOf(active)] }));
    expect(cpu(book)).toBe(15_000);
    expect(book.podsOf('order-1').map(({ uid }) => uid)).toEqual(['pod-1']);
    book.takeInventory(delta({ nodes: [used(0)], removedPods: ['pod-1'] }));
    expect(cpu(book)).toBe(15_000);
    expect(book.podsOf('order-1')).toEqual([]);
    book.removeReservation('order-1');
    expect(cpu(book)).toBe(16_000);
  });

  it('counts the slot of a pod once: where it runs, or else where it is planned', () => {
    const slots = (book: ReservationBook): number | undefined => book.stock.node('a')?.room.pods;
    const withPods = (pods: number) => figures(node('a', { podSlots: 10 - pods }));
    const book = bookOf([node('a', { podSlots: 10 })]);
    const active = activate(book, reserve(book, 'order-1', one({ count: 2 })));
    expect(slots(book)).toBe(8);
    book.takeInventory(delta({ nodes: [withPods(1)], pods: [podOf(active)] }));
    expect(slots(book)).toBe(8);
    // One that is of no lease.
    book.takeInventory(delta({ nodes: [withPods(2)] }));
    expect(slots(book)).toBe(7);
    book.takeInventory(delta({ nodes: [withPods(1)], removedPods: ['pod-1'] }));
    expect(slots(book)).toBe(7);
  });

  it('is short of pod slots where others took those that were promised', () => {
    const book = bookOf([node('a', { podSlots: 10 })]);
    reserve(book, 'order-1', one({ count: 4 }));
    book.takeInventory(delta({ nodes: [figures(node('a', { podSlots: 3 }))] }));
    expect(conditionsOf(book, 'order-1')[0]?.message).toMatch(/node a is short by 1 pod slot\./);
  });

  it('counts beside a reservation what runs in another namespace of the same name, or in one that nobody knows', () => {
    const book = bookOf([node('a')]);
    const active = activate(book, reserve(book, 'order-1'));
    book.takeInventory(delta({ nodes: [used(1000)], pods: [podOf(active, { namespaceUid: 'order-1-0' })] }));
    expect(cpu(book)).toBe(14_000);
    book.takeInventory(delta({ pods: [podOf(active, { namespaceUid: undefined })] }));
    expect(cpu(book)).toBe(14_000);
    book.takeInventory(delta({ pods: [podOf(active)] }));
    expect(cpu(book)).toBe(15_000);
  });

  it('takes pods that were there before the reservation knew their namespace', () => {
    const book = bookOf([node('a')]);
    const pending = reserve(book, 'order-1');
    book.takeInventory(delta({ nodes: [used(1000)], pods: [podOf(pending)] }));
    expect(cpu(book)).toBe(14_000);
    activate(book, pending);
    expect(cpu(book)).toBe(15_000);
  });

  it('counts what is in a namespace for one reservation if two record it', () => {
    const book = bookOf([node('a')]);
    const first = activate(book, reserve(book, 'order-1'));
    book.takeInventory(delta({ nodes: [used(1000)], pods: [podOf(first)] }));
    const second = reserve(book, 'order-0', one(), { phase: 'active', leaseNamespace: first.leaseNamespace });
    expect(book.podsOf('order-1')).toEqual([]);
    expect(book.podsOf('order-0')).toHaveLength(1);
    expect(cpu(book)).toBe(14_000);
    book.setReservation({ ...second, leaseNamespace: undefined });
    expect(book.podsOf('order-1')).toHaveLength(1);
    book.removeReservation('order-1');
    expect(cpu(book)).toBe(14_000);
  });

  it('takes claims, ports and addresses of the namespace off what is held', () => {
    const book = bookOf([node('a', { storageClasses: ['disk'] })], [{ name: 'disk', freeBytes: 10 * Gi }], { nodePorts: 10 });
    const pool = { total: 4, free: 4, byNamespace: new Map<string, number>(), observedAt: 1 };
    book.setIpPool(pool);
    const volumes = [{ kind: 'persistent', name: 'data', class: 'disk', bytes: 3 * Gi }] as const;
    activate(book, reserve(book, 'order-1', one({ volumes, randomPorts: 2, leasedIps: ['front'] })));
    const free = (): unknown => {
      const facts = book.stock.storage.get('disk');
      return [facts && book.stock.storage.room(facts), book.stock.freePorts, book.stock.freeIps];
    };
    expect(free()).toEqual([7 * Gi, 8, 3]);
    book.takeInventory(
      delta({ classes: [{ facts: { name: 'disk', freeBytes: 7 * Gi } }], volumes: [claimOf('order-1', { bytes: 3 * Gi })] }),
    );
    book.setNodePorts({ byNamespace: new Map([['order-1-1', 2]]), others: 0 });
    book.setIpPool({ ...pool, free: 3, byNamespace: new Map([['order-1-1', 1]]) });
    expect(free()).toEqual([7 * Gi, 8, 3]);
    book.setNodePorts({ byNamespace: new Map([['order-1-0', 2]]), others: 1 });
    expect(free()).toEqual([7 * Gi, 5, 3]);
  });

  it('forgets with a whole inventory what is not in it', () => {
    const book = bookOf([node('a'), node('b')], [{ name: 'disk', freeBytes: Gi }]);
    const active = activate(book, reserve(book, 'order-1'));
    book.takeInventory(delta({ nodes: [used(1000)], pods: [podOf(active, { node: 'a' })] }));
    book.takeInventory(delta({ kind: 'whole', nodes: [used(0)] }));
    expect([...book.stock.nodes].filter(({ facts }) => facts !== undefined).map(({ name }) => name)).toEqual(['a']);
    expect(book.stock.storage.get('disk')).toBeUndefined();
    expect(book.podsOf('order-1')).toEqual([]);
  });

  it('takes a generation whole or not at all', () => {
    const book = bookOf([node('a')]);
    const broken = delta({ nodes: [used(1000), figures(node('b', { memoryBytes: 0.5 }))] });
    expect(() => book.takeInventory(broken)).toThrow('node b has the amounts 16000, 0.5');
    expect(cpu(book)).toBe(16_000);
  });

  it('holds for a node that is not there yet, and has reservations by name', () => {
    const book = bookOf([node('a')]);
    const later = reserve(book, 'order-2');
    reserve(book, 'order-1');
    const restarted = bookOf([]);
    restarted.setReservation(later);
    restarted.takeInventory(delta({ nodes: [used(0)] }));
    expect(cpu(restarted)).toBe(15_000);
    expect(book.reservations().map(({ name }) => name)).toEqual(['order-1', 'order-2']);
  });
});
