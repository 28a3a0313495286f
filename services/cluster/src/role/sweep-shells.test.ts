import { FakeClock } from '@quartermaster/kernel';
import type { KubeWriter } from '@quartermaster/kube';
import { expect, it } from 'vitest';
import { order } from '../../test/filled-book.ts';
import { leaseRecord } from '../../test/seen-lease.ts';
import type { SeenOrder } from '../bids/next-step.ts';
import type { ShellRecord } from '../gateway/journal/shell-record.ts';
import { sweepShells } from './sweep-shells.ts';

const said = { proof: 'token', fingerprint: '', address: '', service: 'web', pod: 'web-0', replica: 'r', outcome: '' } as const;
const shell = (name: string, owner: string): ShellRecord => ({
  ...{ name, uid: `uid-${name}`, lease: { ...order(owner, 1n), provider: 'p' }, openedAt: 1, ...said },
});

const leaseAt = { state: 'active' } as SeenOrder['lease'];

async function swept({ problem, active }: { readonly problem?: string; readonly active?: string }): Promise<readonly string[]> {
  const removed: string[] = [];
  const shells = [shell('1', 'amy'), shell('2', 'amy'), shell('3', 'amy'), shell('4', 'bob')];
  const record = leaseRecord('amy', 1n);
  await sweepShells(
    {
      shells: { all: () => shells, remove: async (_writer, { name }) => void removed.push(name) },
      records: { of: (name) => (name === record.name ? record : undefined), problem: () => problem },
      view: { of: (name) => ({ state: 'unknown', isAsked: true, lease: name === active ? leaseAt : undefined }) },
      writer: {} as KubeWriter,
      clock: new FakeClock(10_000),
    },
    { retentionMs: 1_000, mostOfLease: 2 },
    new AbortController().signal,
  );
  return removed;
}

it('removes shells that are too many of a lease, and those of leases that are forgotten', async () => {
  expect(await swept({})).toEqual(['4', '1']);
});

it('takes no lease for forgotten while leases are not followed', async () => {
  expect(await swept({ problem: 'tenantleases are not followed' })).toEqual(['1']);
});

it('takes no lease for forgotten that the market has, whatever is on record of it', async () => {
  expect(await swept({ active: 'bob-1-1-1' })).toEqual(['1']);
});
