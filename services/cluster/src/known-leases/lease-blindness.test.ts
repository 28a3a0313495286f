import { describe, expect, it } from 'vitest';
import { blindness } from './lease-blindness.ts';

const told = (caches: readonly string[], nodes: readonly string[], namespaces: readonly string[]): string | undefined =>
  blindness({ stale: () => caches }, { stale: () => nodes }, { stale: () => namespaces });

describe('why what is seen of leases may be old', () => {
  it.each([
    [[], [], [], undefined],
    [['pods of leases'], [], [], '(pods of leases)'],
    [[], ['nodes'], [], '(nodes)'],
    [[], [], ['namespaces'], '(namespaces)'],
    [['pods of leases'], ['nodes'], ['namespaces'], '(pods of leases, nodes, namespaces)'],
    [['a', 'b'], ['nodes'], ['namespaces'], '(a, b, nodes, …)'],
  ] as const)('is any of what it is made of that is not followed: %j %j %j', (caches, nodes, namespaces, named) => {
    const expected = named === undefined ? undefined : `the provider cannot observe its cluster at the moment ${named}`;
    expect(told(caches, nodes, namespaces)).toBe(expected);
  });
});
