import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { order } from '../../../test/filled-book.ts';
import { orderName } from '../../reservations/order-name.ts';
import { oldShells } from './old-shells.ts';
import type { ShellRecord } from './shell-record.ts';

const said = { proof: 'token', fingerprint: '', address: '', service: 'web', pod: 'web-0', replica: 'r', outcome: '' } as const;
const shell = (owner: string, dseq: bigint, openedAt: number, name = `${owner}-${dseq}-${openedAt}`): ShellRecord => ({
  ...{ name, uid: `uid-${name}`, lease: { ...order(owner, dseq), provider: 'p' }, openedAt, ...said },
});
const bounds = { mostOfLease: 2, retentionMs: 100, now: 1_000, isKnown: () => true };
const namesOf = (shells: readonly ShellRecord[]) => shells.map(({ name }) => name);

describe('shells that are not kept', () => {
  it('are the oldest of a lease that has too many, however old those of others are', () => {
    const all = [shell('amy', 1n, 3), shell('amy', 1n, 1), shell('amy', 1n, 2), shell('amy', 2n, 0), shell('bob', 1n, 0)];
    expect(namesOf(oldShells(all, bounds))).toEqual(['amy-1-1']);
  });

  it('are those of a lease that is forgotten, once they are as old as what is kept of leases', () => {
    const all = [shell('amy', 1n, 900), shell('amy', 1n, 901), shell('bob', 1n, 1)];
    expect(namesOf(oldShells(all, { ...bounds, isKnown: (name) => name === 'bob-1-1-1' }))).toEqual(['amy-1-900']);
  });

  it('are the oldest of an account that has too many in all of its leases', () => {
    const all = Array.from({ length: 2_003 }, (_, at) => shell('amy', BigInt(at), at));
    expect(namesOf(oldShells(all, bounds))).toEqual(['amy-2-2', 'amy-1-1', 'amy-0-0']);
    expect(oldShells(all.slice(3), bounds)).toEqual([]);
  });

  it('leave the newest of each lease, whatever comes in which order', () => {
    const shells = fc.array(
      fc
        .record({ owner: fc.constantFrom('amy', 'bob'), dseq: fc.constantFrom(1n, 2n), openedAt: fc.nat(5), id: fc.uuid() })
        .map(({ owner, dseq, openedAt, id }) => shell(owner, dseq, openedAt, id)),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(shells, (all) => {
        const old = new Set(namesOf(oldShells(all, bounds)));
        for (const own of Map.groupBy(all, ({ lease }) => orderName(lease)).values()) {
          const kept = own.filter(({ name }) => !old.has(name));
          expect(kept).toHaveLength(Math.min(own.length, bounds.mostOfLease));
          const gone = own.filter(({ name }) => old.has(name));
          for (const each of kept) expect(gone.every(({ openedAt }) => openedAt <= each.openedAt)).toBe(true);
        }
      }),
    );
  });
});
