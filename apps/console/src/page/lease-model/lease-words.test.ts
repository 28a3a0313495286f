import type { RunningLeaseJson } from '@quartermaster/api/cluster';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  availableText,
  closeConsequences,
  gpusOf,
  hostnamesOf,
  hostnameTone,
  leasedAt,
  leasesOnNode,
  lossWords,
  marketLeaseId,
  nodesOf,
  problemsOf,
  problemTone,
} from './lease-words.ts';

const lease: RunningLeaseJson = {
  order: { owner: 'ann', dseq: '7', gseq: 1, oseq: 2 },
  provider: 'p1',
  services: [
    {
      name: 'train',
      count: 3,
      available: 2,
      ready: 3,
      problems: [{ code: 'CrashLoop', message: 'It ends again and again.' }],
      pods: [{ name: 'a', node: 'n2', gpus: 4 }, { name: 'b', node: 'n1', gpus: 4 }, { name: 'c' }],
    },
    { name: 'web', count: 1, available: 1, ready: 1, pods: [{ name: 'd', node: 'n1' }] },
  ],
  hostnames: [
    { hostname: 'a.example', state: 'held' },
    { hostname: 'b.example', state: 'refused' },
  ],
  volumes: [{ name: 'web/data' }],
  refused: { code: 'ResourcesDiffer' },
};

it.each([
  ['LEASE_HEALTH_STARTING', 'reserved'],
  ['LEASE_HEALTH_UNKNOWN', 'unknown'],
  ['LEASE_HEALTH_UNHEALTHY', 'failed'],
  ['healthy', 'held'],
  ['', 'unknown'],
])('what is said beside a service whose health is %s has the tone %s', (health, tone) => {
  expect(problemTone(health)).toBe(tone);
});

describe('a lease', () => {
  it('is where its pods are, with their cards', () => {
    expect(nodesOf(lease)).toEqual(['n1', 'n2']);
    expect(gpusOf(lease)).toBe(8);
    expect(availableText(lease)).toBe('3 of 4');
    expect(availableText({})).toBe('');
    expect(marketLeaseId(lease)).toBe('7-1-2-p1');
  });

  it('is as old as the lease, or as the order while that is not known', () => {
    const at = (name: string, seconds: number) => ({ name, at: new Date(seconds * 1000).toISOString() });
    expect(leasedAt({ phases: [at('order', 10), at('lease', 20)] })).toBe(20_000);
    expect(leasedAt({ phases: [at('order', 10), { name: 'lease' }] })).toBe(10_000);
    expect(leasedAt({})).toBeUndefined();
  });

  it('has its problems in words, and by their codes where there are none', () => {
    expect(problemsOf(lease)).toEqual(['It ends again and again.', 'ResourcesDiffer']);
  });

  it('has the hostnames that it holds', () => {
    expect(hostnamesOf(lease)).toEqual(['a.example']);
    expect(hostnamesOf({})).toEqual([]);
  });

  it('has hostnames whose states are told apart', () => {
    expect(['held', 'waiting', 'withheld', 'refused', 'new'].map((state) => hostnameTone({ state }))).toEqual([
      'good',
      'reserved',
      'held',
      'failed',
      'unknown',
    ]);
  });

  it('says before it is closed what goes with it', () => {
    expect(closeConsequences(lease)).toEqual([
      'The lease of ann ends at the market, in the name of this provider: payments stop.',
      '2 services (train, web) with 4 pods and 8 GPUs on 2 nodes are stopped.',
      '1 volume and the data in it are deleted.',
      'a.example is released.',
      'The market creates a new order for the tenant’s group, and any provider may bid on it.',
    ]);
    expect(closeConsequences({ order: { owner: 'ann' } })[1]).toBe('No pods are running.');
  });
});

describe('the loss of a node', () => {
  it('affects the leases with pods there, those with most cards first', () => {
    const other: RunningLeaseJson = {
      order: { owner: 'bob', dseq: '1', gseq: 1, oseq: 1 },
      services: [{ name: 'api', pods: [{ node: 'n1' }, { node: 'n1' }] }],
    };
    const hit = leasesOnNode([other, lease], 'n1');
    expect(hit.map(({ services, pods, gpus }) => [services, pods, gpus])).toEqual([
      [['train', 'web'], 2, 4],
      [['api'], 2, 0],
    ]);
    expect(lossWords(hit)).toBe('2 leases of 2 tenants, 4 pods and 4 GPUs');
    expect(lossWords(hit.slice(1))).toBe('1 lease of 1 tenant, 2 pods');
    expect(leasesOnNode([other, lease], 'n3')).toEqual([]);
  });

  it('counts every pod on exactly one node', () => {
    const pod = fc.record({ node: fc.constantFrom('n1', 'n2', 'n3'), gpus: fc.nat(8) });
    fc.assert(
      fc.property(fc.array(fc.array(pod, { minLength: 1 }), { maxLength: 6 }), (all) => {
        const leases = all.map((pods, index) => ({ order: { dseq: String(index) }, services: [{ name: 's', pods }] }));
        const hit = ['n1', 'n2', 'n3'].flatMap((node) => leasesOnNode(leases, node));
        const sum = (of: 'pods' | 'gpus'): number => hit.reduce((total, each) => total + each[of], 0);
        expect(sum('pods')).toBe(all.flat().length);
        expect(sum('gpus')).toBe(leases.reduce((total, each) => total + gpusOf(each), 0));
      }),
    );
  });
});
