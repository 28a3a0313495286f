import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor, listName } from './list-cursor.ts';

const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', 'é', '\u{1F600}', '\n', '[') });

describe('a cursor', () => {
  it('holds its place', () => {
    fc.assert(
      fc.property(fc.array(text), (key) => {
        const list = listName('hosts', 'filter', 'order');
        expect(decodeCursor(encodeCursor({ list, key }), list)).toEqual(key);
      }),
    );
  });

  it('belongs to one list', () => {
    const cursor = encodeCursor({ list: listName('hosts', 'a', 'b'), key: ['1'] });
    expect(() => decodeCursor(cursor, listName('hosts', 'a', 'c'))).toThrow('another filter or order');
  });

  it('is nothing that somebody makes up', () => {
    fc.assert(
      fc.property(text, (made) => {
        expect(() => decodeCursor(made, 'list')).toThrow('field "cursor"');
      }),
    );
  });
});

describe('the name of a list', () => {
  it('differs for every split of the same text', () => {
    expect(new Set([listName('a', 'bc'), listName('ab', 'c'), listName('abc'), listName('a', 'b', 'c')]).size).toBe(4);
  });
});
