import { create } from '@bufbuild/protobuf';
import { type StorageClass, StorageClassSchema } from '@quartermaster/api/inventory';
import { describe, expect, it } from 'vitest';
import { bookOf, delta, noLimits, reserve } from '../../test/sample-book.ts';
import { Gi, node, one } from '../../test/sample-facts.ts';
import { classFigures } from '../knowledge/class-figures.ts';
import type { ClassFigures } from '../model/inventory-change.ts';
import { soldOnce } from '../placement/commit-level.ts';
import type { Request } from '../placement/request.ts';
import { decideBy } from './decide.ts';
import type { ReservationBook } from './reservation-book.ts';

type Init = Partial<Pick<StorageClass, 'nodeLocal' | 'replicas' | 'ephemeralNodes' | 'sharesSpaceWith'>>;

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

/** A book of one node of 100 GiB on which a lease is promised a volume of 60 GiB. */
function bookWith(classes: readonly ClassFigures[], className: string): ReservationBook {
  const book = bookOf([node('a', { storageClasses: ['local', 'disk', 'flash'] })]);
  book.takeInventory(delta({ classes }));
  reserve(book, 'order-1', volume(className, 60), { phase: 'active', expiresAt: undefined });
  return book;
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
    }
    expect(book.places.overCommitted).toEqual([]);
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

  it('is forgotten on a node that is gone', () => {
    const book = bookWith([told('local', { a: 90 }, { ...local, ephemeralNodes: ['a'] })], 'local');
    book.takeInventory(delta({ removedNodes: ['a'], classes: [told('local', {}, local)] }));
    expect(book.stock.storage.get('local')?.ephemeralNodes).toEqual(new Set());
  });
});
