import { describe, expect, it } from 'vitest';
import type { LeaseObject } from '../market/market-objects.ts';
import { deliveryPhases } from './delivery-phases.ts';
import { leasePhases } from './lease-phases.ts';

const at = (seconds: number): string => new Date(seconds * 1000).toISOString();

describe('the way of a lease', () => {
  it('has times and how long each step took, and the reason of the one that waits', () => {
    const phases = [
      { name: 'order', state: 'done', at: at(10) },
      { name: 'bid', state: 'done', at: at(12) },
      { name: 'manifest', state: 'waiting', message: 'the tenant has not handed it over' },
      { name: 'running', state: 'ahead' },
      { name: 'closed', state: 'ahead' },
    ];
    expect(leasePhases({ phases })).toEqual([
      { label: 'Ordered', state: 'done', note: '', since: 10_000, tookMs: undefined },
      { label: 'Bid', state: 'done', note: '', since: 12_000, tookMs: 2_000 },
      { label: 'Manifest', state: 'current', note: 'The tenant has not handed it over', since: undefined, tookMs: undefined },
      { label: 'Running', state: 'ahead', note: '', since: undefined, tookMs: undefined },
    ]);
  });

  it('fails since it is unhealthy, and not since it ran first', () => {
    const phases = [{ name: 'running', state: 'failed', at: at(10), message: 'no image' }];
    expect(leasePhases({ phases, unhealthySince: at(50) })).toEqual([
      { label: 'Running', state: 'failed', note: 'No image', since: 50_000 },
    ]);
  });

  it('shows the end once it has begun', () => {
    const phases = [
      { name: 'closing', state: 'waiting', at: at(10) },
      { name: 'closed', state: 'ahead' },
    ];
    expect(leasePhases({ phases }).map(({ label, state }) => [label, state])).toEqual([['Closing', 'current']]);
  });
});

describe('the way of a lease as the market tells it', () => {
  const delivery = {
    state: 'Active',
    reason: '',
    message: 'Waiting for replicas.',
    health: 'starting',
    manifest_hash: '',
    refusal: '',
    services: [],
  };
  const lease = (status: Partial<NonNullable<LeaseObject['status']>>): LeaseObject => ({
    id: '1-1-1-p1',
    metadata: { name: '', tenants: ['acme'], version: '1', creation_timestamp: at(10) },
    status: { state: 'LEASE_STATE_ACTIVE', closed_reason: '', ...status },
  });
  const shown = (status: Parameters<typeof lease>[0]) =>
    deliveryPhases(lease(status)).map(({ label, state, note }) => [label, state, note]);

  it('stands at the first step that is not done, in the words of the provider', () => {
    expect(shown({ delivery: { ...delivery, manifest_at: at(20), deployed_at: at(21) } })).toEqual([
      ['Leased', 'done', ''],
      ['Manifest', 'done', ''],
      ['Deployed', 'done', ''],
      ['Running', 'current', 'Waiting for replicas.'],
    ]);
    expect(shown({}).slice(0, 3)).toEqual([
      ['Leased', 'done', ''],
      ['Manifest', 'current', 'The provider has not reported yet.'],
      ['Deployed', 'ahead', ''],
    ]);
    expect(shown({ delivery: { ...delivery, state: 'Error' } })[1]).toEqual(['Manifest', 'failed', 'Waiting for replicas.']);
  });

  it('ends with why it is closed, and waits for nothing then', () => {
    expect(shown({ state: 'LEASE_STATE_CLOSED', closed_at: at(40), closed_reason: 'closed by its tenant' })).toEqual([
      ['Leased', 'done', ''],
      ['Manifest', 'ahead', ''],
      ['Deployed', 'ahead', ''],
      ['Running', 'ahead', ''],
      ['Closed', 'done', 'closed by its tenant'],
    ]);
  });
});
