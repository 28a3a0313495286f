import { describe, expect, it } from 'vitest';
import { objectOf } from '../../test/reservation-objects.ts';
import { activate, bookOf, claimOf, delta, noLimits, reserve } from '../../test/sample-book.ts';
import { Gi, node, one } from '../../test/sample-facts.ts';
import type { Plan } from '../placement/plan.ts';
import type { ClassFacts } from '../placement/stock-facts.ts';
import { readReservation } from '../reservations/reservation-object.ts';
import { decideBy } from './decide.ts';
import { renewedPlan } from './renewed-plan.ts';
import { ReservationBook } from './reservation-book.ts';

const disk: ClassFacts = { name: 'disk', freeBytes: 90 * Gi };
const silent: ClassFacts = { name: 'disk', refusal: { code: 'CapacityUnknown', message: 'silent' } };
const volume = one({ volumes: [{ kind: 'persistent', name: 'data', class: 'disk', bytes: 60 * Gi }] });
const ephemeral = (gib: number) => one({ volumes: [{ kind: 'ephemeral', name: 'tmp', bytes: gib * Gi }] });

function bookWith(classes: readonly ClassFacts[]): ReservationBook {
  const book = bookOf([node('a', { storageClasses: ['disk'] })], classes);
  reserve(book, 'order-1', volume);
  return book;
}

const tell = (book: ReservationBook, ...classes: readonly ClassFacts[]): void =>
  book.takeInventory(delta({ classes: classes.map((facts) => ({ facts })) }));

const spaceOf = (plan: Plan | undefined) => plan?.units[0]?.volumes[0]?.space;

function renew(book: ReservationBook): void {
  const [standing] = book.reservations();
  const plan = renewedPlan(book, 'order-1');
  if (standing !== undefined && plan !== undefined) book.setReservation({ ...standing, plan });
}

describe('a plan whose volumes may lie elsewhere than it says', () => {
  it('is renewed, so that one who starts while their class is silent sells nothing beside them', () => {
    const book = bookWith([disk]);
    expect(renewedPlan(book, 'order-1')).toBeUndefined();
    tell(book, { ...disk, ephemeralNodes: new Set(['a']) });
    renew(book);
    const again = new ReservationBook();
    for (const each of book.reservations()) again.setReservation(readReservation(objectOf(each)));
    again.takeInventory(delta({ kind: 'whole', nodes: [...book.nodes], classes: [{ facts: silent }] }));
    again.setKnowledge({ protocol: 'deltas' });
    const answers = [41, 40].map((gib) => decideBy(again, { limits: noLimits })(ephemeral(gib)).kind);
    expect(answers).toEqual(['refused', 'plan']);
  });

  it('is renewed once, and keeps what it says beyond that: what changes back and forth is not written each time', () => {
    const book = bookWith([disk, { name: 'flash', freeBytes: Gi }]);
    const [before] = [spaceOf(book.reservation('order-1')?.plan)];
    expect(before).toMatchObject({ apartFrom: ['flash'], ephemeralNodes: [] });
    tell(book, { ...disk, ephemeralNodes: new Set(['a']) });
    renew(book);
    tell(book, { ...disk, replicas: 2, replicasPerNode: 2, sharesSpaceWith: ['flash'] });
    renew(book);
    const widest = { isNodeLocal: false, copies: 2, copiesOnNode: 2, apartFrom: [], ephemeralNodes: 'any' };
    expect(spaceOf(book.reservation('order-1')?.plan)).toEqual(widest);
    for (const facts of [disk, { ...disk, ephemeralNodes: new Set(['a']) }, silent]) {
      tell(book, facts);
      expect(renewedPlan(book, 'order-1')).toBeUndefined();
    }
    tell(book, { name: 'disk', freeBytes: new Map([['a', 90 * Gi]]), ephemeralNodes: new Set(['a']) });
    expect(spaceOf(renewedPlan(book, 'order-1'))).toMatchObject({ isNodeLocal: true, ephemeralNodes: ['a'] });
  });

  it('is renewed where an older service planned it, and not once its volumes are claimed', () => {
    const book = bookWith([disk]);
    const [standing] = book.reservations();
    if (standing === undefined) throw new Error('nothing is reserved');
    const units = standing.plan.units.map((unit) => ({ ...unit, volumes: unit.volumes.map(({ space: _, ...each }) => each) }));
    const old = { ...standing, plan: { ...standing.plan, units } };
    book.setReservation(old);
    expect(renewedPlan(book, 'order-1')).toEqual(standing.plan);
    activate(book, old);
    book.takeInventory(delta({ volumes: [claimOf('order-1', { bytes: 60 * Gi })] }));
    expect(renewedPlan(book, 'order-1')).toBeUndefined();
  });
});
