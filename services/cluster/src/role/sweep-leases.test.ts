import { FakeClock } from '@quartermaster/kernel';
import type { KubeWriter } from '@quartermaster/kube';
import { expect, it } from 'vitest';
import { leaseRecord } from '../../test/seen-lease.ts';
import type { SeenOrder } from '../bids/next-step.ts';
import { sweepLeases } from './sweep-leases.ts';

const never = new AbortController().signal;

it('forgets hostnames, and records of leases that ended long ago, but for those of leases that the market has again', async () => {
  const clock = new FakeClock(10_000);
  const ended = (owner: string, completeAt: number | undefined) => leaseRecord(owner, 1n, { completeAt });
  const all = [ended('amy', 1), ended('bob', 1), ended('cyd', 1), ended('dan', 9_500), ended('eve', undefined)];
  const states = { 'amy-1-1-1': 'closed', 'bob-1-1-1': 'active' } as const;
  const market = (name: string): SeenOrder => {
    const state = (states as Readonly<Record<string, 'closed' | 'active'>>)[name];
    return { state: 'unknown', isAsked: true, lease: state === undefined ? undefined : ({ state } as SeenOrder['lease']) };
  };
  const done: string[] = [];
  await sweepLeases(
    {
      hostnameClaims: { sweep: async () => void done.push('hostnames') },
      records: { all: () => all, remove: async (_writer, { name }) => void done.push(name) },
      view: { of: market },
      writer: {} as KubeWriter,
      clock,
    },
    1_000,
    never,
  );
  expect(done).toEqual(['hostnames', 'amy-1-1-1', 'cyd-1-1-1']);
});
