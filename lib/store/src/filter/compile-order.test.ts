import { create } from '@bufbuild/protobuf';
import { codeOf, messageOf } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { sampleTypes } from '../../test/sample-message.ts';
import { compileOrder } from './compile-order.ts';
import type { ColumnsOf, FieldColumn } from './contract/columns-of.ts';
import type { OrderOptions } from './contract/order.ts';
import { SqlParameters } from './contract/sql-parameters.ts';

const { object: message } = sampleTypes();
const options: OrderOptions = { message, hidden: (path) => path.join('.') === 'spec.secret' };
const byPath: Readonly<Record<string, FieldColumn>> = {
  id: { sql: 'id', form: 'text' },
  'metadata.name': { sql: 'name', form: 'text' },
  'metadata.version': { sql: 'version', form: 'bigint' },
  'metadata.creation_timestamp': { sql: 'created_at', form: 'timestamptz' },
};
const columns: ColumnsOf = { json: 'data', column: (path) => byPath[path.join('.')] };

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (thrown) {
    expect(codeOf(thrown)).toBe('invalid_argument');
    return messageOf(thrown);
  }
  throw new Error('it was accepted');
}

describe('an order', () => {
  it.each([
    ['', 'id', 'id collate "C"'],
    ['metadata.name', 'metadata.name,id', 'name collate "C", id collate "C"'],
    [
      ' this.metadata.name  DESC ,metadata.version asc',
      'metadata.name desc,metadata.version,id',
      'name collate "C" desc, version, id collate "C"',
    ],
    ['id desc, metadata.name', 'id desc', 'id collate "C" desc'],
    ['spec.count', 'spec.count,id', `(coalesce(((data #>> '{spec,count}'))::numeric, 0)), id collate "C"`],
    ['metadata.creation_timestamp desc', 'metadata.creation_timestamp desc,id', 'created_at desc, id collate "C"'],
  ])('of %j is ended by the id', (text, canonical, sql) => {
    const order = compileOrder(text, options);
    expect([order.text, order.toSql(columns)]).toEqual([canonical, sql]);
  });

  it('continues behind an object, in one direction by rows and in several term by term', () => {
    const object = create(message, { id: 'x', metadata: { name: 'n', version: 5n, creationTimestamp: { seconds: 1n, nanos: 5000 } } });
    const parameters = new SqlParameters();
    const rising = compileOrder('metadata.name, metadata.version', options);
    expect(rising.after(rising.keyOf(object), columns, parameters)).toBe(
      '((name collate "C", version, id collate "C") > ($1::text, $2::bigint, $3::text))',
    );
    const mixed = compileOrder('metadata.creation_timestamp desc', options);
    expect(mixed.after(mixed.keyOf(object), columns, parameters)).toBe(
      '(created_at <= $4::timestamptz and (created_at < $4::timestamptz or (created_at = $4::timestamptz and id collate "C" > $5::text)))',
    );
    expect(parameters.values).toEqual(['n', '5', 'x', '1970-01-01T00:00:01.000005Z', 'x']);
  });

  it.each([
    ['metadata.nam', 'field "order": at character 1: there is no field "nam" in metadata; did you mean "name"?'],
    ['id, spec.secret', ''],
    ['metadata.name, spec.secret', 'at character 15: there is no field "secret" in spec'],
    ['spec', '"spec" is a message Spec: only single values have an order'],
    ['spec.texts', '"spec.texts" is a list of string: only single values have an order'],
    ['spec.title.x', 'a string has no field "x" to order by'],
    ['metadata.name down', '"metadata.name down" is not a valid sort term: write a field, optionally followed by asc or desc'],
    ['metadata.name,,id', '"" is not a valid sort term'],
    ['metadata.name desc desc', 'is not a valid sort term'],
    ['spec.count,'.repeat(9).concat('spec.big'), 'has 10 terms, at most 8 are allowed'],
    ['x'.repeat(2000), 'has 2000 characters, at most 1000 are allowed'],
    ['spec.wrapped_text', 'only single values have an order'],
  ])('that cannot be is refused (%#)', (text, expected) => {
    if (expected === '') expect(compileOrder(text, options).text).toBe('id');
    else expect(refusal(() => compileOrder(text, options))).toContain(expected);
  });

  it.each([[[]], [['a', 'b', 'c']], [['1e9', 'x']], [['9223372036854775808', 'x']], [['1', '\0']], [['1', '\ud800']]])(
    'refuses a key that it did not make: %j',
    (key) => {
      const order = compileOrder('metadata.version', options);
      expect(refusal(() => order.after(key, columns, new SqlParameters()))).toBe(
        'the cursor was not made for this order: start again without it',
      );
    },
  );
});
