import { describe, expect, it } from 'vitest';
import { sampleTypes } from '../../../test/sample-message.ts';
import { compileFilter } from '../compile-filter.ts';
import type { ColumnsOf, FieldColumn } from '../contract/columns-of.ts';
import { SqlParameters } from '../contract/sql-parameters.ts';

const types = sampleTypes();
const byPath: Readonly<Record<string, FieldColumn>> = {
  id: { sql: 'id', form: 'text' },
  'metadata.version': { sql: 'version', form: 'bigint' },
  'metadata.creation_timestamp': { sql: 'created_at', form: 'timestamptz' },
  'metadata.deletion_timestamp': { sql: 'deleted_at', form: 'timestamptz', isNullable: true },
  'metadata.tenants': { sql: 'tenants', form: 'text[]' },
  'metadata.labels': { sql: 'labels', form: 'jsonb' },
  'spec.class': { sql: 'class', form: 'text' },
  'spec.score': { sql: 'score', form: 'double' },
  'spec.children.*.title': { sql: 'titles', form: 'text[]' },
};
const columns: ColumnsOf = { json: 'data', column: (path) => byPath[path.join('.')] };

function sqlOf(text: string): readonly [text: string, values: readonly unknown[]] {
  const parameters = new SqlParameters();
  return [compileFilter(text, { roots: [{ variable: 'this', message: types.object }] }).toSql(columns, parameters), parameters.values];
}

describe('the SQL of a filter', () => {
  it.each([
    ['this.spec.class == "c3"', '(class = $1::text)', ['c3']],
    ['"c3" == this.spec.class', '(class = $1::text)', ['c3']],
    ['this.spec.class == ""', `(class = '')`, []],
    ['"" != this.spec.class', `(class <> '')`, []],
    ['this.spec.class in ["a", "b"]', '(class = any($1::text[]))', [['a', 'b']]],
    ['this.spec.class.startsWith("50%_\\\\")', '(class like $1::text)', ['50\\%\\_\\\\%']],
    ['this.spec.class < "x" && this.id != "y"', '((class collate "C" < $1::text) and (id <> $2::text))', ['x', 'y']],
    ['5 < this.metadata.version', '(version > $1::bigint)', ['5']],
    ['this.metadata.version in [1, 2]', '(version = any($1::bigint[]))', [['1', '2']]],
    ['this.spec.score == 1.5', '(score = $1::float8)', ['1.5']],
    ['has(this.metadata.deletion_timestamp)', '(deleted_at is not null)', []],
    ['!has(this.metadata.deletion_timestamp)', '(deleted_at is null)', []],
    ['this.metadata.deletion_timestamp == null', '(deleted_at is null)', []],
    [
      'this.metadata.creation_timestamp >= timestamp("2026-01-01T00:00:00+01:00")',
      '(created_at >= $1::timestamptz)',
      ['2025-12-31T23:00:00.000000Z'],
    ],
    ['this.metadata.creation_timestamp > now - duration("1h")', '(created_at > now() + $1::interval)', ['-3600000000 microseconds']],
    ['"red" in this.metadata.tenants', '(tenants @> array[$1::text])', ['red']],
    ['this.metadata.labels["team"] == "a"', '(labels @> $1::jsonb)', ['{"team":"a"}']],
    ['"team" in this.metadata.labels', '(labels ? $1::text)', ['team']],
    ['has(this.metadata.labels.team)', '(labels ? $1::text)', ['team']],
    ['this.spec.children.exists(c, c.title == "x")', '(titles @> array[$1::text])', ['x']],
    ['this.spec.children.exists(c, "x" == c.title)', '(titles @> array[$1::text])', ['x']],
    [
      'this.spec.children.exists(c, c.title.contains("x"))',
      '(exists (select from unnest(titles) as member(v) where member.v like $1::text))',
      ['%x%'],
    ],
    ['this.spec.title == "x"', `((coalesce((data #>> '{spec,title}'), '')) = $1::text)`, ['x']],
  ])('lets an index serve %s', (text, sql, values) => {
    expect(sqlOf(text)).toEqual([sql, values]);
  });

  it('keeps a missing key unknown wherever that matters', () => {
    expect(sqlOf('!(this.metadata.labels["team"] == "a")')[0]).not.toContain('@>');
    expect(sqlOf('(this.metadata.labels["team"] == "a") == false')[0]).not.toContain('@>');
    expect(sqlOf('this.spec.flag || this.metadata.labels["team"] == "a"')[0]).toContain('labels @> $1::jsonb');
  });

  it('does not ask a column of items for what it leaves out', () => {
    for (const text of [
      'exists(c, c.title == "")',
      'exists(c, c.title.contains(""))',
      'all(c, c.title == "x")',
      'exists(c, c.title != "x")',
    ]) {
      expect(sqlOf(`this.spec.children.${text}`)[0]).not.toContain('titles');
    }
  });

  it('holds no text of the caller', () => {
    const [sql, values] = sqlOf(
      `this.spec.title == "'; drop table hosts; --" || this.spec.notes["'; drop"] == "x" || this.id.matches("drop")`,
    );
    expect(sql).not.toContain('drop');
    expect(values).toContain("'; drop table hosts; --");
  });

  it('grows with the expression and no faster', () => {
    const nested = (depth: number): number => {
      const [open, close] = ['this.spec.groups['.repeat(depth), '].title'.repeat(depth)];
      return sqlOf(`${open}"a"${close} == ""`)[0].length;
    };
    expect(nested(20) / nested(10)).toBeLessThan(3);
    const ratios = (depth: number): number => sqlOf(`${'this.spec.ratio * '.repeat(depth)}1.0 > 0.0`)[0].length;
    expect(ratios(40) / ratios(20)).toBeLessThan(3);
  });

  it('continues the parameters of a statement', () => {
    const parameters = new SqlParameters();
    expect(parameters.add('first', 'text')).toBe('$1::text');
    const filter = compileFilter('this.id == "x"', { roots: [{ variable: 'this', message: types.object }] });
    expect(filter.toSql(columns, parameters)).toBe('(id = $2::text)');
    expect(parameters.values).toEqual(['first', 'x']);
  });

  it('hides the values from the planner where a plan is to be kept', () => {
    const parameters = new SqlParameters({ isPlannedOnce: true });
    const filter = compileFilter('this.id == "x" || this.id in ["y", "z"]', { roots: [{ variable: 'this', message: types.object }] });
    expect(filter.toSql(columns, parameters)).toBe('((id = (select $1::text)::text) or (id = any((select $2::text[])::text[])))');
    expect(parameters.values).toEqual(['x', ['y', 'z']]);
    expect(parameters.addPattern('x%')).toBe('$3::text');
  });
});
