import { create, createFileRegistry, type DescMessage } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema, FieldDescriptorProto_Label as Label, FieldDescriptorProto_Type as Type } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { secretPathsOf } from './secret-fields.ts';

/** A message whose field `parts` holds messages with a secret, in the way that is given. */
function messageWith(field: { readonly label?: Label; readonly oneofIndex?: number }): DescMessage {
  const secret = { name: 'key', number: 1, type: Type.STRING, label: Label.OPTIONAL, options: { debugRedact: true } };
  const parts = { name: 'parts', number: 1, type: Type.MESSAGE, typeName: '.t.Part', label: Label.OPTIONAL, ...field };
  const set = create(FileDescriptorSetSchema, {
    file: [
      {
        name: 't.proto',
        package: 't',
        syntax: 'proto3',
        messageType: [
          { name: 'Part', field: [secret] },
          { name: 'Whole', field: [parts], oneofDecl: field.oneofIndex === undefined ? [] : [{ name: 'choice' }] },
        ],
      },
    ],
  });
  const found = createFileRegistry(set).getMessage('t.Whole');
  if (found === undefined) throw new Error('there is no t.Whole');
  return found;
}

describe('the secret fields of a type', () => {
  it('are those that the contract marks', () => {
    expect(secretPathsOf(messageWith({}))).toEqual(['parts.key']);
    expect(secretPathsOf(FileDescriptorSetSchema)).toEqual([]);
  });

  it('are refused where they could not be sealed', () => {
    for (const field of [{ label: Label.REPEATED }, { oneofIndex: 0 }]) {
      expect(() => secretPathsOf(messageWith(field))).toThrow('secret parts.key of t.Whole must lie outside of lists, maps and choices');
    }
  });
});
