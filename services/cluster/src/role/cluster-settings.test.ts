import { describe, expect, it } from 'vitest';
import { clusterRole } from './cluster-role.ts';

const { own } = clusterRole;
const problemsOf = (values: object): readonly string[] =>
  own.schema.safeParse(values).error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? [];

describe('the settings of the cluster service', () => {
  it('have the names and defaults that providers know', () => {
    expect(own.schema.parse({})).toMatchObject({
      'inventory-resource-poll-period': 5_000,
      'inventory-resource-debug-frequency': 10,
      'inventory-max-age': 30_000,
      'cpu-commit-level': { numerator: 10n, denominator: 10n },
      'memory-commit-level': { numerator: 10n, denominator: 10n },
      'storage-commit-level': { numerator: 10n, denominator: 10n },
      'cluster-node-port-quantity': 2768,
      'cluster-pending-lifetime': 300_000,
      'bid-orders-at-once': 32,
      'bid-timeout': 300_000,
      'bid-price-strategy': 'scale',
      'bid-price-script-process-limit': 32,
      'bid-price-script-process-timeout': 10_000,
      'bid-decision-retention': 7 * 24 * 3_600_000,
      'bid-decision-max': 10_000,
    });
  });

  it('read amounts as Kubernetes writes them, and levels exactly, as text or as a number', () => {
    const written = {
      'cluster-cpu-headroom': '1500m',
      'cluster-memory-headroom': '2Gi',
      'cluster-gpu-headroom': 1,
      'cpu-commit-level': 1.25,
      'memory-commit-level': '1.1',
    };
    expect(own.schema.parse(written)).toMatchObject({
      'cluster-cpu-headroom': 1500,
      'cluster-memory-headroom': 2 ** 31,
      'cluster-gpu-headroom': 1,
      'cpu-commit-level': { numerator: 125n, denominator: 100n },
      'memory-commit-level': { numerator: 11n, denominator: 10n },
    });
  });

  it('read prices exactly, by class and model', () => {
    const written = {
      'bid-price-cpu-scale': '0.000000000000000001',
      'bid-price-storage-scale': 'beta3=0.5, ephemeral=0.25,default=1',
      'bid-price-gpu-scale': 'nvidia/a100=120,*=7',
      'bid-provider-attributes': ['region=us-west', 'note=a=b'],
    };
    const one = 10n ** 18n;
    expect(own.schema.parse(written)).toMatchObject({
      'bid-price-cpu-scale': 1n,
      'bid-price-storage-scale': new Map([
        ['beta3', one / 2n],
        ['ephemeral', one / 4n],
        ['default', one],
      ]),
      'bid-price-gpu-scale': new Map([
        ['nvidia/a100', 120n * one],
        ['*', 7n * one],
      ]),
      'bid-provider-attributes': new Map([
        ['region', 'us-west'],
        ['note', 'a=b'],
      ]),
    });
    expect(own.schema.parse({ 'bid-price-storage-scale': 2 })).toMatchObject({
      'bid-price-storage-scale': new Map([['default', 2n * one]]),
    });
  });

  it('have networks and addresses of IPv4 and IPv6 that tenants must not reach', () => {
    const networks = ['203.0.113.0/24', '198.51.100.7', '2001:db8::/32', '2001:DB8:0::7'];
    expect(own.schema.parse({ 'deployment-blocked-networks': networks })).toMatchObject({ 'deployment-blocked-networks': networks });
  });

  it.each<readonly [object, string]>([
    [{ 'bid-price-cpu-scale': '-1' }, 'must be a decimal number'],
    [{ 'bid-price-gpu-scale': 'nvidia/a100=much' }, 'must be NAME=PRICE'],
    [{ 'bid-provider-attributes': ['region'] }, 'must be KEY=VALUE'],
    [{ 'bid-price-script-path': 'price.sh' }, 'must be an absolute path'],
    [{ 'cpu-commit-level': '0.5' }, 'must be a decimal number of at least 1'],
    [{ 'memory-commit-level': 'twice' }, 'must be a decimal number of at least 1'],
    [{ 'cluster-cpu-headroom': 'much' }, 'must be an amount of CPU such as 500m or 2'],
    [{ 'cluster-advertised-address': '10.0.0.1' }, 'must be HOST:PORT'],
    [{ 'cluster-pending-share': 0 }, 'cluster-pending-share'],
    [{ 'cluster-spread': 'wide' }, 'cluster-spread'],
    ...['10.0.0.0/33', '10.0.0/8', 'fd00::/129', 'fd00:/8', 'example.com', ''].map(
      (network) =>
        [
          { 'deployment-blocked-networks': ['10.0.0.0/8', network] },
          `deployment-blocked-networks.1 "${network}" must be a network or an address, such as 203.0.113.0/24 or 2001:db8::/32`,
        ] as const,
    ),
  ])('refuse %j', (values, problem) => {
    expect(problemsOf(values)).toEqual([expect.stringContaining(problem)]);
  });
});
