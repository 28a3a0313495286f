import { StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import type { Queryable, Statement } from '../database.ts';
import { type BatchPart, hexOf, RawJson, WriteBatch } from './write-batch.ts';

interface Sent {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

function database(refuse?: StatusError): { readonly sent: Sent[]; readonly queryable: Queryable } {
  const sent: Sent[] = [];
  return {
    sent,
    queryable: {
      query<R extends object>(statement: Statement, values: readonly unknown[] = []): Promise<readonly R[]> {
        sent.push({ statement, values });
        return refuse === undefined ? Promise.resolve([]) : Promise.reject(refuse);
      },
    },
  };
}

const part = (name: string, isExact = false): BatchPart => ({ name, isExact, sql: (rows) => `insert into ${name} select * from ${rows}` });

describe('a batch', () => {
  it('has a name that PostgreSQL takes whole, another one for each set of parts', async () => {
    const { sent, queryable } = database();
    const long = Array.from({ length: 8 }, (_, i) => `part-number-${i}`);
    for (const last of ['one', 'other', 'one']) {
      const batch = new WriteBatch();
      for (const name of [...long, `part-number-x-${last}`]) batch.add(part(name), { id: '1' });
      await batch.flush(queryable);
    }
    const names = sent.map(({ statement }) => statement.name ?? '');
    expect(Math.max(...names.map((name) => name.length))).toBeLessThanOrEqual(63);
    expect(names[0]).toBe(names[2]);
    expect(names[0]).not.toBe(names[1]);
  });

  it('sends everything as one statement, the rows of a part as one value', async () => {
    const batch = new WriteBatch();
    batch.add(part('b'), { id: '1', body: hexOf(new Uint8Array([0, 255])), data: new RawJson('{"n":1}') });
    batch.add(part('a'), { id: 'x' });
    batch.add(part('b'), { id: '2', body: '', data: new RawJson('[]') });
    const { sent, queryable } = database();
    await batch.flush(queryable);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.statement.name).toBe('batch:a+b');
    expect(sent[0]?.statement.text).toContain('p0 as (insert into a select * from $1::json returning 1)');
    expect(sent[0]?.values.map((value): unknown => (typeof value === 'string' ? JSON.parse(value) : value))).toEqual([
      [{ id: 'x' }],
      [
        { id: '1', body: '\\x00ff', data: { n: 1 } },
        { id: '2', body: '', data: [] },
      ],
    ]);
  });

  it('sends nothing when it is empty, and nothing twice', async () => {
    const { sent, queryable } = database();
    const batch = new WriteBatch();
    await batch.flush(queryable);
    batch.add(part('a'), { id: 'x' });
    expect(batch.isEmpty).toBe(false);
    await batch.flush(queryable);
    await batch.flush(queryable);
    expect(sent).toHaveLength(1);
  });

  it('has the statement fail where a row that must have an effect has none', async () => {
    const batch = new WriteBatch();
    batch.add(part('a'), { id: 'x' });
    batch.add(part('b', true), { id: 'x' });
    batch.add(part('b', true), { id: 'y' });
    const { sent, queryable } = database();
    await batch.flush(queryable);
    expect(sent[0]?.statement.text).toMatch(/select 1 \/ \(\(select count\(\*\) from p1\) = \$3::int\)::int$/);
    expect(sent[0]?.values[2]).toBe(2);
  });

  it('is aborted by that failure and passes on any other', async () => {
    const failure = (sqlState: string) => new StatusError('unavailable', 'broken', { details: { source: 'database', sqlState } });
    const flush = async (sqlState: string): Promise<void> => {
      const batch = new WriteBatch();
      batch.add(part('b', true), { id: 'x' });
      await batch.flush(database(failure(sqlState)).queryable);
    };
    await expect(flush('22012')).rejects.toMatchObject({ code: 'aborted' });
    await expect(flush('40P01')).rejects.toMatchObject({ code: 'unavailable' });
  });
});
