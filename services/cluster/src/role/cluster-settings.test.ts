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

  it.each([
    [{ 'cpu-commit-level': '0.5' }, 'must be a decimal number of at least 1'],
    [{ 'memory-commit-level': 'twice' }, 'must be a decimal number of at least 1'],
    [{ 'cluster-cpu-headroom': 'much' }, 'must be an amount of CPU such as 500m or 2'],
    [{ 'cluster-advertised-address': '10.0.0.1' }, 'must be HOST:PORT'],
    [{ 'cluster-pending-share': 0 }, 'cluster-pending-share'],
    [{ 'cluster-spread': 'wide' }, 'cluster-spread'],
  ])('refuse %j', (values, problem) => {
    expect(problemsOf(values)).toEqual([expect.stringContaining(problem)]);
  });
});
