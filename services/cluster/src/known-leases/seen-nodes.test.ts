import type { Node } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import { shownObjects } from '../../test/shown-objects.ts';
import { SeenNodes } from './seen-nodes.ts';

const node = (name: string, address: string, podCIDR: string): Node => ({
  metadata: { name },
  spec: { podCIDR, podCIDRs: [podCIDR] },
  status: { addresses: [{ type: 'ExternalIP', address }] },
});
const seen = (...nodes: readonly Node[]) => new SeenNodes(shownObjects({ nodes }), ['198.51.100.0/24']);
const server = (address: string) => ({ address, port: 6443 });

describe('the networks of the cluster', () => {
  it('are those of pods, Services, nodes and API servers, wherever the latter run, and what the provider adds', () => {
    const nodes = seen(node('a', '203.0.113.5', '192.0.2.0/25'));
    expect(nodes.networks(['192.0.2.128/25'], [server('203.0.113.9'), server('2001:db8::9')])?.blocked).toEqual([
      '192.0.2.0/24',
      '198.51.100.0/24',
      '203.0.113.5/32',
      '203.0.113.9/32',
      '2001:db8::9/128',
    ]);
  });

  it('are the same object until something changes', () => {
    const nodes = seen(node('a', '203.0.113.5', '192.0.2.0/24'));
    const before = nodes.networks([], [server('203.0.113.9')]);
    expect(nodes.networks([], [server('203.0.113.9')])).toBe(before);
    const after = nodes.networks([], [server('203.0.113.9'), server('203.0.113.11')]);
    expect(after?.blocked).toContain('203.0.113.11/32');
    expect(nodes.networks(['203.0.113.128/25'], [server('203.0.113.9'), server('203.0.113.11')])?.blocked).toContain('203.0.113.128/25');
  });

  it('are not known until all of them were read', () => {
    const nodes = seen();
    expect(nodes.networks(undefined, [])).toBeUndefined();
    expect(nodes.networks([], undefined)).toBeUndefined();
    expect(new SeenNodes(shownObjects({}), []).networks([], [])).toBeUndefined();
  });
});

describe('what is heard of a node', () => {
  const of = (ready: string | undefined, unschedulable = false): SeenNodes => {
    const conditions = [{ type: 'MemoryPressure', status: 'Unknown' }, ...(ready === undefined ? [] : [{ type: 'Ready', status: ready }])];
    return new SeenNodes(
      shownObjects({ nodes: [{ metadata: { name: 'a' }, spec: { unschedulable }, status: { conditions } } as Node] }),
      [],
    );
  };

  it.each([
    ['True', true],
    // It says itself that it is not ready: what it says of its pods is so.
    ['False', true],
    ['Unknown', false],
    [undefined, true],
  ])('is what the cluster has heard lately, ready or not: Ready is %s', (ready, isHeard) => {
    expect(of(ready).isHeard('a')).toBe(isHeard);
  });

  it('is nothing that runs where the node is gone, and nothing starts there', () => {
    expect([of('True').isHeard('gone'), of('True').isOpen('gone', [])]).toEqual([true, false]);
    expect([of('True').isOpen('a', []), of('Unknown').isOpen('a', []), of('True', true).isOpen('a', [])]).toEqual([true, false, false]);
  });

  it.each([
    ['NoSchedule', [], false],
    ['NoExecute', [], false],
    ['PreferNoSchedule', [], true],
    ['NoSchedule', [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }], true],
    ['NoExecute', [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }], false],
    ['NoSchedule', [{ key: 'gpu', value: 'no', effect: 'NoSchedule' }], false],
  ])('lets pods start there that tolerate its taints: %s, of %j', (effect, tolerated, isOpen) => {
    const tainted = { metadata: { name: 'a' }, spec: { taints: [{ key: 'gpu', value: 'yes', effect }] } } as Node;
    expect(new SeenNodes(shownObjects({ nodes: [tainted] }), []).isOpen('a', tolerated)).toBe(isOpen);
  });
});
