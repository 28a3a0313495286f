import { FakeClock, silentLog } from '@quartermaster/kernel';
import { ArchiveKeeper } from '@quartermaster/objects';
import type { Database } from '@quartermaster/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestDatabases, type TestDatabases } from '../../test/test-database.ts';

let databases: TestDatabases;
let database: Database;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.open();
});

afterAll(async () => {
  await databases.stop();
});

describe('the archive', () => {
  it('keeps deleted objects for as long as the retention says', async () => {
    await database.query({
      text: `insert into archive (kind, id, name, version, created_at, deleted_at, archived_at, tenants, body)
        select 'hosts', i::text, '', 0, now(), now(), now() - make_interval(hours => i), '{}', '' from generate_series(1, 2500) as i`,
    });
    const keeper = new ArchiveKeeper({ database, retentionMs: 100.5 * 3_600_000, clock: new FakeClock(), log: silentLog });
    expect(await keeper.prune()).toBe(2400);
    const [left] = await database.query<{ n: bigint }>({ text: 'select count(*) as n from archive' });
    expect(left?.n).toBe(100n);
    expect(await keeper.prune()).toBe(0);
  });
});
