import { describe, expect, it } from 'vitest';
import { leaseRecord, leaseSight } from '../../test/seen-lease.ts';
import type { BidDecision } from '../bids/bid-decision.ts';
import type { LeaseHealthReport } from '../health/lease-health.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import type { LeaseSight } from '../known-leases/lease-sight.ts';
import { leasePhases } from './lease-phases.ts';

const { lease, name } = leaseSight('amy', 1n);
const decision: BidDecision = {
  name,
  order: lease,
  phase: 'Won',
  reasons: [],
  changedAt: 2_900,
  orderedAt: 1_000,
  bidAt: 2_000,
  wonAt: 2_900,
};
const notYet = { manifestAt: undefined, deployedAt: undefined, runningAt: undefined };
const health = (state: LeaseHealthReport['state']): LeaseHealthReport => ({
  state,
  services: ['web', 'db'].map((service) => ({
    ...{ service, count: 1, available: 0, ready: 0, updated: 0, state },
    problems: [{ code: 'NotReady', message: `${service} is not ready.`, subject: `${service}-0` }],
  })),
});
const phasesOf = (record: Partial<LeaseRecord>, changed: Partial<LeaseSight> = {}) =>
  leasePhases(leaseSight('amy', 1n, { decision, record: leaseRecord('amy', 1n, record), ...changed })).slice(3);

describe('the phases of a lease', () => {
  it('go from the order to running, with their times', () => {
    expect(leasePhases(leaseSight('amy', 1n, { decision }))).toEqual([
      { name: 'order', state: 'done', at: 1_000, message: '' },
      { name: 'bid', state: 'done', at: 2_000, message: '' },
      { name: 'lease', state: 'done', at: 3_000, message: '' },
      { name: 'manifest', state: 'done', at: 4_000, message: '' },
      { name: 'deployed', state: 'done', at: 5_000, message: '' },
      { name: 'running', state: 'done', at: 6_000, message: '' },
    ]);
  });

  it('are done without a time where nobody recorded one', () => {
    const [order, bid, won] = leasePhases(
      leaseSight('amy', 1n, { record: leaseRecord('amy', 1n, { wonAt: undefined }), decision: undefined }),
    );
    expect([order, bid, won]).toEqual(['order', 'bid', 'lease'].map((each) => ({ name: each, state: 'done', message: '' })));
  });

  it("wait for the tenant's manifest, and say when that ends the lease", () => {
    const pending = { state: 'Pending', message: '', ...notYet } as const;
    expect(phasesOf(pending, { manifest: undefined, closesAt: Date.UTC(2026, 0, 1, 0, 5) })).toEqual([
      { name: 'manifest', state: 'waiting', message: "waiting for the tenant's manifest; the lease closes at 2026-01-01 00:05:00 UTC" },
      { name: 'deployed', state: 'ahead', message: '' },
      { name: 'running', state: 'ahead', message: '' },
    ]);
    expect(phasesOf({ ...pending, message: 'waiting for it' }, { manifest: undefined })[0]?.message).toBe('waiting for it');
  });

  it('fail where the manifest was refused, and none is deployed', () => {
    const refused = { hash: 'h', reason: 'ManifestRefused', message: 'cpu differs from the order.', at: 4_000 };
    const [manifest, deployed] = phasesOf({ state: 'Error', message: 'an older word', refused, ...notYet }, { manifest: undefined });
    expect(manifest).toEqual({ name: 'manifest', state: 'failed', message: 'cpu differs from the order' });
    expect(deployed?.state).toBe('ahead');
  });

  it('stand where objects are being made, or cannot be', () => {
    const deploying = { ...notYet, manifestAt: 4_000, message: '' };
    expect(phasesOf(deploying)[1]).toEqual({ name: 'deployed', state: 'waiting', message: 'its objects are being created' });
    expect(phasesOf({ ...deploying, state: 'Error', message: 'the namespace is not ours' })[1]).toEqual({
      ...{ name: 'deployed', state: 'failed', message: 'the namespace is not ours' },
    });
    expect(phasesOf(notYet).map(({ state }) => state)).toEqual(['done', 'waiting', 'ahead']);
  });

  it('stand where replicas are not available, with what is known of it', () => {
    const deployed = { runningAt: undefined };
    expect(phasesOf(deployed)[2]).toEqual({ name: 'running', state: 'waiting', message: 'waiting for its replicas to become available' });
    expect(phasesOf(deployed, { health: health('starting') })[2]).toEqual({
      ...{ name: 'running', state: 'waiting', message: 'web: web is not ready (and 1 more problem)' },
    });
    expect(phasesOf(deployed, { health: health('unhealthy'), closesAt: 0 })[2]).toEqual({
      ...{
        name: 'running',
        state: 'failed',
        message: 'web: web is not ready (and 1 more problem); the lease closes at 1970-01-01 00:00:00 UTC',
      },
    });
  });

  it('say of one that ran that it does not now, or that nobody sees it', () => {
    expect(phasesOf({}, { health: health('unhealthy') })[2]).toMatchObject({
      state: 'failed',
      at: 6_000,
      message: expect.stringContaining('web'),
    });
    expect(phasesOf({}, { health: health('unknown') })[2]).toMatchObject({
      state: 'done',
      at: 6_000,
      message: expect.stringContaining('web'),
    });
    expect(phasesOf({}, { health: health('healthy') })[2]).toMatchObject({ state: 'done', message: '' });
  });

  it('end with closing and closed, and what was never reached has failed', () => {
    const ending = { ...notYet, manifestAt: 4_000, closingAt: 8_000, closedReason: 'the tenant closed it' };
    const leftovers = ['Namespace a', 'Manifest b'].map((what) => ({ what, message: 'it has a finalizer', since: 1 }));
    expect(phasesOf(ending)).toEqual([
      { name: 'manifest', state: 'done', at: 4_000, message: '' },
      { name: 'deployed', state: 'failed', message: 'the lease ended before this step' },
      { name: 'running', state: 'failed', message: 'the lease ended before this step' },
      { name: 'closing', state: 'done', at: 8_000, message: 'the tenant closed it' },
      { name: 'closed', state: 'waiting', message: 'its workload is being removed' },
    ]);
    expect(phasesOf({ ...ending, leftovers }).at(-1)?.message).toBe('Namespace a cannot be removed yet: it has a finalizer (and 1 more)');
    expect(phasesOf({ ...ending, state: 'Complete', completeAt: 9_000 }).at(-1)).toEqual({
      name: 'closed',
      state: 'done',
      at: 9_000,
      message: '',
    });
  });
});
