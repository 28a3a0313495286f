import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { optionsOf, requests, tightWorlds } from '../../test/arbitraries.ts';
import { changed } from '../../test/changed-request.ts';
import { activate, bookOf, reserve } from '../../test/sample-book.ts';
import { node, one } from '../../test/sample-facts.ts';
import { place } from '../placement/place.ts';
import { decideBy } from './decide.ts';
import { explainFit } from './explain-fit.ts';

describe('an explanation', () => {
  it('says what will be free once the pending reservations that expire first are gone, and leaves them there', () => {
    const book = bookOf([node('a', { cpuMillis: 4000 })]);
    activate(book, reserve(book, 'order-0'));
    reserve(book, 'order-1', one(), { expiresAt: 300 });
    reserve(book, 'order-2', one(), { expiresAt: 100 });
    reserve(book, 'order-3', one(), { expiresAt: 200 });
    const { decision, changes } = explainFit(book, one({ cpuMillis: 2000 }), { decide: decideBy(book) });
    expect(decision).toMatchObject({ kind: 'refused', why: 'does-not-fit' });
    expect(changes).toContainEqual({ kind: 'release', ids: ['order-2', 'order-3'] });
    expect(book.stock.node('a')?.room.cpu).toBe(0);
  });

  it('answers what CheckFit does, bounds and ignorance included, and what nodes have to say in any case', () => {
    const book = bookOf([node('a')]);
    const decide = decideBy(book, { limits: { most: 1e6, perOwner: 0, ownerShare: 1, share: 1 } });
    const explained = () => explainFit(book, one(), { decide, owner: 'alice' });
    expect(explained()).toMatchObject({ decision: { why: 'limit' }, changes: [] });
    book.setKnowledge({ protocol: 'deltas', problem: { code: 'InventoryStale', message: 'was last heard of 31 s ago' } });
    expect(explained()).toMatchObject({ decision: { why: 'not-known' }, changes: [] });
    expect(JSON.stringify(explained())).toContain('"a"');
  });

  it('names nothing that the limits on what may be pending forbid, and what they allow', () => {
    const four = () => bookOf(['a', 'b', 'c', 'd'].map((name) => node(name, { cpuMillis: 4000 })));
    const explained = (count: number, book = four()) =>
      explainFit(book, one({ count, cpuMillis: 4000 }), { decide: decideBy(book), owner: 'alice' });
    const two = { kind: 'less', unit: 1, what: 'replicas', to: 2 };
    expect(explained(5)).toMatchObject({ decision: { why: 'does-not-fit' } });
    expect(explained(5).changes).toContainEqual(expect.objectContaining({ ...two, from: 5 }));
    expect(explained(3)).toMatchObject({ decision: { why: 'limit' } });
    expect(explained(3).changes).toContainEqual(expect.objectContaining({ ...two, from: 3 }));
    expect(explained(2)).toMatchObject({ decision: { kind: 'plan' }, changes: [] });
  });

  it('is true: Reserve takes each change, and not a little more of it', () => {
    const cases = requests(6).chain((request) => fc.tuple(tightWorlds(request, 4), fc.constant(request), fc.boolean()));
    fc.assert(
      fc.property(cases, ([world, request, isPending]) => {
        const book = bookOf(world.nodes, world.classes, { headroom: world.headroom });
        book.setIpPool({ total: 100, free: 100, byNamespace: new Map(), observedAt: 1 });
        const options = optionsOf(world);
        const first = { units: request.units.slice(0, 1).map((unit) => ({ ...unit, count: 1 })) };
        const placing = place(book.stock, first, options);
        if (isPending && placing.kind === 'plan') reserve(book, 'order-1', first, { plan: placing.plan });
        const decide = decideBy(book, options);
        const { decision, changes } = explainFit(book, request, { ...options, decide, owner: 'alice' });
        expect(decide(request, 'alice').kind).toBe(decision.kind);
        for (const change of changes.toSorted((a, b) => Number(a.kind === 'release') - Number(b.kind === 'release'))) {
          if (change.kind === 'release') for (const id of change.ids) book.removeReservation(id);
          expect(decide(changed(request, change, 0), 'alice').kind).toBe('plan');
          if (change.kind === 'less') expect(decide(changed(request, change, 1), 'alice').kind).toBe('refused');
        }
      }),
      { numRuns: 60 },
    );
  });
});
