import { create, type DescField, type DescMessage, type MessageShape, ScalarType } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import fc from 'fast-check';

/** What the scalar fields of a message may hold; integers are of 32 bits. */
export interface ScalarValues {
  readonly texts: fc.Arbitrary<string>;
  readonly integers: fc.Arbitrary<number>;
}

type Fill = (message: ReflectMessage) => void;

/** Messages of a type with any of their fields set: short texts, small maps and lists, so that two of them often meet in a key. */
export function arbitraryMessage<Desc extends DescMessage>(
  schema: Desc,
  values: Partial<ScalarValues> = {},
): fc.Arbitrary<MessageShape<Desc>> {
  return fillOf(schema, { ...shortValues, ...values }).map((fill) => {
    const message = create(schema);
    fill(reflect(schema, message, false));
    return message;
  });
}

function fillOf(message: DescMessage, values: ScalarValues): fc.Arbitrary<Fill> {
  return fc.tuple(...message.fields.map((field) => fieldFill(field, values))).map((fills) => (target) => {
    for (const fill of fills) fill?.(target);
  });
}

function fieldFill(field: DescField, values: ScalarValues): fc.Arbitrary<Fill | undefined> {
  return fc.option(setFill(field, values), { nil: undefined, freq: 3 });
}

function setFill(field: DescField, values: ScalarValues): fc.Arbitrary<Fill> {
  switch (field.fieldKind) {
    case 'scalar':
      return scalar(field.scalar, values).map((value) => (target) => target.set(field, value));
    case 'enum':
      return fc.constantFrom(...field.enum.values.map(({ number }) => number)).map((value) => (target) => target.set(field, value));
    case 'message':
      return part(field.message, values).map((value) => (target) => target.set(field, value));
    case 'list':
      return fc.array(item(field, values), { maxLength: 3 }).map((items) => (target) => {
        for (const each of items) target.get(field).add(each);
      });
    case 'map':
      return fc.dictionary(keys, item(field, values), { maxKeys: 3 }).map((entries) => (target) => {
        for (const [key, value] of Object.entries(entries)) target.get(field).set(key, value);
      });
  }
}

const keys = fc.constantFrom('a', 'b', 'c.d/e');
const shortValues: ScalarValues = { texts: fc.constantFrom('', 'x', 'y', 'z'), integers: fc.integer({ min: 0, max: 9 }) };

function item(field: DescField & { fieldKind: 'list' | 'map' }, values: ScalarValues): fc.Arbitrary<unknown> {
  if (field.message !== undefined) return part(field.message, values);
  if (field.enum !== undefined) return fc.constantFrom(...field.enum.values.map(({ number }) => number));
  return scalar(field.scalar ?? ScalarType.STRING, values);
}

function part(message: DescMessage, values: ScalarValues): fc.Arbitrary<ReflectMessage> {
  return fillOf(message, values).map((fill) => {
    const value = reflect(message, undefined, false);
    fill(value);
    return value;
  });
}

function scalar(type: ScalarType, values: ScalarValues): fc.Arbitrary<unknown> {
  switch (type) {
    case ScalarType.STRING:
      return values.texts;
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 3 });
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.INT64:
      return values.integers.map(BigInt);
    default:
      return values.integers;
  }
}
