import { describe, expect, it } from 'vitest';
import { leaseHealth, leasePhaseWord, leaseState } from './lease-state.ts';

describe('a lease', () => {
  it.each([
    ['LEASE_RUN_STATE_PENDING', 'Pending', 'reserved'],
    ['LEASE_RUN_STATE_ACTIVE', 'Active', 'allocated'],
    ['Active', 'Active', 'allocated'],
    ['LEASE_RUN_STATE_ERROR', 'Error', 'failed'],
    ['Complete', 'Complete', 'plain'],
    ['LEASE_RUN_STATE_UNSPECIFIED', 'Unknown', 'unknown'],
    [undefined, 'Unknown', 'unknown'],
  ])('whose state is %s is called %s', (state, word, tone) => {
    expect(leaseState(state)).toEqual({ word, tone });
  });

  it.each([
    ['LEASE_HEALTH_HEALTHY', 'Healthy', 'good'],
    ['healthy', 'Healthy', 'good'],
    ['starting', 'Starting', 'reserved'],
    ['LEASE_HEALTH_UNHEALTHY', 'Unhealthy', 'failed'],
    ['LEASE_HEALTH_NONE', 'Not deployed', 'plain'],
    ['LEASE_HEALTH_UNKNOWN', 'Unknown', 'unknown'],
    [undefined, 'Unknown', 'unknown'],
  ])('whose health is %s is called %s', (health, word, tone) => {
    expect(leaseHealth(health)).toEqual({ word, tone });
  });

  it('has steps by words that people use, and those that are new as they are', () => {
    expect(['order', 'running', 'paused'].map(leasePhaseWord)).toEqual(['Ordered', 'Running', 'paused']);
  });
});
