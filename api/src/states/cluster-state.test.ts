import { describe, expect, it } from 'vitest';
import { clusterState, hostPoolState, missingHosts } from './cluster-state.ts';

const degraded = { type: 'CLUSTER_CONDITION_TYPE_DEGRADED', status: 'CONDITION_STATUS_TRUE' };

describe('the state of a cluster', () => {
  it.each([
    [undefined, 'Ordered', 'unknown'],
    [{ state: 'CLUSTER_STATE_UNSPECIFIED' }, 'Ordered', 'unknown'],
    [{ state: 'CLUSTER_STATE_PROGRESSING' }, 'Progressing', 'reserved'],
    [{ state: 'CLUSTER_STATE_READY' }, 'Ready', 'good'],
    [{ state: 'CLUSTER_STATE_READY', conditions: [degraded] }, 'Ready, degraded', 'held'],
    [{ state: 'CLUSTER_STATE_FAILED', conditions: [degraded] }, 'Failed', 'failed'],
  ])('of %j is %s', (status, word, tone) => {
    expect(clusterState({ status })).toEqual({ word, tone });
  });

  it('says when it is on its way out, whatever else it is', () => {
    const metadata = { deletion_timestamp: '2026-01-01T00:00:00Z' };
    expect(clusterState({ metadata, status: { state: 'CLUSTER_STATE_READY' } })).toEqual({ word: 'Being deleted', tone: 'held' });
    expect(hostPoolState({ metadata })).toEqual({ word: 'Being deleted', tone: 'held' });
  });
});

it('has the same words for a host pool', () => {
  expect(hostPoolState({ status: { state: 'HOST_POOL_STATE_UNSPECIFIED' } })).toEqual({ word: 'Ordered', tone: 'unknown' });
  expect(hostPoolState({ status: { state: 'HOST_POOL_STATE_READY' } })).toEqual({ word: 'Ready', tone: 'good' });
});

it('says how many hosts a node set is missing', () => {
  expect([missingHosts('workers', 2), missingHosts('workers', 1)]).toEqual(['workers: 2 hosts missing', 'workers: 1 host missing']);
});
