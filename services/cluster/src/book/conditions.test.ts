import { describe, expect, it } from 'vitest';
import { activate, bookOf, delta, figures, podOf, reserve } from '../../test/sample-book.ts';
import { a100, Gi, gpus, node, one, plugin, t4 } from '../../test/sample-facts.ts';
import type { NodeFacts } from '../placement/stock-facts.ts';
import { conditionsOf, isInNeed, needsNewPlan } from './conditions.ts';
import { ReservationBook } from './reservation-book.ts';

const types = (book: ReservationBook, name: string): string[] => conditionsOf(book, name).map(({ type }) => type);
const overCommitment = (book: ReservationBook, name: string) => conditionsOf(book, name).find(({ type }) => type === 'OverCommitted');
const cordoned = [{ code: 'Cordoned', message: 'it is cordoned' }];

describe('over-commitment', () => {
  it('names the places, what is missing there, who shares them and since when; and ends with it', () => {
    const book = bookOf([node('a', { cpuMillis: 2000 }), node('b')]);
    const first = reserve(book, 'order-1');
    activate(book, reserve(book, 'order-2'));
    reserve(book, 'order-3', one({ cpuMillis: 9000 }));
    expect(book.places.overCommitted).toEqual([]);
    // Somebody else's pod takes half of the node.
    book.takeInventory(delta({ observedAt: 50, nodes: [figures(node('a', { cpuMillis: 1000 }))] }));
    book.takeInventory(delta({ observedAt: 60, nodes: [figures(node('a', { cpuMillis: 500 }))] }));
    const shared = { type: 'OverCommitted', since: 50, places: ['node/a'] };
    expect(overCommitment(book, 'order-1')).toEqual({
      ...shared,
      reservations: ['order-2'],
      message:
        'more is promised than there is: node a is short by 1.5 cores. Free some of it, or give back one of the reservations that share it',
    });
    expect(overCommitment(book, 'order-2')).toMatchObject({ ...shared, reservations: ['order-1'] });
    expect(book.places.overCommitted).toEqual(['order-1', 'order-2']);
    expect(needsNewPlan(book)).toEqual(['order-1']);
    expect(['order-1', 'order-2', 'order-3'].map((name) => isInNeed(book, name))).toEqual([true, false, false]);
    expect(types(book, 'order-1')).toEqual(['OverCommitted', 'Replanning']);
    expect(types(book, 'order-2')).toEqual(['OverCommitted']);
    expect(book.stock.node('a')?.room.cpu).toBe(-1500);
    book.takeInventory(delta({ nodes: [figures(node('a', { cpuMillis: 2000 }))] }));
    expect(types(book, first.name)).toEqual([]);
    expect(needsNewPlan(book)).toEqual([]);
  });

  it('concerns only those who hold some of what is missing', () => {
    const book = bookOf([node('a', { cards: plugin(2, 2, t4) })]);
    reserve(book, 'order-1');
    reserve(book, 'order-2', one({ gpus: gpus(2, 't4') }));
    book.takeInventory(delta({ nodes: [figures(node('a', { cards: plugin(1, 2, t4) }))] }));
    expect(book.places.overCommitted).toEqual(['order-2']);
    book.takeInventory(delta({ nodes: [figures(node('a'))] }));
    expect(overCommitment(book, 'order-2')?.message).toContain('node a is short by 2 × nvidia.com/gpu');
  });

  it('is seen in storage classes, with all that draw on the same bytes, and in the pools of ports and addresses', () => {
    const classes = [
      { name: 'disk', freeBytes: 4 * Gi, sharesSpaceWith: ['flash'] },
      { name: 'flash', freeBytes: 4 * Gi },
    ];
    const book = bookOf([node('a', { storageClasses: ['disk', 'flash'] })], classes, { nodePorts: 3 });
    book.setIpPool({ total: 1, free: 1, byNamespace: new Map(), observedAt: 1 });
    const volume = (name: string) => [{ kind: 'persistent', name: 'data', class: name, bytes: 2 * Gi } as const];
    reserve(book, 'order-1', one({ volumes: volume('disk') }));
    reserve(book, 'order-2', one({ volumes: volume('flash'), randomPorts: 2, leasedIps: ['front'] }));
    book.takeInventory(delta({ classes: [{ facts: { ...classes[0], name: 'disk', freeBytes: 3 * Gi } }] }));
    expect(overCommitment(book, 'order-1')).toMatchObject({ places: ['storage/disk'], reservations: ['order-2'] });
    book.setNodePorts({ byNamespace: new Map(), others: 2 });
    book.setIpPool({ total: 1, free: 0, byNamespace: new Map(), observedAt: 90 });
    expect(overCommitment(book, 'order-2')).toMatchObject({ places: ['ports', 'leased-ips'] });
    // It is not known how many are free: that is not too few.
    book.setIpPool(undefined);
    expect(overCommitment(book, 'order-2')).toMatchObject({ places: ['ports'] });
  });

  it('is told of many that share a place by a few of them, and who they are is found once for everybody who asks', () => {
    const book = bookOf([node('a', { cpuMillis: 1e6, memoryBytes: 1000 * Gi })], [], { nodePorts: 150 });
    for (let at = 0; at < 150; at += 1) reserve(book, `order-${at}`, one({ randomPorts: 1 }));
    book.setNodePorts({ byNamespace: new Map(), others: 1 });
    expect(overCommitment(book, 'order-7')?.reservations).toHaveLength(100);
    expect(overCommitment(book, 'order-7')?.reservations).not.toContain('order-7');
    const { overCommitted } = book.places;
    expect(overCommitted).toHaveLength(150);
    expect(book.places.overCommitted).toBe(overCommitted);
    book.removeReservation('order-7');
    expect(book.places.overCommitted).toEqual([]);
  });

  it('is not claimed before anything was heard of the inventory', () => {
    const known = bookOf([node('a')]);
    const reservation = reserve(known, 'order-1', one({ randomPorts: 1 }));
    const book = new ReservationBook();
    book.setReservation(reservation);
    expect(types(book, 'order-1')).toEqual([]);
    expect(needsNewPlan(book)).toEqual([]);
    book.takeInventory(delta({ kind: 'whole', observedAt: 7 }));
    expect(conditionsOf(book, 'order-1')).toMatchObject([
      { type: 'OverCommitted', since: 7, places: ['node/a'] },
      { type: 'NodeGone', since: 7, message: 'node a is gone', places: ['node/a'] },
      { type: 'Replanning', since: 7 },
    ]);
  });
});

describe('a plan', () => {
  it('is to be made anew when its node is held back, gone, or another one of its name; an active one stays', () => {
    const book = bookOf([node('a')]);
    reserve(book, 'order-1');
    activate(book, reserve(book, 'order-2'));
    const after = (facts: ReturnType<typeof node> | undefined): string[] => {
      book.takeInventory(facts === undefined ? delta({ removedNodes: ['a'] }) : delta({ nodes: [figures(facts)] }));
      return types(book, 'order-2');
    };
    expect(after(node('a', { heldBack: cordoned }))).toEqual(['NodeHeldBack']);
    expect(conditionsOf(book, 'order-2')[0]?.message).toBe('node a takes nothing new: it is cordoned');
    expect(needsNewPlan(book)).toEqual(['order-1']);
    expect(after(undefined)).toEqual(['OverCommitted', 'NodeGone']);
    expect(after(node('a', { uid: 'another' }))).toEqual(['NodeGone']);
    expect(after(node('a'))).toEqual([]);
    expect(needsNewPlan(book)).toEqual([]);
  });

  it('is not missed where the pod runs elsewhere by now', () => {
    const book = bookOf([node('a'), node('b')]);
    const active = activate(book, reserve(book, 'order-1'));
    const [home, other] = active.plan.units[0]?.replicas[0]?.node === 'a' ? ['a', 'b'] : ['b', 'a'];
    book.takeInventory(delta({ removedNodes: [home], pods: [podOf(active, { node: other })] }));
    expect(types(book, 'order-1')).toEqual([]);
  });

  it('is outdated when its cards or its class are no longer what was promised', () => {
    const classes = [{ name: 'disk', freeBytes: 4 * Gi }];
    const facts = { cards: plugin(2, 2, t4), storageClasses: ['disk'] };
    const book = bookOf([node('a', facts)], classes);
    reserve(book, 'order-1', one({ gpus: gpus(1, 't4') }));
    reserve(book, 'order-2', one({ volumes: [{ kind: 'persistent', name: 'data', class: 'disk', bytes: Gi }] }));
    book.takeInventory(delta({ nodes: [figures(node('a', { ...facts, cards: plugin(4, 4, t4, a100) }))] }));
    expect(conditionsOf(book, 'order-1')[0]).toMatchObject({
      type: 'PlanOutdated',
      message: 'node a can no longer be held to the cards of unit 1',
    });
    expect(needsNewPlan(book)).toEqual(['order-1']);
    book.takeInventory(delta({ nodes: [figures(node('a', facts))], removedClasses: ['disk'] }));
    expect(conditionsOf(book, 'order-2')[0]).toMatchObject({ type: 'PlanOutdated', message: 'storage class disk is gone' });
    book.takeInventory(delta({ classes: [{ facts: { name: 'disk', freeBytes: undefined } }] }));
    expect(needsNewPlan(book)).toEqual([]);
  });

  it('stays while the inventory cannot tell of its class, which no node offers then', () => {
    const book = bookOf([node('a', { storageClasses: ['disk'] })], [{ name: 'disk', freeBytes: 4 * Gi }]);
    reserve(book, 'order-1', one({ volumes: [{ kind: 'persistent', name: 'data', class: 'disk', bytes: Gi }] }));
    const after = (code: string): string[] => {
      book.takeInventory(
        delta({ nodes: [figures(node('a'))], classes: [{ facts: { name: 'disk', refusal: { code, message: 'see there' } } }] }),
      );
      return types(book, 'order-1');
    };
    expect(['CapacityUnknown', 'AgentMissing'].map(after)).toEqual([[], []]);
    expect(after('ClassNotListed')).toEqual(['PlanOutdated', 'Replanning']);
  });

  it('stays while nobody knows what is left of the ephemeral storage of its node', () => {
    const book = bookOf([node('a')]);
    reserve(book, 'order-1', one({ volumes: [{ kind: 'ephemeral', name: 'tmp', bytes: 10 * Gi }] }));
    const unread = { code: 'VolumesUnread', message: 'volumes there could not be read' };
    const after = (facts: Partial<NodeFacts>): string[] => {
      book.takeInventory(delta({ nodes: [figures(node('a', { ephemeralBytes: 0, ...facts }))] }));
      return types(book, 'order-1');
    };
    expect(after({ ephemeralUnknown: unread })).toEqual([]);
    expect(after({})).toEqual(['OverCommitted', 'Replanning']);
    // More than there is, whatever volumes take of it.
    expect(after({ ephemeralUnknown: unread, ephemeralBytes: -Gi })).toEqual(['OverCommitted', 'Replanning']);
  });
});
