import { silentLog } from '@quartermaster/kernel';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../../test/feed-fixture.ts';
import { startTestPostgres, type TestPostgres } from '../../test/start-test-postgres.ts';
import type { Database } from '../database.ts';
import { migrate } from '../migrate.ts';
import { storeMigrations } from '../store-migrations.ts';

type Json = string | number | readonly Json[] | { readonly [key: string]: Json };

let postgres: TestPostgres;
let database: Database;

beforeAll(async () => {
  postgres = await startTestPostgres({
    prepare: async (url) => void (await migrate({ url }, { directory: storeMigrations.directory, log: silentLog })),
  });
  database = testDatabase(await postgres.createDatabase());
});

afterAll(async () => {
  await database.close();
  await postgres.stop();
});

async function merged(cases: readonly { readonly stored: Json; readonly known: Json; readonly wished: Json }[]): Promise<readonly Json[]> {
  const rows = await database.query<{ merged: Json }>(
    {
      text: `select with_unknown_fields(each.doc -> 'stored', each.doc -> 'known', each.doc -> 'wished') as merged
        from jsonb_array_elements($1::jsonb) with ordinality as each(doc, place) order by place`,
    },
    [JSON.stringify(cases)],
  );
  return rows.map((row) => row.merged);
}

/** Documents of two releases: names that begin with an x are of the newer one. */
const leaf = fc.constantFrom<Json>('', 'a', 1, [1, 2], [{ a: 1, x1: 2 }]);
const key = fc.constantFrom('a', 'b', 'c', 'x1', 'x2');
const { tree } = fc.letrec<{ tree: { readonly [key: string]: Json } }>((tie) => ({
  tree: fc.dictionary(key, fc.oneof({ maxDepth: 3 }, leaf, tie('tree')), { maxKeys: 4 }),
}));

/** What the older release makes of it. */
function asOlder(json: Json): Json {
  if (Array.isArray(json)) return (json as readonly Json[]).map(asOlder);
  if (typeof json !== 'object') return json;
  return Object.fromEntries(
    Object.entries(json)
      .filter(([name]) => !name.startsWith('x'))
      .map(([name, value]) => [name, asOlder(value)]),
  );
}

/** By the schema that both know: fields of the older one as wished, those of the newer one as stored wherever their message still is. */
function expected(stored: Json, wished: Json): Json {
  if (JSON.stringify(asOlder(stored)) === JSON.stringify(wished)) return stored;
  if (typeof stored !== 'object' || typeof wished !== 'object' || Array.isArray(stored) || Array.isArray(wished)) return wished;
  const [old, now] = [stored as Record<string, Json>, wished as Record<string, Json>];
  const known = Object.entries(now).map(([name, value]) => [name, name in old ? expected(old[name] ?? '', value) : value]);
  return Object.fromEntries([...known, ...Object.entries(old).filter(([name]) => name.startsWith('x'))]) as Json;
}

/** Names of objects in one order, as jsonb keeps them. */
const sorted = (json: Json): Json => {
  if (Array.isArray(json)) return (json as readonly Json[]).map(sorted);
  if (typeof json !== 'object') return json;
  return Object.fromEntries(
    Object.entries(json)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, sorted(value)]),
  );
};

describe('fields of a newer release in the document', () => {
  it('are kept by whatever an older release writes, which has all of its own as it wished', async () => {
    const cases = fc.sample(fc.tuple(tree, tree), 1_000).map(([newer, other]) => {
      const stored = sorted(newer);
      return { stored, known: asOlder(stored), wished: asOlder(sorted(other)) };
    });
    const results = await merged(cases);
    for (const [index, { stored, wished }] of cases.entries()) {
      const result = results[index] ?? '';
      expect(sorted(result)).toEqual(sorted(expected(stored, wished)));
    }
    expect(cases.filter(({ stored, wished }, index) => results[index] !== stored && results[index] !== wished).length).toBeGreaterThan(100);
  });
});
