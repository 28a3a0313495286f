import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Store } from './store.ts';

const kind = '/configmaps';
const keys = ['a/x', 'a/y', 'a-b/x', 'b/x', 'b/y', 'c'];
const write = fc.record({ key: fc.constantFrom(...keys), value: fc.integer({ min: 0, max: 9 }), remove: fc.boolean() });

function filled(writes: readonly { readonly key: string; readonly value: number; readonly remove: boolean }[]) {
  const store = new Store();
  const states = new Map<number, Map<string, number>>(); // revision -> key -> value
  const state = new Map<string, number>();
  for (const { key, value, remove } of writes) {
    if (remove) store.remove(kind, key);
    else store.put(kind, key, { value });
    if (remove) state.delete(key);
    else state.set(key, value);
    states.set(store.revision, new Map(state));
  }
  return { store, states };
}

describe('a collection', () => {
  it('shows every former state as it was, in the order of keys', () => {
    fc.assert(
      fc.property(fc.array(write, { minLength: 1, maxLength: 40 }), fc.constantFrom('', 'a/', 'b/'), (writes, prefix) => {
        const { store, states } = filled(writes);
        for (const [revision, state] of states) {
          if (revision < 2) continue;
          const shown = [...(store.collection(kind).rangeAt(revision, prefix) ?? [])].map(([key, object]) => [key, object['value']]);
          const expected = [...state].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
          expect(shown).toEqual(expected);
        }
      }),
    );
  });

  it('goes on after any key as if the list had not been cut there', () => {
    fc.assert(
      fc.property(fc.array(write, { minLength: 1, maxLength: 40 }), fc.constantFrom(...keys), (writes, after) => {
        const { store } = filled(writes);
        const all = [...store.collection(kind).range('')].map(([key]) => key);
        expect([...store.collection(kind).range('', after)].map(([key]) => key)).toEqual(all.filter((key) => key > after));
        expect(store.collection(kind).countAfter('', after)).toBe(all.filter((key) => key > after).length);
      }),
    );
  });

  it('answers events after a revision in order, and nothing once they are compacted', () => {
    const { store } = filled([1, 2, 3].map((value) => ({ key: 'a/x', value, remove: false })));
    const collection = store.collection(kind);
    expect(collection.eventsAfter(2, 10)?.map(({ type, object }) => [type, object['value']])).toEqual([
      ['MODIFIED', 2],
      ['MODIFIED', 3],
    ]);
    store.compact();
    expect(collection.eventsAfter(2, 10)).toBeUndefined();
    expect(collection.rangeAt(2, '')).toBeUndefined();
    expect(collection.eventsAfter(store.revision, 10)).toEqual([]);
  });

  it('keeps only so many events', () => {
    const store = new Store({ logLimit: 10 });
    for (let value = 0; value < 100; value += 1) store.put(kind, 'a/x', { value });
    expect(store.collection(kind).eventsAfter(50, 100)).toBeUndefined();
    expect(store.collection(kind).eventsAfter(store.revision - 10, 100)).toHaveLength(10);
  });
});

describe('a store', () => {
  it('finds the dependents of an owner, as references come and go', () => {
    const store = new Store();
    const owned = (uid: string) => ({ metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid }] } });
    store.put(kind, 'a/x', owned('one'));
    expect(store.dependentsOf('one')).toEqual([{ storageKey: kind, key: 'a/x' }]);
    store.put(kind, 'a/x', owned('two'));
    expect([store.dependentsOf('one'), store.dependentsOf('two')]).toEqual([[], [{ storageKey: kind, key: 'a/x' }]]);
    store.remove(kind, 'a/x');
    expect(store.dependentsOf('two')).toEqual([]);
  });
});
