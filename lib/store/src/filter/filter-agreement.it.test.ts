import { create, type Message } from '@bufbuild/protobuf';
import { messageOf } from '@quartermaster/kernel';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expressions } from '../../test/sample-expressions.ts';
import { sampleTypes } from '../../test/sample-message.ts';
import { patterns, patternTexts } from '../../test/sample-patterns.ts';
import { members } from '../../test/sample-values.ts';
import { startTestPostgres, type TestPostgres } from '../../test/start-test-postgres.ts';
import { compileFilter } from './compile-filter.ts';
import { compileOrder } from './compile-order.ts';
import type { ColumnsOf, FieldColumn } from './contract/columns-of.ts';
import type { FilterOptions } from './contract/filter.ts';
import type { Order } from './contract/order.ts';
import { SqlParameters } from './contract/sql-parameters.ts';
import { microsOfTimestamp, toStorageJson } from './evaluate/storage-json.ts';
import { formatTimestamp } from './language/literals.ts';
import { Pattern } from './language/pattern.ts';

const types = sampleTypes();
const options: FilterOptions = { roots: [{ variable: 'this', message: types.object }] };
const now = new Date('2026-03-01T12:00:00.123Z');
const rowCount = 100;

const columnsByPath: Readonly<Record<string, FieldColumn>> = {
  id: { sql: 'id', form: 'text' },
  'metadata.name': { sql: 'name', form: 'text' },
  'metadata.version': { sql: 'version', form: 'bigint' },
  'metadata.creation_timestamp': { sql: 'created_at', form: 'timestamptz' },
  'metadata.deletion_timestamp': { sql: 'deleted_at', form: 'timestamptz', isNullable: true },
  'metadata.tenants': { sql: 'tenants', form: 'text[]' },
  'metadata.labels': { sql: 'labels', form: 'jsonb' },
  'spec.class': { sql: 'class', form: 'text' },
  'spec.score': { sql: 'score', form: 'double' },
  'spec.marked': { sql: 'marked', form: 'bool' },
  'spec.children.*.title': { sql: 'titles', form: 'text[]' },
  'spec.maybe_text': { sql: 'maybe_text', form: 'text', isNullable: true },
};
const columns: ColumnsOf = {
  json: 'data',
  column: (path) => columnsByPath[path.join('.')],
  present: (path) => (path.join('.') === 'metadata' ? 'true' : undefined),
};

/** The generator does not count quantifiers within each other. */
function isTooNested(text: string): boolean {
  try {
    compileFilter(text, options);
    return false;
  } catch (thrown) {
    return messageOf(thrown).includes('is within more than one other');
  }
}

interface SampleMetadata {
  readonly name: string;
  readonly version: bigint;
  readonly creationTimestamp: { readonly seconds: bigint; readonly nanos: number };
  readonly deletionTimestamp?: { readonly seconds: bigint; readonly nanos: number };
  readonly tenants: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

describe('a filter asked of PostgreSQL and in memory', () => {
  let postgres: TestPostgres;
  let client: pg.Client;
  const objects = new Map<string, Message>(); // id -> object

  beforeAll(async () => {
    postgres = await startTestPostgres();
    client = new pg.Client({ connectionString: await postgres.createDatabase() });
    await client.connect();
    await client.query(`create function titles_in(list jsonb) returns text[] language sql immutable as $$
      select coalesce(array_agg(distinct value ->> 'title'), '{}') from jsonb_array_elements(coalesce(list, '[]')) where value ->> 'title' <> '' $$`);
    await client.query(`create table objects (
      id text collate "C" primary key, name text collate "C" not null, version bigint not null, created_at timestamptz not null,
      deleted_at timestamptz, tenants text[] not null, labels jsonb not null, data jsonb not null,
      class text collate "C" generated always as (coalesce(data #>> '{spec,class}', '')) stored,
      score float8 generated always as (coalesce((data #>> '{spec,score}')::float8, 0)) stored,
      marked boolean generated always as (coalesce((data #>> '{spec,marked}')::boolean, false)) stored,
      titles text[] generated always as (titles_in(data #> '{spec,children}')) stored,
      maybe_text text generated always as (data #>> '{spec,maybe_text}') stored)`);
    for (const [i, each] of fc.sample(members, rowCount).entries()) await insert(`object-${i}`, each);
  });

  afterAll(async () => {
    await client?.end();
    await postgres?.stop();
  });

  async function insert(id: string, each: object): Promise<void> {
    const object = create(types.object, { id, ...each });
    objects.set(id, object);
    const { metadata } = object as Message & { metadata: SampleMetadata };
    const time = (value: { readonly seconds: bigint; readonly nanos: number }): string => formatTimestamp(microsOfTimestamp(value));
    await client.query('insert into objects values ($1, $2, $3, $4, $5, $6, $7, $8)', [
      id,
      metadata.name,
      metadata.version,
      time(metadata.creationTimestamp),
      metadata.deletionTimestamp === undefined ? null : time(metadata.deletionTimestamp),
      metadata.tenants,
      JSON.stringify(metadata.labels),
      toStorageJson(types.object, object, new Set(['id', 'metadata'])),
    ]);
  }

  async function bothSides(text: string): Promise<{ readonly found: readonly string[]; readonly matching: readonly string[] }> {
    const filter = compileFilter(text, options);
    const parameters = new SqlParameters();
    const where = filter.toSql(columns, parameters, now);
    const { rows } = await client.query<{ id: string }>(`select id from objects where ${where} order by id`, parameters.values);
    const matching = [...objects].filter(([, object]) => filter.matches({ this: object }, now)).map(([id]) => id);
    return { found: rows.map(({ id }) => id), matching: matching.toSorted() };
  }

  it('selects the same objects for any expression and for its opposite', async () => {
    let matches = 0;
    await fc.assert(
      fc.asyncProperty(expressions(), async (text) => {
        fc.pre(!isTooNested(text));
        for (const each of [text, `!(${text})`]) {
          const { found, matching } = await bothSides(each);
          expect(found).toEqual(matching);
          matches += found.length;
        }
      }),
      { numRuns: 1000 },
    );
    // A generator that selects nothing would agree, too.
    expect(matches).toBeGreaterThan(1000 * rowCount * 0.2);
  });

  it('matches the same texts with any pattern', async () => {
    let matches = 0;
    await fc.assert(
      fc.asyncProperty(patterns(), fc.array(patternTexts, { minLength: 50, maxLength: 50 }), async (source, texts) => {
        const pattern = new Pattern(source, 0);
        const statement = 'select text ~ $2::text as matches from unnest($1::text[]) with ordinality as texts(text, place) order by place';
        const { rows } = await client.query<{ matches: boolean }>(statement, [texts, pattern.postgres]);
        expect(rows.map((row) => row.matches)).toEqual(texts.map((text) => pattern.test(text)));
        matches += rows.filter((row) => row.matches).length;
      }),
      { numRuns: 300 },
    );
    expect(matches).toBeGreaterThan(300);
  });

  it('answers the largest expressions that are allowed', async () => {
    const deep = 20;
    const largest = [
      Array.from({ length: 900 }, (_, i) => `this.spec.title == "${i}"`).join(' || '),
      `this.spec.title in [${Array.from({ length: 1000 }, (_, i) => `"${i}"`).join(',')}]`,
      `${'('.repeat(40)}this.spec.flag${')'.repeat(40)}`,
      `${'!'.repeat(40)}this.spec.flag`,
      `${'this.spec.big + '.repeat(40)}1 > 0`,
      `${'this.spec.ratio * '.repeat(40)}1.0 > 0.0`,
      `${'this.spec.notes['.repeat(deep)}"a"${']'.repeat(deep)} == ""`,
      `${'this.spec.groups['.repeat(deep)}"a"${'].title'.repeat(deep)} == ""`,
      `${'(this.spec.flag ? 1.5 : '.repeat(deep)}this.spec.ratio${')'.repeat(deep)} > this.spec.score`,
    ];
    for (const text of largest) {
      const { found, matching } = await bothSides(text);
      expect(found).toEqual(matching);
    }
  });

  it('takes the start of the transaction for now unless it is told another', async () => {
    const parameters = new SqlParameters();
    const filter = compileFilter("now - duration('1h') < now && now > this.metadata.creation_timestamp - duration('100000h')", options);
    const where = filter.toSql({ ...columns, column: () => ({ sql: 'now()', form: 'timestamptz' }) }, parameters);
    const { rows } = await client.query<{ holds: boolean }>(`select ${where} as holds`, parameters.values);
    expect(rows).toEqual([{ holds: true }]);
  });

  it('pages through all objects in any order, each of them once', async () => {
    const terms = [
      'metadata.name',
      'metadata.version',
      'metadata.creation_timestamp',
      'metadata.deletion_timestamp',
      'spec.class',
      'spec.title',
      'spec.ratio',
      'spec.score',
      'spec.flag',
      'spec.huge',
      'spec.blob',
      'spec.state',
      'spec.at',
      'spec.maybe_text',
      'spec.child.size',
    ];
    const term = fc.tuple(fc.constantFrom(...terms), fc.constantFrom('', ' asc', ' desc')).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(term, { maxLength: 4 }), fc.constantFrom('', 'id', 'id desc'), async (some, last) => {
        const order = compileOrder([...some, last].filter((each) => each !== '').join(', '), { message: types.object });
        const all = await page(order, undefined, rowCount);
        const paged: string[] = [];
        for (let rest = await page(order, undefined, 30); rest.length > 0; rest = await page(order, paged.at(-1), 30)) paged.push(...rest);
        expect(paged).toEqual(all);
        expect(new Set(all).size).toBe(rowCount);
      }),
      { numRuns: 60 },
    );
  });

  it('orders as memory compares', async () => {
    const wrong: string[] = [];
    for (const path of [
      'metadata.name',
      'metadata.version',
      'metadata.deletion_timestamp',
      'spec.title',
      'spec.huge',
      'spec.blob',
      'spec.state',
      'spec.at',
    ]) {
      const order = compileOrder(path, { message: types.object });
      const all = await page(order, undefined, rowCount);
      const falling = compileFilter(`first.${path} > second.${path}`, {
        roots: ['first', 'second'].map((variable) => ({ variable, message: types.object })),
      });
      const inOrder = all.map((id) => objects.get(id)).filter((object) => object !== undefined);
      for (const [i, second] of inOrder.entries()) {
        const first = inOrder[i - 1];
        if (first !== undefined && falling.matches({ first, second }, now)) wrong.push(`${path} of ${all[i - 1]} and ${all[i]}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  async function page(order: Order, last: string | undefined, limit: number): Promise<readonly string[]> {
    const parameters = new SqlParameters();
    const object = last === undefined ? undefined : objects.get(last);
    const where = object === undefined ? 'true' : order.after(order.keyOf(object), columns, parameters);
    const { rows } = await client.query<{ id: string }>(
      `select id from objects where ${where} order by ${order.toSql(columns)} limit ${limit}`,
      parameters.values,
    );
    return rows.map(({ id }) => id);
  }
});
