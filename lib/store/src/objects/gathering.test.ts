import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Queryable, Statement } from '../database.ts';
import { Gathering } from './gathering.ts';

interface Asked {
  readonly ids: readonly string[];
  answer(): void;
  fail(thrown: Error): void;
}

/** Has a row for every id that begins with "a". Answers when it is told to. */
function database(): { readonly asked: Asked[]; readonly queryable: Queryable } {
  const asked: Asked[] = [];
  const query = <R extends object>(_: Statement, [ids]: readonly unknown[] = []): Promise<readonly R[]> =>
    new Promise((resolve, reject) => {
      const wanted = ids as readonly string[];
      const rows = wanted.filter((id) => id.startsWith('a')).map((id) => ({ id }));
      asked.push({ ids: wanted, answer: () => resolve(rows as object[] as R[]), fail: reject });
    });
  return { asked, queryable: { query } };
}

const gathering = (queryable: Queryable): Gathering<{ readonly id: string }> => new Gathering(queryable, { name: 'g', text: 'select' });

describe('a gathering', () => {
  it('asks once for all that came in the same turn, and gives everybody its own', async () => {
    const { asked, queryable } = database();
    const gathered = gathering(queryable);
    const answers = Promise.all(['a1', 'b', 'a2', 'a1'].map((id) => gathered.rowsOf(id)));
    await turn();
    expect(asked.map(({ ids }) => ids)).toEqual([['a1', 'b', 'a2']]);
    asked[0]?.answer();
    expect(await answers).toEqual([[{ id: 'a1' }], [], [{ id: 'a2' }], [{ id: 'a1' }]]);
  });

  it('lets who comes while two statements run go together with the next one', async () => {
    const { asked, queryable } = database();
    const gathered = gathering(queryable);
    const answers: Promise<unknown>[] = [];
    for (const id of ['a1', 'a2', 'a3', 'a4']) {
      answers.push(gathered.rowsOf(id));
      await turn();
    }
    expect(asked.map(({ ids }) => ids)).toEqual([['a1'], ['a2']]);
    asked[1]?.answer();
    await answers[1];
    await turn();
    expect(asked[2]?.ids).toEqual(['a3', 'a4']);
    for (const { answer } of asked) answer();
    expect(await Promise.all(answers)).toEqual([[{ id: 'a1' }], [{ id: 'a2' }], [{ id: 'a3' }], [{ id: 'a4' }]]);
  });

  it('never answers with what was asked before: a second wish for the same id is a new statement', async () => {
    const { asked, queryable } = database();
    const gathered = gathering(queryable);
    const first = gathered.rowsOf('a1');
    await turn();
    const second = gathered.rowsOf('a1');
    await turn();
    expect(asked).toHaveLength(2);
    for (const { answer } of asked) answer();
    await Promise.all([first, second]);
  });

  it('tells a failure to all whom it concerns, and goes on', async () => {
    const { asked, queryable } = database();
    const gathered = gathering(queryable);
    const failed = Promise.allSettled([gathered.rowsOf('a1'), gathered.rowsOf('a2')]);
    await turn();
    asked[0]?.fail(new Error('away'));
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = gathered.rowsOf('a3');
    await turn();
    asked[1]?.answer();
    expect(await next).toEqual([{ id: 'a3' }]);
  });

  it('splits what is too much for one statement', async () => {
    const { asked, queryable } = database();
    const gathered = gathering(queryable);
    const answers = Promise.all(Array.from({ length: 250 }, (_, index) => gathered.rowsOf(`a${index}`)));
    await turn();
    await turn();
    expect(asked.map(({ ids }) => ids.length)).toEqual([200, 50]);
    for (const { answer } of asked) answer();
    expect(await answers).toHaveLength(250);
  });
});
