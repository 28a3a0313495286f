import { setImmediate as nextTurn } from 'node:timers/promises';
import { FakeClock, StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import type { Queryable } from '../database.ts';
import { KeptTotals } from './kept-totals.ts';
import { TotalReader } from './total-reader.ts';

describe('the total of a list', () => {
  it('is told although keeping it fails, and a later one is kept', async () => {
    const matching = { kind: 'hosts', where: '' };
    const totals = new KeptTotals({ clock: new FakeClock(), figures: () => ({ lost: 0 }) });
    let reads = 0;
    const db: Queryable = {
      async query<R extends object>(): Promise<readonly R[]> {
        reads += 1;
        if (reads === 1) throw new StatusError('unavailable', 'all 10 connections to the database are in use');
        return [{ snapshot: '1:1:', ids: ['a', 'b'] }] as unknown as readonly R[];
      },
    };
    const told: (number | undefined)[] = [];
    for (let time = 0; time < 6; time += 1) {
      told.push(new TotalReader(db, matching, [], totals).totalOf([{ total: 700n }]));
      // Nobody waits for what is read to be kept.
      await nextTurn();
    }
    expect(told).toEqual([700, 700, 700, 700, 700, 700]);
    expect(reads).toBe(2);
  });
});
