import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CacheEntry } from './cache-api.ts';
import { CacheStore } from './cache-store.ts';

interface Value {
  readonly colours: readonly string[];
}

const keys = ['a', 'b', 'c', 'd'];
const colours = ['red', 'blue', 'green'];

const entry = fc.record({
  key: fc.constantFrom(...keys),
  uid: fc.constantFrom('u1', 'u2'),
  resourceVersion: fc.nat({ max: 5 }).map(String),
  value: fc.record({ colours: fc.uniqueArray(fc.constantFrom(...colours)) }),
});

const step = fc.oneof(
  entry.map((put) => ({ put })),
  fc.constantFrom(...keys).map((remove) => ({ remove })),
);

function newStore(): CacheStore<Value> {
  return new CacheStore<Value>({ colour: ({ value }) => value.colours }, (error) => {
    throw error;
  });
}

describe('CacheStore', () => {
  it('holds what was put last, finds it by index, and tells every difference exactly once', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const store = newStore();
        const model = new Map<string, CacheEntry<Value>>();
        const told = new Map<string, CacheEntry<Value>>();
        store.subscribe({
          added: (now) => {
            expect(told.has(now.key)).toBe(false);
            told.set(now.key, now);
          },
          updated: (now, before) => {
            expect(told.get(now.key)).toBe(before);
            expect(now.uid).toBe(before.uid);
            expect(now.resourceVersion).not.toBe(before.resourceVersion);
            told.set(now.key, now);
          },
          deleted: (last) => {
            expect(told.get(last.key)).toBe(last);
            told.delete(last.key);
          },
        });
        for (const action of steps) {
          if ('put' in action) {
            store.put(action.put);
            const before = model.get(action.put.key);
            const isSame = before?.uid === action.put.uid && before.resourceVersion === action.put.resourceVersion;
            if (!isSame) model.set(action.put.key, action.put);
          } else {
            store.remove(action.remove);
            model.delete(action.remove);
          }
        }
        expect(new Map([...store.entries()].map((held) => [held.key, held]))).toEqual(model);
        expect(told).toEqual(model);
        for (const colour of colours) {
          const expected = [...model.values()].filter(({ value }) => value.colours.includes(colour));
          expect(new Set(store.byIndex('colour', colour))).toEqual(new Set(expected));
        }
      }),
    );
  });

  it('leaves an object out of an index whose function throws, and keeps the object', () => {
    const failures: unknown[] = [];
    const store = new CacheStore<number>(
      {
        odd: () => {
          throw new Error('no index');
        },
      },
      (error) => failures.push(error),
    );
    store.put({ key: 'a', uid: 'u', resourceVersion: '1', value: 1 });
    expect(store.get('a')?.value).toBe(1);
    expect(store.byIndex('odd', 'x')).toEqual([]);
    expect(failures).toHaveLength(1);
  });
});
