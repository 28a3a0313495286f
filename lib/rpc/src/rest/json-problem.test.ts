import { create, createRegistry, fromJson, type JsonValue } from '@bufbuild/protobuf';
import { AnySchema, FileDescriptorProtoSchema, StringValueSchema, StructSchema, TypeSchema } from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonProblem } from './json-problem.ts';

const registry = createRegistry(StringValueSchema, StructSchema);

// A contract with lists, enums, numbers and messages in messages that every installation has.
const problem = (json: JsonValue) => jsonProblem(FileDescriptorProtoSchema, json, registry);

describe('jsonProblem', () => {
  it('finds nothing wrong with what can be read', () => {
    expect(problem({})).toBeUndefined();
    expect(problem({ name: 'x', messageType: [{ field: [{ number: 1 }] }] })).toBeUndefined();
    expect(jsonProblem(AnySchema, { '@type': 'x/google.protobuf.StringValue', value: 'x' }, registry)).toBeUndefined();
  });

  it.each<[JsonValue, string, RegExp]>([
    [[], '', /^must be an object$/],
    ['x', '', /^must be an object$/],
    [{ nope: 1 }, 'nope', /^unknown field: must be one of name, package, /],
    [{ name: 5 }, 'name', /^must be a string/],
    [{ messageType: {} }, 'message_type', /^must be a list$/],
    [{ message_type: [{}, { field: [{ number: 'x' }] }] }, 'message_type[1].field[0].number', /^must be a whole number from -2147483648/],
    [{ messageType: [{ field: [{ number: 2 ** 31 }] }] }, 'message_type[0].field[0].number', /^must be a whole number/],
    [{ messageType: [{ field: [{ type: 'TYPE_NOPE' }] }] }, 'message_type[0].field[0].type', /^must be one of TYPE_DOUBLE, /],
    [{ messageType: [null] }, 'message_type[0]', /^must be an object$/],
    [{ options: { deprecated: 'yes' } }, 'options.deprecated', /^must be true or false$/],
    [{ options: 'x' }, 'options', /^must be an object$/],
    [{ messageType: [], message_type: [] }, '', /set twice/],
  ])('of %j is in "%s"', (json, field, description) => {
    expect(problem(json)).toEqual({ field, description: expect.stringMatching(description) });
  });

  it('says what the forms of messages without fields of their own are', () => {
    expect(jsonProblem(AnySchema, { '@type': 'x/nope' }, registry, 'spec.value')).toEqual({
      field: 'spec.value',
      description: expect.stringContaining('"@type"'),
    });
    expect(jsonProblem(TypeSchema, { options: [{ value: { value: 1 } }] }, registry)).toMatchObject({ field: 'options[0].value' });
  });

  it('finds something wrong with exactly what cannot be read, and never repeats a value', () => {
    const secret = 'hunter2';
    const values = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        fc.constantFrom<JsonValue>(secret, 1, 1.5, -1, true, null, 'TYPE_INT32'),
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom('name', 'number', 'type', 'field', 'messageType', 'options', 'deprecated', 'other'), tie('value'), {
          maxKeys: 3,
        }),
      ),
    })).value;
    fc.assert(
      fc.property(values, (json) => {
        const found = problem(json);
        expect(found === undefined).toBe(isReadable(json));
        expect(found?.description ?? '').not.toContain(secret);
      }),
    );
  });
});

function isReadable(json: JsonValue): boolean {
  try {
    return fromJson(FileDescriptorProtoSchema, json, { registry }).$typeName === create(FileDescriptorProtoSchema).$typeName;
  } catch {
    return false;
  }
}
