import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@quartermaster/kernel';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startTestPostgres, type TestPostgres } from '../test/start-test-postgres.ts';
import { until } from '../test/until.ts';
import { lockKey } from './lock-key.ts';
import { migrate } from './migrate.ts';
import { storeMigrations } from './store-migrations.ts';

let postgres: TestPostgres;
let url: string;
let directory: string;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

beforeEach(async () => {
  url = await postgres.createDatabase();
  directory = await mkdtemp(join(tmpdir(), 'migrations-'));
  await file('0001_things.sql', 'create table things (id text primary key);');
  await file('0002_count.sql', "alter table things add column count int not null default 0;\ninsert into things values ('a'), ('b');");
  await file('README.md', 'not a migration');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const file = (name: string, text: string): Promise<void> => writeFile(join(directory, name), text);
const run = (): Promise<readonly string[]> => migrate({ url }, { directory, log: silentLog });

async function query(text: string): Promise<readonly object[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(text)).rows;
  } finally {
    await client.end();
  }
}

describe('migrate', () => {
  it('runs every migration once, in order, and says which', async () => {
    const lines: unknown[] = [];
    const log = { ...silentLog, info: (message: string, fields?: unknown) => lines.push(message, fields) };
    expect(await migrate({ url }, { directory, log })).toEqual(['0001_things', '0002_count']);
    expect(JSON.stringify(lines)).toContain('"migration":"0002_count","number":2,"of":2');
    expect(await run()).toEqual([]);
    expect(await query('select * from things order by id')).toEqual([
      { id: 'a', count: 0 },
      { id: 'b', count: 0 },
    ]);
  });

  it('runs them once when several processes start together', async () => {
    const done = await Promise.all([run(), run(), run(), run()]);
    expect(done.filter((names) => names.length > 0)).toEqual([['0001_things', '0002_count']]);
    expect(await query('select from things')).toHaveLength(2);
  });

  it('runs those that a later release brings', async () => {
    await run();
    await file('0003_more.sql', "insert into things values ('c');");
    expect(await run()).toEqual(['0003_more']);
  });

  it('leaves nothing of one that fails, keeps those before it, and goes on when it is mended', async () => {
    await file('0003_bad.sql', "insert into things values ('c'); insert into nowhere values (1);");
    await expect(run()).rejects.toMatchObject({ code: 'internal', message: expect.stringMatching(/"0003_bad".*nowhere/) });
    expect(await query('select from things')).toHaveLength(2);
    await file('0003_bad.sql', "insert into things values ('c');");
    expect(await run()).toEqual(['0003_bad']);
  });

  it('leaves a database alone that a newer release migrated', async () => {
    await file('0003_newer.sql', 'alter table things add column colour text;');
    await run();
    await rm(join(directory, '0003_newer.sql'));
    expect(await run()).toEqual([]);
    expect(await query("select from things where colour is null and id = 'a'")).toHaveLength(1);
  });

  it('refuses one that a newer release changed beyond what this one knows', async () => {
    await file('0003_newer.sql', '-- breaks: previous\nalter table things drop column count;');
    await run();
    expect(await run()).toEqual([]);
    await rm(join(directory, '0003_newer.sql'));
    await expect(run()).rejects.toMatchObject({ code: 'failed_precondition', message: expect.stringContaining('0003_newer') });
  });

  it('refuses file names whose order cannot be seen', async () => {
    await file('3_late.sql', 'select 1;');
    await expect(run()).rejects.toMatchObject({ message: expect.stringContaining('"3_late.sql"') });
  });

  it('runs those of libraries after those of the service, each with a history of its own', async () => {
    const library = await mkdtemp(join(tmpdir(), 'library-'));
    onTestFinished(() => rm(library, { recursive: true, force: true }));
    await writeFile(
      join(library, '0001_things.sql'),
      'create table if not exists things (id text primary key); create table more (id text);',
    );
    const libraries = [{ name: 'lib', directory: library }];
    const both = () => migrate({ url }, { directory, libraries, log: silentLog });
    expect(await both()).toEqual(['0001_things', '0002_count', 'lib/0001_things']);
    expect(await query('select from things')).toHaveLength(2);
    await file('0003_more.sql', 'insert into more values (1);');
    await writeFile(join(library, '0002_more.sql'), '-- breaks: previous\nalter table more add column count int;');
    expect(await both()).toEqual(['0003_more', 'lib/0002_more']);
    await rm(join(library, '0002_more.sql'));
    await expect(both()).rejects.toMatchObject({ code: 'failed_precondition', message: expect.stringContaining('lib/0002_more') });
  });

  it('refuses what a library that it does not know has broken, before it runs anything', async () => {
    const library = await mkdtemp(join(tmpdir(), 'library-'));
    onTestFinished(() => rm(library, { recursive: true, force: true }));
    await writeFile(join(library, '0001_break.sql'), '-- breaks: previous\ncreate table broken (id text);');
    await migrate({ url }, { directory, libraries: [{ name: 'later', directory: library }], log: silentLog });
    await file('0003_more.sql', 'create table never (id text);');
    await expect(run()).rejects.toMatchObject({ code: 'failed_precondition', message: expect.stringContaining('later/0001_break') });
    expect(await query(`select to_regclass('never') as made`)).toEqual([{ made: null }]);
  });

  it('leaves a release that knows no libraries working, as far as it can tell', async () => {
    await migrate({ url }, { directory, libraries: [storeMigrations], log: silentLog });
    expect(await run()).toEqual([]);
    const rows = await query('select name from migrations order by id');
    expect(rows).toEqual(
      ['0001_things', '0002_count', 'store/0001_changes_archive_secrets', 'store/0002_unknown_fields'].map((name) => ({ name })),
    );
  });

  it('gives way to transactions of the release before, says so, and tries again', async () => {
    await query('create table parts (id text)');
    await file('0003_both.sql', 'alter table things add column colour text;\nalter table parts add column colour text;');
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('begin; lock table parts in row exclusive mode');
    const warnings: unknown[] = [];
    const log = { ...silentLog, warn: (...said: unknown[]) => warnings.push(said) };
    const running = migrate({ url }, { directory, log });
    await until(async () => expect(await query("select from pg_locks where not granted and relation = 'parts'::regclass")).not.toEqual([]));
    // Waits for the migration, which waits for it.
    await other.query("insert into things values ('c'); commit");
    expect(await running).toEqual(['0001_things', '0002_count', '0003_both']);
    expect(warnings[0]).toEqual([expect.stringContaining('cannot lock its tables'), { migration: '0003_both', attempt: 1 }]);
    expect(await query('select id from things where colour is null order by id')).toEqual(['a', 'b', 'c'].map((id) => ({ id })));
  });

  it('ends with the reason of its signal while it waits for another process', async () => {
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    try {
      await other.query(`select pg_advisory_lock(${lockKey('quartermaster/migrations')})`);
      const ending = new AbortController();
      const log = { ...silentLog, info: () => ending.abort(new Error('told to stop')) };
      await expect(migrate({ url }, { directory, log, signal: ending.signal })).rejects.toThrow('told to stop');
    } finally {
      await other.end();
    }
  });

  it('is unavailable, not wrong, when the database is away', async () => {
    const away = new URL(url);
    away.port = '1';
    await expect(migrate({ url: away.href }, { directory, log: silentLog })).rejects.toMatchObject({ code: 'unavailable' });
  });
});
