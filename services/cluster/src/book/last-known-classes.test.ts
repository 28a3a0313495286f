import { create } from '@bufbuild/protobuf';
import { type StorageClass, StorageClassSchema } from '@quartermaster/api/inventory';
import { describe, expect, it } from 'vitest';
import { objectOf } from '../../test/reservation-objects.ts';
import { bookOf, delta, figures, noLimits, planOn, reserve } from '../../test/sample-book.ts';
import { Gi, node, one } from '../../test/sample-facts.ts';
import { classFigures } from '../knowledge/class-figures.ts';
import type { ClassFigures } from '../model/inventory-change.ts';
import { soldOnce } from '../placement/commit-level.ts';
import type { Plan } from '../placement/plan.ts';
import type { Request } from '../placement/request.ts';
import { readReservation } from '../reservations/reservation-object.ts';
import { conditionsOf } from './conditions.ts';
import { decideBy } from './decide.ts';
import { ReservationBook } from './reservation-book.ts';

type Init = Partial<Pick<StorageClass, 'nodeLocal' | 'replicas' | 'replicasPerNode' | 'ephemeralNodes' | 'sharesSpaceWith'>>;

const amount = (gib: number) => ({ capacity: BigInt(gib * Gi), allocatable: BigInt(gib * Gi), allocated: 0n, available: BigInt(gib * Gi) });

function told(name: string, byNode: Readonly<Record<string, number>>, changed: Init = {}): ClassFigures {
  const gib = Object.values(byNode).reduce((sum, each) => sum + each, 0);
  const perNode = changed.nodeLocal === true ? Object.fromEntries(Object.entries(byNode).map(([at, free]) => [at, amount(free)])) : {};
  return classFigures(create(StorageClassSchema, { name, performance: name, amount: amount(gib), perNode, ...changed }), soldOnce.storage);
}

const refusal = { code: 'AgentMissing', message: 'no agent' };
const silent = (name: string): ClassFigures =>
  classFigures(create(StorageClassSchema, { name, performance: name, refusal }), soldOnce.storage);

const volume = (className: string, gib: number): Request =>
  one({ volumes: [{ kind: 'persistent', name: 'data', class: className, bytes: gib * Gi }] });
const ephemeral = (gib: number): Request => one({ volumes: [{ kind: 'ephemeral', name: 'tmp', bytes: gib * Gi }] });

const classNames = ['local', 'disk', 'flash'];

/** A book of one node of 100 GiB on which a lease is promised a volume of 60 GiB. */
function bookWith(classes: readonly ClassFigures[], className: string): ReservationBook {
  const book = bookOf([node('a', { storageClasses: classNames })]);
  book.takeInventory(delta({ classes }));
  reserve(book, 'order-1', volume(className, 60), { phase: 'active', expiresAt: undefined });
  return book;
}

/** One that has just started: it knows what objects say, and what is told now. */
function restarted(book: ReservationBook, classes: readonly ClassFigures[], isInventoryFirst = false): ReservationBook {
  const again = isInventoryFirst ? bookOf([...book.nodes].map(({ facts }) => facts)) : new ReservationBook();
  if (isInventoryFirst) again.takeInventory(delta({ classes }));
  for (const reservation of book.reservations()) again.setReservation(readReservation(objectOf(reservation)));
  if (!isInventoryFirst) again.takeInventory(delta({ kind: 'whole', nodes: [...book.nodes], classes }));
  again.setKnowledge({ protocol: 'deltas' });
  return again;
}

function planOf(book: ReservationBook): Plan {
  const [reservation] = book.reservations();
  if (reservation === undefined) throw new Error('nothing is reserved');
  return reservation.plan;
}

const answer = (book: ReservationBook, request: Request): string => decideBy(book, { limits: noLimits })(request).kind;

describe('a storage class that nobody tells of for a while', () => {
  const local = { nodeLocal: true, replicas: 1 };
  it.each<[string, string, ClassFigures, ClassFigures]>([
    ['node-local', 'local', told('local', { a: 100 }, { ...local, ephemeralNodes: ['a'] }), silent('local')],
    [
      'node-local, on one node',
      'local',
      told('local', { a: 100, b: 10 }, { ...local, ephemeralNodes: ['a', 'b'] }),
      told('local', { b: 10 }, { ...local, ephemeralNodes: ['b'] }),
    ],
    ['cluster-wide', 'disk', told('disk', { a: 90 }, { replicas: 1, ephemeralNodes: ['a'] }), silent('disk')],
  ])('keeps what it was promised of ephemeral storage: %s', (_, name, known, unknown) => {
    const book = bookWith([known], name);
    for (const classes of [[known], [unknown], [known]]) {
      book.takeInventory(delta({ classes }));
      expect([answer(book, ephemeral(41)), answer(book, ephemeral(40))]).toEqual(['refused', 'plan']);
      expect(book.places.overCommitted).toEqual([]);
    }
  });

  it('keeps what it was promised of the space of another class, with its copies', () => {
    const disk = told('disk', { a: 90 }, { replicas: 2, sharesSpaceWith: ['flash'] });
    const flash = (sharesSpaceWith: string[]) => told('flash', { a: 180 }, { replicas: 1, sharesSpaceWith });
    const book = bookWith([disk, flash(['disk'])], 'disk');
    for (const classes of [
      [disk, flash(['disk'])],
      [silent('disk'), flash([])],
    ]) {
      book.takeInventory(delta({ classes }));
      expect([answer(book, volume('flash', 61)), answer(book, volume('flash', 60))]).toEqual(['refused', 'plan']);
    }
    expect(book.places.overCommitted).toEqual([]);
  });

  it('promises nothing, and shares nothing any more once it says so', () => {
    const known = told('local', { a: 90 }, { ...local, ephemeralNodes: ['a'] });
    const book = bookWith([known], 'local');
    book.takeInventory(delta({ classes: [silent('local')] }));
    expect(answer(book, volume('local', 1))).toBe('refused');
    book.takeInventory(delta({ classes: [told('local', { a: 90 }, local)] }));
    expect(answer(book, ephemeral(100))).toBe('plan');
  });

  it.each([false, true])('is known from plans to a replica that starts meanwhile, with the inventory first: %s', (isInventoryFirst) => {
    const flash = told('flash', { a: 180 });
    const cases: readonly (readonly [known: ClassFigures, now: readonly ClassFigures[]])[] = [
      [told('local', { a: 100 }, { ...local, ephemeralNodes: ['a'] }), [silent('local')]],
      [told('local', { a: 100, b: 10 }, { ...local, ephemeralNodes: ['a', 'b'] }), [told('local', { b: 10 }, local)]],
      [told('disk', { a: 90 }, { ephemeralNodes: ['a'] }), [silent('disk')]],
      [told('disk', { a: 90 }, { ephemeralNodes: ['a'] }), []],
    ];
    for (const [known, now] of cases) {
      const book = restarted(bookWith([known], known.facts.name), now, isInventoryFirst);
      expect([answer(book, ephemeral(41)), answer(book, ephemeral(40))]).toEqual(['refused', 'plan']);
    }
    const before = bookWith([told('disk', { a: 90 }, { replicas: 2, sharesSpaceWith: ['flash'] }), flash], 'disk');
    for (const now of [[silent('disk'), flash], [flash]]) {
      const book = restarted(before, now, isInventoryFirst);
      expect([answer(book, volume('flash', 61)), answer(book, volume('flash', 60))]).toEqual(['refused', 'plan']);
    }
  });

  it('keeps room for all copies that one node may have to hold', () => {
    const known = told('disk', { a: 100 }, { replicas: 2, replicasPerNode: 2, ephemeralNodes: ['a'] });
    const before = bookOf([node('a', { storageClasses: classNames })]);
    before.takeInventory(delta({ classes: [known] }));
    reserve(before, 'order-1', volume('disk', 30), { phase: 'active', expiresAt: undefined });
    const after = restarted(before, [silent('disk')]);
    before.takeInventory(delta({ classes: [silent('disk')] }));
    for (const book of [before, after]) expect([answer(book, ephemeral(41)), answer(book, ephemeral(40))]).toEqual(['refused', 'plan']);
  });

  it('is known better from when it told than from a plan that was made while another one was silent', () => {
    const [disk, flash] = [told('disk', { a: 90 }), told('flash', { a: 90 })];
    const book = bookWith([silent('disk'), flash], 'flash');
    book.takeInventory(delta({ classes: [disk, flash] }));
    reserve(book, 'order-2', volume('disk', 80), { phase: 'active', expiresAt: undefined });
    book.takeInventory(delta({ classes: [silent('flash')] }));
    for (const reservation of book.reservations()) book.setReservation({ ...reservation, resourceVersion: 'later' });
    expect(answer(book, volume('disk', 10))).toBe('plan');
    expect(book.places.overCommitted).toEqual([]);
  });

  it('takes of a node that goes and comes what it took before, once', () => {
    const book = bookWith([told('disk', { a: 90 }, { replicas: 1, ephemeralNodes: ['a'] })], 'disk');
    const nodes = [...book.nodes];
    book.takeInventory(delta({ classes: [silent('disk')] }));
    book.takeInventory(delta({ removedNodes: ['a'] }));
    book.takeInventory(delta({ nodes }));
    expect([answer(book, ephemeral(41)), answer(book, ephemeral(40))]).toEqual(['refused', 'plan']);
  });

  it('may be anywhere where no plan says where its volumes are', () => {
    const before = bookWith([told('disk', { a: 90 }, { ephemeralNodes: ['a'] })], 'disk');
    const [unit] = planOf(before).units;
    const plan = { ...planOf(before), units: unit ? [{ ...unit, volumes: unit.volumes.map(({ space: _, ...each }) => each) }] : [] };
    const book = bookOf([node('a', { storageClasses: classNames })]);
    reserve(book, 'order-1', volume('disk', 60), { plan });
    book.takeInventory(delta({ classes: [silent('disk'), told('flash', { a: 180 })] }));
    const answers = () => [ephemeral(41), ephemeral(40), volume('flash', 121), volume('flash', 120)].map((each) => answer(book, each));
    expect(answers()).toEqual(['refused', 'plan', 'refused', 'plan']);
    expect(book.places.overCommitted).toEqual([]);
    book.takeInventory(delta({ classes: [told('disk', { a: 90 })] }));
    expect(answers()).toEqual(['plan', 'plan', 'plan', 'plan']);
  });

  it('shares its space until both tell that they do not, whichever of them is silent when', () => {
    const disk = (sharesSpaceWith: string[]) => told('disk', { a: 90 }, { replicas: 2, sharesSpaceWith });
    const flash = (sharesSpaceWith: string[]) => told('flash', { a: 180 }, { sharesSpaceWith });
    const book = bookWith([disk(['flash']), flash(['disk'])], 'disk');
    for (const classes of [
      [disk([]), silent('flash')],
      [silent('disk'), silent('flash')],
      [silent('disk'), flash([])],
    ])
      book.takeInventory(delta({ classes }));
    expect([answer(book, volume('flash', 61)), answer(book, volume('flash', 60))]).toEqual(['refused', 'plan']);
    book.takeInventory(delta({ classes: [disk([]), flash([])] }));
    expect(answer(book, volume('flash', 180))).toBe('plan');
    book.takeInventory(delta({ classes: [silent('disk')] }));
    expect(answer(book, volume('flash', 180))).toBe('plan');
  });

  it('may share its space with a class that nobody could tell of when it was planned, or that is new', () => {
    const disk = told('disk', { a: 90 });
    for (const unknown of [[silent('flash')], []]) {
      const book = bookWith([disk, ...unknown], 'disk');
      for (const now of [restarted(book, [silent('disk')]), book]) {
        now.takeInventory(delta({ classes: [silent('disk'), told('flash', { a: 180 })] }));
        expect([answer(now, volume('flash', 121)), answer(now, volume('flash', 120))]).toEqual(['refused', 'plan']);
        now.takeInventory(delta({ classes: [disk] }));
        expect(answer(now, volume('flash', 180))).toBe('plan');
      }
    }
    const apart = restarted(bookWith([disk, told('flash', { a: 180 })], 'disk'), [silent('disk'), told('flash', { a: 180 })]);
    expect(answer(apart, volume('flash', 180))).toBe('plan');
  });

  it('may come to lie on nodes that are new, or unknown to who has just started, and nothing is missing there', () => {
    const wide = told('disk', { a: 500 }, { ephemeralNodes: ['a'] });
    const before = bookOf([node('a', { storageClasses: classNames, ephemeralBytes: 500 * Gi }), node('b')]);
    before.takeInventory(delta({ classes: [wide] }));
    reserve(before, 'order-1', volume('disk', 60));
    reserve(before, 'order-2', ephemeral(10), { plan: planOn([node('b')], ephemeral(10)) });
    before.takeInventory(delta({ nodes: [figures(node('c'))], classes: [silent('disk')] }));
    const rooms = (book: ReservationBook) => ['b', 'c'].map((name) => (book.stock.node(name)?.room.ephemeral ?? 0) / Gi);
    expect(rooms(before)).toEqual([90, 40]);
    expect(rooms(restarted(before, [silent('disk')]))).toEqual([30, 40]);
    before.takeInventory(delta({ nodes: [figures(node('b', { ephemeralBytes: 20 * Gi }))] }));
    const after = restarted(before, [silent('disk')]);
    expect([rooms(after), after.places.overCommitted]).toEqual([[0, 40], []]);
  });

  it('is known on a node that goes and comes back, and forgotten there once nothing is planned on it', () => {
    const book = bookWith([told('local', { a: 90 }, { ...local, ephemeralNodes: ['a'] })], 'local');
    const [here] = [...book.nodes];
    book.takeInventory(delta({ removedNodes: ['a'], classes: [told('local', {}, local)] }));
    book.takeInventory(delta({ nodes: here ? [here] : [], classes: [told('local', {}, local)] }));
    expect([answer(book, ephemeral(41)), answer(book, ephemeral(40))]).toEqual(['refused', 'plan']);
    book.removeReservation('order-1');
    book.takeInventory(delta({ classes: [told('local', {}, local)] }));
    expect(book.stock.storage.get('local')?.ephemeralNodes).toEqual(new Set());
  });

  it('keeps what it was promised when it is gone, and is still said to be gone', () => {
    const disk = told('disk', { a: 90 }, { replicas: 2, sharesSpaceWith: ['flash'], ephemeralNodes: ['a'] });
    const flash = (sharesSpaceWith: string[]) => told('flash', { a: 180 }, { sharesSpaceWith });
    const book = bookWith([disk, flash(['disk'])], 'disk');
    const isKept = () => [answer(book, ephemeral(41)), answer(book, volume('flash', 61)), answer(book, volume('flash', 60))];
    book.takeInventory(delta({ removedClasses: ['disk'], classes: [flash([])] }));
    expect(isKept()).toEqual(['refused', 'refused', 'plan']);
    expect(conditionsOf(book, 'order-1').map(({ message }) => message)).toEqual(['storage class disk is gone']);
    expect(decideBy(book, { limits: noLimits })(volume('disk', 1))).toMatchObject({ reasons: [{ code: 'NoStorageClass' }] });
    expect([...book.classes].map(({ facts }) => facts.name)).toEqual(['flash']);
    book.takeInventory(delta({ classes: [silent('disk')] }));
    expect(isKept()).toEqual(['refused', 'refused', 'plan']);
    book.takeInventory(delta({ removedClasses: ['disk'] }));
    book.removeReservation('order-1');
    book.takeInventory(delta({}));
    expect(book.stock.storage.get('disk')).toBeUndefined();
  });
});
