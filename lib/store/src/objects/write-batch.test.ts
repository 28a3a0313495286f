import { describe, expect, it } from 'vitest';
import type { Queryable, Statement } from '../database.ts';
import { type BatchPart, hexOf, RawJson, WriteBatch } from './write-batch.ts';

interface Sent {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/** Answers with the given numbers of rows, part by part. */
function database(...counts: readonly number[]): { readonly sent: Sent[]; readonly queryable: Queryable } {
  const sent: Sent[] = [];
  const row = Object.fromEntries(counts.map((count, index) => [`c${index}`, BigInt(count)]));
  return {
    sent,
    queryable: {
      async query<R extends object>(statement: Statement, values: readonly unknown[] = []): Promise<readonly R[]> {
        sent.push({ statement, values });
        return [row as R];
      },
    },
  };
}

const part = (name: string, isExact = false): BatchPart => ({ name, isExact, sql: (rows) => `insert into ${name} select * from ${rows}` });

describe('a batch', () => {
  it('sends everything as one statement, the rows of a part as one value', async () => {
    const batch = new WriteBatch();
    batch.add(part('b'), { id: '1', body: hexOf(new Uint8Array([0, 255])), data: new RawJson('{"n":1}') });
    batch.add(part('a'), { id: 'x' });
    batch.add(part('b'), { id: '2', body: '', data: new RawJson('[]') });
    const { sent, queryable } = database(1, 2);
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
    const { sent, queryable } = database(1);
    const batch = new WriteBatch();
    await batch.flush(queryable);
    batch.add(part('a'), { id: 'x' });
    expect(batch.isEmpty).toBe(false);
    await batch.flush(queryable);
    await batch.flush(queryable);
    expect(sent).toHaveLength(1);
  });

  it('is aborted when a row that must have an effect has none', async () => {
    const batch = new WriteBatch();
    batch.add(part('a'), { id: 'x' });
    batch.add(part('b', true), { id: 'x' });
    batch.add(part('b', true), { id: 'y' });
    await expect(batch.flush(database(0, 1).queryable)).rejects.toMatchObject({ code: 'aborted' });
  });
});
