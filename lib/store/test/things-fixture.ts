import type { Database, Transaction } from '../src/database.ts';

/** A table with constraints to break. */
export async function createThings(database: Database): Promise<void> {
  await database.query({
    text: 'create table things (id text constraint things_id primary key, count int not null default 0 constraint few check (count < 9000))',
  });
}

/** Counts one more of a thing. */
export const raise = (tx: Transaction, id: string): Promise<readonly object[]> =>
  tx.query(
    { name: 'raise', text: 'insert into things (id, count) values ($1, 1) on conflict (id) do update set count = things.count + 1' },
    [id],
  );
