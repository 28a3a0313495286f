import type { PodQuery } from '@quartermaster/console';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PodIndex } from './pod-index.ts';
import type { PodFacts } from './read-facts.ts';

const facts = (name: string, phase = 'Running', node?: string): PodFacts => ({ namespace: 'default', name, phase, node, stampedAt: 0 });
const query = (change: Partial<PodQuery>): PodQuery => ({ page: 0, size: 100, ...change });
const names = (index: PodIndex, change: Partial<PodQuery> = {}): string[] => index.page(query(change)).pods.map(({ name }) => name);

describe('PodIndex', () => {
  it('lists those that changed last first, whatever order they came in', () => {
    const index = new PodIndex();
    index.set('default/b', facts('b'), 20);
    index.set('default/a', facts('a'), 10);
    index.set('default/c', facts('c'), 30);
    expect(names(index)).toEqual(['c', 'b', 'a']);
    index.set('default/a', facts('a', 'Failed'), 40);
    expect(names(index)).toEqual(['a', 'c', 'b']);
  });

  it('finds words in the full name and in the node, and phases and nodes as they are', () => {
    const index = new PodIndex();
    index.set('default/web-1', facts('web-1', 'Running', 'node-7'), 1);
    index.set('default/web-2', facts('web-2', 'Pending'), 2);
    index.set('default/db', facts('db', 'Running', 'node-70'), 3);
    expect(names(index, { text: 'WEB node-7' })).toEqual(['web-1']);
    expect(names(index, { text: 'default/web' })).toEqual(['web-2', 'web-1']);
    expect(names(index, { phase: 'Pending' })).toEqual(['web-2']);
    expect(names(index, { phase: 'Pend' })).toEqual([]);
    expect(names(index, { node: 'node-7' })).toEqual(['web-1']);
    expect(index.page(query({ text: 'web', size: 1 }))).toMatchObject({ total: 3, matching: 2, pods: [{ name: 'web-2' }] });
  });

  it('cuts pages that hold every pod exactly once, as one long page would', () => {
    const change = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), at: fc.nat(20), isGone: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), fc.integer({ min: 1, max: 4 }), (changes, size) => {
        const index = new PodIndex();
        const expected = new Map<string, number>(); // name -> when it changed
        for (const { name, at, isGone } of changes) {
          expected.delete(name);
          if (isGone) index.delete(`default/${name}`);
          else {
            expected.set(name, at);
            index.set(`default/${name}`, facts(name), at);
          }
        }
        const pages = Array.from({ length: 8 }, (_, page) => names(index, { page, size }));
        expect(pages.flat()).toEqual(names(index));
        expect(pages.flat().toSorted()).toEqual([...expected.keys()].toSorted());
        const stamps = pages.flat().map((name) => expected.get(name) ?? -1);
        expect(stamps).toEqual(stamps.toSorted((a, b) => b - a));
      }),
    );
  });

  it('gives the same page as the same object until a pod changes', () => {
    const index = new PodIndex();
    index.set('default/a', facts('a'), 1);
    const page = index.page(query({}));
    expect(index.page(query({}))).toBe(page);
    index.set('default/a', facts('a', 'Failed'), 2);
    expect(index.page(query({}))).not.toBe(page);
  });
});
