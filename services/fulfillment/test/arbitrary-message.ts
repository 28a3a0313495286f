import { create, type DescField, type DescMessage, type MessageShape, ScalarType } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import fc from 'fast-check';

type Fill = (message: ReflectMessage) => void;

/** Messages of a type with any of their fields set: short texts, small maps and lists, so that two of them often meet in a key. */
export function arbitraryMessage<Desc extends DescMessage>(
  schema: Desc,
  texts: fc.Arbitrary<string> = shortTexts,
): fc.Arbitrary<MessageShape<Desc>> {
  return fillOf(schema, texts).map((fill) => {
    const message = create(schema);
    fill(reflect(schema, message, false));
    return message;
  });
}

function fillOf(message: DescMessage, texts: fc.Arbitrary<string>): fc.Arbitrary<Fill> {
  return fc.tuple(...message.fields.map((field) => fieldFill(field, texts))).map((fills) => (target) => {
    for (const fill of fills) fill?.(target);
  });
}

function fieldFill(field: DescField, texts: fc.Arbitrary<string>): fc.Arbitrary<Fill | undefined> {
  return fc.option(setFill(field, texts), { nil: undefined, freq: 3 });
}

function setFill(field: DescField, texts: fc.Arbitrary<string>): fc.Arbitrary<Fill> {
  switch (field.fieldKind) {
    case 'scalar':
      return scalar(field.scalar, texts).map((value) => (target) => target.set(field, value));
    case 'enum':
      return fc.constantFrom(...field.enum.values.map(({ number }) => number)).map((value) => (target) => target.set(field, value));
    case 'message':
      return part(field.message, texts).map((value) => (target) => target.set(field, value));
    case 'list':
      return fc.array(item(field, texts), { maxLength: 3 }).map((items) => (target) => {
        for (const each of items) target.get(field).add(each);
      });
    case 'map':
      return fc.dictionary(keys, item(field, texts), { maxKeys: 3 }).map((entries) => (target) => {
        for (const [key, value] of Object.entries(entries)) target.get(field).set(key, value);
      });
  }
}

const keys = fc.constantFrom('a', 'b', 'c.d/e');
const shortTexts = fc.constantFrom('', 'x', 'y', 'z');

function item(field: DescField & { fieldKind: 'list' | 'map' }, texts: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  if (field.message !== undefined) return part(field.message, texts);
  if (field.enum !== undefined) return fc.constantFrom(...field.enum.values.map(({ number }) => number));
  return scalar(field.scalar ?? ScalarType.STRING, texts);
}

function part(message: DescMessage, texts: fc.Arbitrary<string>): fc.Arbitrary<ReflectMessage> {
  return fillOf(message, texts).map((fill) => {
    const value = reflect(message, undefined, false);
    fill(value);
    return value;
  });
}

function scalar(type: ScalarType, texts: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  switch (type) {
    case ScalarType.STRING:
      return texts;
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 3 });
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.INT64:
      return fc.bigInt(0n, 9n);
    default:
      return fc.integer({ min: 0, max: 9 });
  }
}
