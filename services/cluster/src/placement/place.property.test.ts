import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { optionsOf, requests, stockOf, storageCases, tightWorlds, worlds } from '../../test/arbitraries.ts';
import { pictureOf } from '../../test/picture.ts';
import { canBePlaced, problemsOfPlan, type World } from '../../test/reference-model.ts';
import { place } from './place.ts';
import { holdsOf } from './plan.ts';
import type { Request } from './request.ts';

/** Worlds with room, without, and those between, in which a search has to turn back. */
const cases: fc.Arbitrary<readonly [World, Request]> = fc.oneof(
  requests(8).chain((request) => fc.tuple(fc.oneof(worlds(6), tightWorlds(request, 6)), fc.constant(request))),
  storageCases,
);

/** The same with other names and in another order. */
const disguised = ([world, request]: readonly [World, Request], salt: number): readonly [World, Request] => {
  const order = <T>(list: readonly T[]): T[] =>
    list
      .map((value, at) => ({ value, key: ((at + 1) * (salt + 7)) % 101 }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ value }) => value);
  const renamed = new Map(world.nodes.map(({ name }, at) => [name, `n${((at + 3) * (salt + 13)) % 97}-${at}`]));
  const nameOf = (name: string): string => renamed.get(name) ?? name;
  const nodes = order(world.nodes).map((node, at) => ({
    ...node,
    name: nameOf(node.name),
    uid: `u${(at * 31 + salt) % 89}-${at}`,
    storageClasses: order(node.storageClasses),
  }));
  const classes = order(world.classes).map((facts) => ({
    ...facts,
    freeBytes:
      typeof facts.freeBytes === 'object' ? new Map([...facts.freeBytes].map(([name, free]) => [nameOf(name), free])) : facts.freeBytes,
    ephemeralNodes: facts.ephemeralNodes === undefined ? undefined : new Set([...facts.ephemeralNodes].map(nameOf)),
  }));
  return [{ ...world, nodes, classes }, { units: order(request.units) }];
};

describe('a placement', () => {
  it('is found exactly when an exhaustive search finds one, and breaks no limit', () => {
    fc.assert(
      fc.property(cases, ([world, request]) => {
        const placing = place(stockOf(world), request, optionsOf(world));
        expect(placing.kind).toBe(canBePlaced(world, request) ? 'plan' : 'refusal');
        if (placing.kind === 'plan') expect(problemsOfPlan(world, request, placing.plan)).toEqual([]);
        if (placing.kind === 'refusal') expect(placing.reasons).not.toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it('is found or not whatever nodes and units are called, and in whichever order they come', () => {
    fc.assert(
      fc.property(cases, fc.nat(96), ([world, request], salt) => {
        const [otherWorld, otherRequest] = disguised([world, request], salt);
        const placing = place(stockOf(world), request, optionsOf(world));
        expect(place(stockOf(otherWorld), otherRequest, optionsOf(otherWorld)).kind).toBe(placing.kind);
      }),
      { numRuns: 500 },
    );
  });

  it('is not even within a few steps found or not by what nodes and units are called', () => {
    fc.assert(
      fc.property(cases, fc.nat(96), fc.integer({ min: 1, max: 60 }), ([world, request], salt, maxSteps) => {
        const [otherWorld, otherRequest] = disguised([world, request], salt);
        const placing = place(stockOf(world), request, { ...optionsOf(world), maxSteps });
        expect(place(stockOf(otherWorld), otherRequest, { ...optionsOf(otherWorld), maxSteps }).kind).toBe(placing.kind);
      }),
      { numRuns: 1000 },
    );
  });

  it('is the same when asked for again, and takes nothing until it is held; then it fits in what was there', () => {
    fc.assert(
      fc.property(cases, ([world, request]) => {
        const stock = stockOf(world);
        const before = pictureOf(stock);
        const placing = place(stock, request, optionsOf(world));
        expect(place(stock, request, optionsOf(world))).toEqual(placing);
        expect(pictureOf(stock)).toEqual(before);
        if (placing.kind !== 'plan') return;
        const rooms = new Map([...stock.nodes].map((node) => [node.name, { ...node.room }]));
        stock.hold('order', holdsOf(placing.plan));
        for (const { name, room } of stock.nodes) {
          for (const what of ['cpu', 'memory', 'ephemeral', 'pods'] as const) {
            const was = rooms.get(name)?.[what] ?? 0;
            expect(room[what]).toBeGreaterThanOrEqual(Math.min(was, 0));
          }
        }
        expect(stock.release('order')).toBe(true);
        expect(pictureOf(stock)).toEqual(before);
      }),
      { numRuns: 500 },
    );
  });

  it('says that it does not know when its steps are used up, never that nothing fits', () => {
    fc.assert(
      fc.property(cases, fc.integer({ min: 1, max: 30 }), ([world, request], maxSteps) => {
        const stock = stockOf(world);
        const placing = place(stock, request, { ...optionsOf(world), maxSteps });
        const unbounded = place(stock, request, optionsOf(world));
        if (placing.kind !== 'undecided') expect(placing.kind).toBe(unbounded.kind);
      }),
      { numRuns: 500 },
    );
  });
});
