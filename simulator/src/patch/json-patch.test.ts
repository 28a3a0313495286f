import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../schema/api-status.ts';
import type { JsonObject } from '../schema/json.ts';
import { applyJsonPatch } from './json-patch.ts';

const target = { data: { a: '1' }, list: ['x', 'y'], 'a/b': { '~': 0 } };
const patched = (...operations: readonly JsonObject[]) => applyJsonPatch(target, operations);

function refusedWith(act: () => unknown): number | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return refusalOf(error)?.code;
  }
}

describe('a JSON patch', () => {
  it('adds, replaces and removes fields', () => {
    const result = patched(
      { op: 'add', path: '/data/b', value: 2 },
      { op: 'replace', path: '/data/a', value: '9' },
      { op: 'remove', path: '/list' },
    );
    expect(result).toEqual({ data: { a: '9', b: 2 }, 'a/b': { '~': 0 } });
  });

  it('appends to a list with "-", inserts by index and counts negative indexes from the end', () => {
    const add = (path: string, value: string) => ({ op: 'add', path, value });
    expect(patched(add('/list/-', 'z'), add('/list/0', 'w'))['list']).toEqual(['w', 'x', 'y', 'z']);
    expect(patched({ op: 'replace', path: '/list/-1', value: 'q' })['list']).toEqual(['x', 'q']);
  });

  it('reads ~1 as a slash and ~0 as a tilde', () => {
    expect(patched({ op: 'replace', path: '/a~1b/~0', value: 1 })['a/b']).toEqual({ '~': 1 });
  });

  it('moves and copies', () => {
    expect(patched({ op: 'move', from: '/data/a', path: '/moved' })).toMatchObject({ data: {}, moved: '1' });
    expect(patched({ op: 'copy', from: '/list', path: '/data/a' })['data']).toEqual({ a: ['x', 'y'] });
  });

  it('sets a missing field by replace and copies a missing field as null, as the server does', () => {
    expect(patched({ op: 'replace', path: '/data/new', value: 1 })['data']).toEqual({ a: '1', new: 1 });
    expect(patched({ op: 'copy', from: '/data/none', path: '/data/new' })['data']).toEqual({ a: '1', new: null });
  });

  it('leaves its target as it was', () => {
    const before = structuredClone(target);
    patched({ op: 'remove', path: '/data/a' }, { op: 'add', path: '/list/-', value: 'z' });
    expect(target).toEqual(before);
  });

  it.each<[string, JsonObject]>([
    ['a test that fails', { op: 'test', path: '/data/a', value: '2' }],
    ['a removal of nothing', { op: 'remove', path: '/data/none' }],
    ['a move of nothing', { op: 'move', from: '/data/none', path: '/data/b' }],
    ['a parent that is not there', { op: 'add', path: '/none/a', value: 1 }],
    ['a step into a text', { op: 'add', path: '/data/a/b', value: 1 }],
    ['an index past the end', { op: 'add', path: '/list/3', value: 1 }],
    ['an index that is no number', { op: 'remove', path: '/list/x' }],
    ['a pointer without a slash', { op: 'add', path: 'data', value: 1 }],
    ['an unknown operation', { op: 'swap', path: '/data' }],
    ['a document that is gone', { op: 'remove', path: '' }],
    ['a document that is no object', { op: 'replace', path: '', value: [] }],
  ])('is unprocessable with %s', (_, operation) => {
    expect(refusedWith(() => patched(operation))).toBe(422);
  });

  it.each([[{}], ['text'], [[1]], [[{ op: 1, path: '/data' }]], [[{ op: 'add', path: {} }]]])(
    'is a bad request when it is %j',
    (operations) => {
      expect(refusedWith(() => applyJsonPatch(target, operations))).toBe(400);
    },
  );

  it('does not mistake inherited names for fields', () => {
    expect(refusedWith(() => patched({ op: 'remove', path: '/constructor' }))).toBe(422);
    expect(Object.keys(patched({ op: 'add', path: '/__proto__', value: { x: 1 } }))).toContain('__proto__');
  });

  it('undoes an addition by the removal of the same path', () => {
    const property = fc.property(fc.dictionary(fc.string(), fc.string()), fc.string(), fc.jsonValue(), (object, key, value) => {
      fc.pre(!Object.hasOwn(object, key));
      const path = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      expect(
        applyJsonPatch(object, [
          { op: 'add', path, value },
          { op: 'remove', path },
        ]),
      ).toEqual(object);
    });
    fc.assert(property);
  });
});
