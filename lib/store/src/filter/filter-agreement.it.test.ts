import { create, type Message } from '@bufbuild/protobuf';
import { messageOf } from '@quartermaster/kernel';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expressions } from '../../test/sample-expressions.ts';
import { sampleTypes } from '../../test/sample-message.ts';
import { members } from '../../test/sample-values.ts';
import { startTestPostgres, type TestPostgres } from '../embedded/index.ts';
import type { ColumnsOf, FieldColumn } from './columns-of.ts';
import { compileFilter } from './compile-filter.ts';
import type { FilterOptions } from './filter.ts';
import { formatTimestamp } from './literals.ts';
import { SqlParameters } from './sql-parameters.ts';
import { microsOfTimestamp, toStorageJson } from './storage-json.ts';

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
    await client.query(`create table objects (
      id text collate "C" primary key, name text collate "C" not null, version bigint not null, created_at timestamptz not null,
      deleted_at timestamptz, tenants text[] not null, labels jsonb not null, data jsonb not null,
      class text collate "C" generated always as (coalesce(data #>> '{spec,class}', '')) stored,
      score float8 generated always as (coalesce((data #>> '{spec,score}')::float8, 0)) stored,
      marked boolean generated always as (coalesce((data #>> '{spec,marked}')::boolean, false)) stored,
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
      { numRuns: 600 },
    );
    // A generator that selects nothing would agree, too.
    expect(matches).toBeGreaterThan(600 * rowCount * 0.2);
  });
});
