import { describe, expect, it } from 'vitest';
import { leaseRecord } from '../../test/seen-lease.ts';
import { oldRecords } from './old-records.ts';

const ended = (owner: string, dseq: number, completeAt: number | undefined) => leaseRecord(owner, BigInt(dseq), { completeAt });
const namesOf = (records: ReturnType<typeof oldRecords>) => records.map(({ name }) => name);

const isActive = () => false;

describe('old records of leases', () => {
  it('are those that ended long enough ago, of no lease that goes on', () => {
    const all = [ended('amy', 1, 1_000), ended('amy', 2, 1_001), ended('amy', 3, undefined)];
    expect(namesOf(oldRecords(all, { retentionMs: 500, now: 1_500, isActive }))).toEqual(['amy-1-1-1']);
  });

  it('are the oldest of an owner who has very many, and nobody else’s', () => {
    const many = Array.from({ length: 1_002 }, (_, i) => ended('amy', i + 1, 5_000 - i));
    expect(namesOf(oldRecords([...many, ended('bob', 1, 1)], { retentionMs: 1e9, now: 6_000, isActive }))).toEqual([
      'amy-1001-1-1',
      'amy-1002-1-1',
    ]);
  });

  it('are none that the market has again, however old they are and however many', () => {
    const many = Array.from({ length: 1_003 }, (_, i) => ended('amy', i + 1, 5_000 - i));
    const isAgain = (name: string) => ['amy-1-1-1', 'amy-1002-1-1', 'bob-1-1-1'].includes(name);
    const all = [...many, ended('bob', 1, 1), ended('bob', 2, 1)];
    expect(namesOf(oldRecords(all, { retentionMs: 5_000, now: 6_000, isActive: isAgain }))).toEqual([
      'amy-1001-1-1',
      'amy-1003-1-1',
      'bob-2-1-1',
    ]);
  });
});
