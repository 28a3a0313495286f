import { LeaseRunState } from '@quartermaster/api/cluster';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leasePodOf, leaseRecord, leaseSight } from '../../test/seen-lease.ts';
import { pageOfLeases } from './lease-page.ts';

const asked = { pageSize: 0, pageToken: '', owner: '', state: LeaseRunState.UNSPECIFIED as LeaseRunState, node: '', namespace: '' };

describe('leases', () => {
  it('are listed by pages, each once, whatever comes and goes', () => {
    const sights = fc.uniqueArray(fc.integer({ min: 1, max: 999 }), { maxLength: 30 });
    fc.assert(
      fc.property(sights, sights, fc.integer({ min: 1, max: 7 }), (dseqs, added, pageSize) => {
        const all = dseqs.map((dseq) => leaseSight('amy', BigInt(dseq)));
        const later = [...all, ...added.filter((dseq) => !dseqs.includes(dseq)).map((dseq) => leaseSight('amy', BigInt(dseq)))];
        const first = pageOfLeases({ ...asked, pageSize }, all);
        expect(first.total).toBe(all.length);
        const found = first.leases.map(({ name }) => name);
        for (let pageToken = first.nextPageToken; pageToken !== ''; ) {
          const page = pageOfLeases({ ...asked, pageSize, pageToken }, later);
          found.push(...page.leases.map(({ name }) => name));
          pageToken = page.nextPageToken;
        }
        const numberOf = (name: string): number => Number(name.split('-')[1]);
        expect(found).toEqual(found.toSorted((a, b) => numberOf(a) - numberOf(b)));
        expect(new Set(found).size).toBe(found.length);
        expect(all.filter(({ name }) => !found.includes(name))).toEqual([]);
      }),
    );
  });

  it('are found by owner, state, node and namespace', () => {
    const all = [
      leaseSight('amy', 1n, { pods: [leasePodOf('web-0', { node: 'n-2' })] }),
      leaseSight('bob', 2n, { record: leaseRecord('bob', 2n, { state: 'Error' }), namespace: undefined }),
      leaseSight('cid', 3n, { record: leaseRecord('cid', 3n, { state: 'Pending' }), namespace: undefined }),
    ];
    const owners = (by: Partial<typeof asked>) => pageOfLeases({ ...asked, ...by }, all).leases.map(({ lease }) => lease.owner);
    expect(owners({})).toEqual(['amy', 'bob', 'cid']);
    expect(owners({ owner: 'bob' })).toEqual(['bob']);
    expect(owners({ state: LeaseRunState.ACTIVE })).toEqual(['amy']);
    expect(owners({ state: LeaseRunState.ERROR })).toEqual(['bob']);
    expect(owners({ state: LeaseRunState.PENDING })).toEqual(['cid']);
    expect(owners({ state: LeaseRunState.COMPLETE })).toEqual([]);
    expect(owners({ node: 'n-2' })).toEqual(['amy']);
    expect(owners({ node: 'n-1' })).toEqual([]);
    expect(owners({ namespace: 'lease-bob-2-1-1' })).toEqual(['bob']);
    expect(pageOfLeases({ ...asked, pageSize: 1, owner: 'amy' }, all)).toMatchObject({ total: 1, nextPageToken: '' });
  });

  it.each([
    ['page_size', { pageSize: 1001 }],
    ['page_size', { pageSize: -1 }],
    ['page_token', { pageToken: 'x' }],
    ['page_token', { pageToken: Buffer.from('[""]').toString('base64url') }],
    ['state', { state: 99 as LeaseRunState }],
    ['owner', { owner: 'a\nb' }],
  ])('are refused by the field: %s %j', (field, by) => {
    expect(() => pageOfLeases({ ...asked, ...by }, [])).toThrow(`field "${field}"`);
  });
});
