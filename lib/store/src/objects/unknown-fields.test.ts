import { create, type DescMessage, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { describe, expect, it } from 'vitest';
import { sampleTypes } from '../../test/sample-message.ts';
import { hasUnknownFields } from './unknown-fields.ts';

const { object } = sampleTypes();

function typeAt(schema: DescMessage, name: string): DescMessage {
  const found = schema.fields.find((field) => field.name === name)?.message;
  if (found === undefined || found === null) throw new Error(`${schema.typeName} has no message ${name}`);
  return found;
}

const spec = typeAt(object, 'spec');
const child = typeAt(spec, 'child');
const plain = create(child, { title: 'x' });
/** With a field of a newer release. */
const newer = fromBinary(child, new BinaryWriter().raw(toBinary(child, plain)).tag(990, WireType.LengthDelimited).string('later').finish());

const places: readonly (readonly [place: string, made: (of: Message) => Record<string, unknown>])[] = [
  ['a message', (of) => ({ child: of })],
  ['a message of a message', (of) => ({ child: create(child, { child: of }) })],
  ['a list', (of) => ({ children: [plain, of] })],
  ['a map', (of) => ({ groups: { a: plain, b: of } })],
  ['a oneof', (of) => ({ choice: { case: 'chosenChild', value: of } })],
];

describe('fields that this release does not know', () => {
  it.each(places)('are found in %s', (_place, made) => {
    const holding = (of: Message): Message => create(object, { id: 'a', spec: create(spec, made(of)) });
    expect([hasUnknownFields(holding(newer)), hasUnknownFields(holding(plain))]).toEqual([true, false]);
  });

  it('are found in the object itself', () => {
    expect([hasUnknownFields(newer), hasUnknownFields(plain)]).toEqual([true, false]);
  });
});
