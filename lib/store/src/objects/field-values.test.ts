import { create } from '@bufbuild/protobuf';
import { ApiSchema, StructSchema, ValueSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { fieldValue, fieldValues } from './field-values.ts';

const api = create(ApiSchema, {
  name: 'a',
  methods: [{ name: 'x' }, { name: '' }, { name: 'x', options: [{ name: 'o' }] }],
  sourceContext: { fileName: 'f' },
});

describe('the value at a path', () => {
  it('is that of a field, however deep, and nothing where a message is not set', () => {
    expect(fieldValue(ApiSchema, 'name')(api)).toBe('a');
    expect(fieldValue(ApiSchema, 'source_context.file_name')(api)).toBe('f');
    expect(fieldValue(ApiSchema, 'source_context.file_name')(create(ApiSchema))).toBeUndefined();
  });

  it('is one: a path that leads to several is refused', () => {
    expect(() => fieldValue(ApiSchema, 'methods.*.name')).toThrow(/leads to several values/);
  });
});

describe('the values at a path', () => {
  it('are those of every entry of a list or map', () => {
    expect(fieldValues(ApiSchema, 'methods.*.name')(api)).toEqual(['x', '', 'x']);
    expect(fieldValues(ApiSchema, 'methods.*.options.*.name')(api)).toEqual(['o']);
    expect(fieldValues(ApiSchema, 'methods.*.name')(create(ApiSchema))).toEqual([]);
    const value = create(ValueSchema);
    expect(fieldValues(StructSchema, 'fields.*')(create(StructSchema, { fields: { a: value, b: value } }))).toEqual([value, value]);
  });

  it.each(['nothing', 'name.more', 'methods.name', 'name.*', 'source_context.nothing'])(
    'of the path %s, which the type does not have, are refused at once',
    (path) => {
      expect(() => fieldValues(ApiSchema, path)).toThrow(/has no field/);
    },
  );
});
