import { describe, expect, it } from 'vitest';
import { leaseRecord } from '../../test/seen-lease.ts';
import { oldRecords } from './old-records.ts';

const ended = (owner: string, dseq: number, completeAt: number | undefined) => leaseRecord(owner, BigInt(dseq), { completeAt });
const namesOf = (records: ReturnType<typeof oldRecords>) => records.map(({ name }) => name);

describe('old records of leases', () => {
  it('are those that ended long enough ago, of no lease that goes on', () => {
    const all = [ended('amy', 1, 1_000), ended('amy', 2, 1_001), ended('amy', 3, undefined)];
    expect(namesOf(oldRecords(all, 500, 1_500))).toEqual(['amy-1-1-1']);
  });

  it('are the oldest of an owner who has very many, and nobody else’s', () => {
    const many = Array.from({ length: 1_002 }, (_, i) => ended('amy', i + 1, 5_000 - i));
    expect(namesOf(oldRecords([...many, ended('bob', 1, 1)], 1e9, 6_000))).toEqual(['amy-1001-1-1', 'amy-1002-1-1']);
  });
});
