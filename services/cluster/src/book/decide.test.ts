import { create } from '@bufbuild/protobuf';
import { StorageClassSchema } from '@quartermaster/api/inventory';
import { describe, expect, it } from 'vitest';
import { bookOf, delta, figures, noLimits, reserve } from '../../test/sample-book.ts';
import { claims, Gi, gpus, node, one, plugin, t4, unit } from '../../test/sample-facts.ts';
import { classFigures } from '../knowledge/class-figures.ts';
import { parseCommitLevel, soldOnce } from '../placement/commit-level.ts';
import type { CardPool } from '../placement/stock-facts.ts';
import { decideBy } from './decide.ts';
import type { Decision } from './decision.ts';
import { ReservationBook } from './reservation-book.ts';

const why = (decision: Decision): string =>
  decision.kind === 'plan' ? 'plan' : `${decision.why}: ${decision.reasons.map(({ code }) => code).join()}`;

describe('a decision', () => {
  it('is a plan, that nothing does not fit, or that nobody found out', () => {
    const decide = decideBy(bookOf([node('a')]), { limits: noLimits });
    expect(decide(one())).toMatchObject({ kind: 'plan', plan: { units: [{ replicas: [{ node: 'a' }] }] } });
    expect(why(decide(one({ cpuMillis: 17_000 })))).toBe('does-not-fit: NoRoom');
    // Best fit puts the small one where both large ones would have to go.
    const cramped = bookOf([node('a', { cpuMillis: 4000, memoryBytes: 8 * Gi }), node('b', { cpuMillis: 5000, memoryBytes: 8 * Gi })]);
    const units = [
      unit({ id: 1, cpuMillis: 1000, memoryBytes: 4 * Gi }),
      unit({ id: 2, cpuMillis: 4000, memoryBytes: 3 * Gi }),
      unit({ id: 3, cpuMillis: 4000, memoryBytes: Gi }),
    ];
    expect(why(decideBy(cramped, { limits: noLimits, maxSteps: 3 })({ units }))).toBe('not-found: SearchBudgetSpent');
  });

  it('throws for a request that breaks a rule, whatever is known', () => {
    expect(() => decideBy(new ReservationBook())(one({ count: 0 }))).toThrow('count');
  });

  it('is that nothing is known before the inventory was heard of, and while it is too old', () => {
    expect(why(decideBy(new ReservationBook())(one()))).toBe('not-known: InventoryUnknown');
    const book = bookOf([node('a')]);
    const decide = decideBy(book);
    book.setKnowledge({ protocol: 'deltas', problem: { code: 'InventoryStale', message: 'was last heard of 31 s ago' } });
    expect(why(decide(one()))).toBe('not-known: InventoryStale');
    book.setKnowledge({ protocol: 'deltas' });
    expect(why(decide(one()))).toBe('plan');
  });

  it('refuses requests with leased addresses alone while nobody says how many are free', () => {
    const book = bookOf([node('a')]);
    const decide = decideBy(book);
    expect(why(decide(one({ leasedIps: ['front'] })))).toBe('not-known: IpCapacityUnknown');
    expect(why(decide(one()))).toBe('plan');
    book.setIpPool({ total: 1, free: 1, byNamespace: new Map(), observedAt: 1 });
    expect(why(decide(one({ leasedIps: ['front'] })))).toBe('plan');
    expect(why(decide(one({ leasedIps: ['front', 'back'] })))).toBe('does-not-fit: TooFewIps');
  });

  it('refuses requests with external ports alone while nobody knows which are in use', () => {
    const book = new ReservationBook({ nodePorts: 3 });
    book.setKnowledge({ protocol: 'deltas' });
    book.takeInventory(delta({ kind: 'whole', nodes: [figures(node('a'))] }));
    const decide = decideBy(book, { limits: noLimits });
    expect(why(decide(one({ randomPorts: 1 })))).toBe('not-known: PortCapacityUnknown');
    expect(why(decide(one()))).toBe('plan');
    book.setNodePorts({ byNamespace: new Map([['other', 1]]), others: 1 });
    expect(why(decide(one({ randomPorts: 1 })))).toBe('plan');
    expect(why(decide(one({ randomPorts: 2 })))).toBe('does-not-fit: TooFewPorts');
    book.setNodePorts({ byNamespace: new Map(), others: 0, problem: { code: 'PortCapacityUnknown', message: 'Services are silent' } });
    expect(why(decide(one({ randomPorts: 1 })))).toBe('not-known: PortCapacityUnknown');
    expect(why(decide(one()))).toBe('plan');
  });

  it('refuses requests with cards alone while nobody knows which devices claims have', () => {
    const claimsProblem = { code: 'CardCapacityUnknown', message: 'resource-claims are silent' };
    const deciding = (cards: CardPool[]) => {
      const book = bookOf([node('a', { cards })]);
      book.setKnowledge({ protocol: 'deltas', claimsProblem });
      return decideBy(book, { limits: noLimits });
    };
    const claimed = deciding([...claims([t4, 1, 1])]);
    expect(why(claimed(one({ gpus: gpus(1, 't4') })))).toBe('not-known: CardCapacityUnknown');
    expect(why(claimed(one()))).toBe('plan');
    // Device plugins need no claims.
    expect(why(deciding([...plugin(1, 1, t4)])(one({ gpus: gpus(1, 't4') })))).toBe('plan');
  });

  it('is not certain where a class might have room of which nobody knows', () => {
    const classes = [
      { name: 'a-disk', performance: 'beta1', freeBytes: Gi },
      { name: 'b-disk', performance: 'beta1' },
    ];
    const decide = decideBy(bookOf([node('a', { storageClasses: ['a-disk', 'b-disk'] })], classes), { limits: noLimits });
    const asking = (bytes: number) => one({ volumes: [{ kind: 'persistent', name: 'data', class: 'beta1', bytes }] });
    expect(why(decide(asking(Gi)))).toBe('plan');
    expect(why(decide(asking(2 * Gi)))).toBe('not-known: TooLittleStorage,StorageUnknown');
  });

  it('is not certain while the inventory cannot tell of a class, and is where it does not offer it', () => {
    const asking = one({ volumes: [{ kind: 'persistent', name: 'data', class: 'disk', bytes: Gi }] });
    const answers = ['CapacityUnknown', 'AgentMissing', 'ClassNotListed', 'PoolMissing'].map((code) => {
      const { facts } = classFigures(create(StorageClassSchema, { name: 'disk', refusal: { code, message: 'so' } }), soldOnce.storage);
      return why(decideBy(bookOf([node('a', { storageClasses: ['disk'] })], [facts]))(asking));
    });
    const [unknown, certain] = ['not-known: StorageClassRefused,StorageUnknown', 'does-not-fit: StorageClassRefused'];
    expect(answers).toEqual([unknown, unknown, certain, certain]);
    const unreadable = create(StorageClassSchema, { name: 'disk', amount: {}, largestVolumeBytes: 2n ** 60n });
    const { facts } = classFigures(unreadable, soldOnce.storage);
    const decide = decideBy(bookOf([node('a', { storageClasses: ['disk'] })], [facts]));
    expect(why(decide(asking))).toBe(unknown);
    // What it performs like may only be known from its disks.
    expect(why(decide(one({ volumes: [{ kind: 'persistent', name: 'data', class: 'beta2', bytes: Gi }] })))).toBe(
      'not-known: NoStorageClass,StorageUnknown',
    );
  });

  it('is not certain where a node would do if one knew what is left of its ephemeral storage', () => {
    const ephemeralUnknown = { code: 'VolumesUnread', message: 'volumes there could not be read' };
    const classes = [{ name: 'disk', freeBytes: 100 * Gi, ephemeralNodes: new Set(['a']) }];
    const book = bookOf([node('a', { storageClasses: ['disk'] }), node('b', { cpuMillis: 100 })], classes);
    const decide = decideBy(book, { limits: noLimits });
    const tmp = (cpuMillis: number) => one({ cpuMillis, volumes: [{ kind: 'ephemeral', name: 'tmp', bytes: 10 * Gi }] });
    const data = one({ volumes: [{ kind: 'persistent', name: 'data', class: 'disk', bytes: Gi }] });
    reserve(book, 'order-1', tmp(1000));
    book.takeInventory(delta({ nodes: [figures(node('a', { storageClasses: ['disk'], ephemeralBytes: 0, ephemeralUnknown }))] }));
    expect(why(decide(one()))).toBe('plan');
    expect(why(decide(tmp(1000)))).toBe('not-known: NoRoom,EphemeralStorageUnknown');
    expect(why(decide(tmp(16_000)))).toBe('does-not-fit: NoRoom');
    expect(why(decide(data))).toBe('not-known: TooLittleStorage,EphemeralStorageUnknown');
    book.takeInventory(delta({ nodes: [figures(node('a', { storageClasses: ['disk'] }))] }));
    expect([tmp(1000), data].map((each) => why(decide(each)))).toEqual(['plan', 'plan']);
  });

  it('counts commit levels in what is requested of a node', () => {
    const levels = { ...soldOnce, cpu: parseCommitLevel('1.5', 'cpu-commit-level') };
    const decision = decideBy(bookOf([node('a')]), { levels, limits: noLimits })(one({ cpuMillis: 20_000 }));
    expect(decision).toMatchObject({ plan: { units: [{ cpuMillis: 13_334 }] } });
  });

  it('is made as if the reservation that it would replace were not there, without its bounds, and leaves it there', () => {
    const book = bookOf([node('a', { cpuMillis: 1000 })]);
    const { plan } = reserve(book, 'order-1');
    const decide = decideBy(book, { limits: { most: 1e6, perOwner: 1, ownerShare: 0.1, share: 0.1 } });
    expect(why(decide(one(), 'bob'))).toBe('does-not-fit: NoRoom');
    expect(why(decide(one(), 'alice'))).toBe('limit: TooManyPending');
    expect(decide(one(), 'alice', 'order-1')).toEqual({ kind: 'plan', plan });
    expect(book.stock.node('a')?.room.cpu).toBe(0);
  });

  it('changes nothing, so that the next one is the same', () => {
    const book = bookOf([node('a'), node('b')]);
    expect(decideBy(book)(one({ count: 2 }), 'alice')).toEqual(decideBy(book)(one({ count: 2 }), 'alice'));
  });
});
