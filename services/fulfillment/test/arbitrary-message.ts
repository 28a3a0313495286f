import { create, type DescField, type DescMessage, type MessageShape, ScalarType } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import fc from 'fast-check';

type Fill = (message: ReflectMessage) => void;

/** Messages of a type with any of their fields set: short texts, small maps and lists, so that two of them often meet in a key. */
export function arbitraryMessage<Desc extends DescMessage>(schema: Desc): fc.Arbitrary<MessageShape<Desc>> {
  return fillOf(schema).map((fill) => {
    const message = create(schema);
    fill(reflect(schema, message));
    return message;
  });
}

function fillOf(message: DescMessage): fc.Arbitrary<Fill> {
  return fc.tuple(...message.fields.map(fieldFill)).map((fills) => (target) => {
    for (const fill of fills) fill?.(target);
  });
}

function fieldFill(field: DescField): fc.Arbitrary<Fill | undefined> {
  return fc.option(setFill(field), { nil: undefined, freq: 3 });
}

function setFill(field: DescField): fc.Arbitrary<Fill> {
  switch (field.fieldKind) {
    case 'scalar':
      return scalar(field.scalar).map((value) => (target) => target.set(field, value));
    case 'enum':
      return fc.constantFrom(...field.enum.values.map(({ number }) => number)).map((value) => (target) => target.set(field, value));
    case 'message':
      return part(field.message).map((value) => (target) => target.set(field, value));
    case 'list':
      return fc.array(item(field), { maxLength: 3 }).map((items) => (target) => {
        for (const each of items) target.get(field).add(each);
      });
    case 'map':
      return fc.dictionary(keys, item(field), { maxKeys: 3 }).map((entries) => (target) => {
        for (const [key, value] of Object.entries(entries)) target.get(field).set(key, value);
      });
  }
}

const keys = fc.constantFrom('a', 'b', 'c.d/e');
const texts = fc.constantFrom('', 'x', 'y', 'z');

function item(field: DescField & { fieldKind: 'list' | 'map' }): fc.Arbitrary<unknown> {
  if (field.message !== undefined) return part(field.message);
  if (field.enum !== undefined) return fc.constantFrom(...field.enum.values.map(({ number }) => number));
  return scalar(field.scalar ?? ScalarType.STRING);
}

function part(message: DescMessage): fc.Arbitrary<ReflectMessage> {
  return fillOf(message).map((fill) => {
    const value = reflect(message);
    fill(value);
    return value;
  });
}

function scalar(type: ScalarType): fc.Arbitrary<unknown> {
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
