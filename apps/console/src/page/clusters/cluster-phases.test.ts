import { describe, expect, it } from 'vitest';
import { nodeSetLines } from '../states/node-sets.ts';
import { type ClusterObject, type ClusterStatus, hostCounts } from './cluster-object.ts';
import { clusterPhases } from './cluster-phases.ts';

const ordered = '2026-01-01T00:00:00Z';

function cluster(status?: Partial<ClusterStatus>): ClusterObject {
  return {
    id: 'c1',
    metadata: {
      name: 'blue',
      tenants: ['acme'],
      version: '1',
      creation_timestamp: ordered,
    },
    spec: { template: 't', template_parameters: {}, node_sets: { workers: { host_class: 'h100', size: 3, hosts: [] } } },
    ...(status === undefined
      ? {}
      : { status: { state: 'CLUSTER_STATE_UNSPECIFIED', conditions: [], api_url: '', console_url: '', node_sets: {}, ...status } }),
  };
}

const hosts = (count: number): ClusterStatus['node_sets'] => ({
  workers: { host_class: 'h100', size: count, hosts: Array.from({ length: count }, (_, index) => `h${index}`) },
});
const condition = (type: string, message: string) => ({
  type: `CLUSTER_CONDITION_TYPE_${type}`,
  status: 'CONDITION_STATUS_TRUE',
  last_transition_time: '2026-01-01T00:14:00Z',
  message,
});
const states = (object: ClusterObject) => clusterPhases(object).map(({ label, state }) => `${label} ${state}`);

describe('phases of a cluster', () => {
  it('stand at the hosts while some are missing, and say which node set lacks how many', () => {
    const phases = clusterPhases(cluster({ node_sets: hosts(1) }));
    expect(phases.map(({ state }) => state)).toEqual(['done', 'waiting', 'ahead', 'ahead', 'ahead']);
    expect(phases[1]?.note).toBe('workers: 2 hosts missing');
  });

  it('carry the words of whoever works on it, and since when', () => {
    const phases = clusterPhases(cluster({ node_sets: hosts(3), conditions: [condition('PROGRESSING', '2 of 3 agents are bound')] }));
    expect(phases[2]).toEqual({
      label: 'Provisioned',
      state: 'current',
      note: '2 of 3 agents are bound',
      since: Date.parse('2026-01-01T00:14:00Z'),
    });
  });

  it('carry the reason in words for a tenant, who gets no message', () => {
    const { message: _, ...said } = { ...condition('PROGRESSING', ''), reason: 'AgentsBinding' };
    expect(clusterPhases(cluster({ node_sets: hosts(3), conditions: [said] }))[2]?.note).toBe('Agents binding');
  });

  it('say that nobody has spoken rather than nothing', () => {
    const waiting = { state: 'waiting', note: 'Waiting for provisioning', since: Date.parse(ordered) };
    expect(clusterPhases(cluster({ node_sets: hosts(3) }))[2]).toMatchObject(waiting);
    expect(states(cluster())).toContain('Hosts claimed waiting');
    expect(states(cluster({ state: 'CLUSTER_STATE_PROGRESSING' }))).toContain('Hosts claimed current');
  });

  it('show where it failed, and why', () => {
    const failed = cluster({ node_sets: hosts(3), state: 'CLUSTER_STATE_FAILED', conditions: [condition('FAILED', 'no DNS')] });
    expect(clusterPhases(failed)[2]).toMatchObject({ state: 'failed', note: 'no DNS' });
  });

  it('are all done when it is ready, with the time that it took', () => {
    const ready = cluster({
      node_sets: hosts(3),
      state: 'CLUSTER_STATE_READY',
      conditions: [condition('READY', '')],
      api_url: 'https://a',
    });
    expect(states(ready).every((text) => text.endsWith('done'))).toBe(true);
    expect(clusterPhases(ready).at(-1)?.tookMs).toBe(14 * 60_000);
  });

  it('go back to the hosts when a ready cluster is to grow', () => {
    const growing = cluster({ node_sets: hosts(2), state: 'CLUSTER_STATE_READY', conditions: [condition('READY', '')] });
    expect(states(growing)[1]).toBe('Hosts claimed waiting');
    expect(clusterPhases(growing)[1]?.since).toBeUndefined();
  });
});

describe('node sets', () => {
  it('are those that were ordered and those that still have hosts', () => {
    const leaving = { ...hosts(2), old: { host_class: 'l40', size: 0, hosts: ['x'] }, gone: { host_class: 'l40', size: 0, hosts: [] } };
    const object = cluster({ node_sets: leaving });
    expect(nodeSetLines(object).map(({ name, wanted, hosts: has }) => [name, wanted, has.length])).toEqual([
      ['old', 0, 1],
      ['workers', 3, 2],
    ]);
    expect(hostCounts(object)).toEqual({ wanted: 3, assigned: 3 });
  });
});
