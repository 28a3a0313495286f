import { describe, expect, it } from 'vitest';
import { Gi, node, stock } from '../../test/sample-facts.ts';
import type { Holds, NodeHold } from '../placement/holds.ts';
import { HeldPlaces } from './held-places.ts';

const holdsOn = (name: string, changed: Partial<NodeHold>): Holds => ({
  nodes: new Map([[name, { cpuMillis: 1, memoryBytes: 1, ephemeralBytes: 0, pods: 1, cards: [], volumes: new Map(), ...changed }]]),
  ports: 0,
  ips: 0,
});

describe('places where something is held', () => {
  it('are looked at again when a class takes of the ephemeral storage of other nodes, or ephemeral storage of the class', () => {
    const replicated = { name: 'replicated', freeBytes: 100 * Gi, ephemeralNodes: new Set(['a']) };
    const from = stock([node('a', { ephemeralBytes: 10 * Gi }), node('b')], [replicated]);
    const places = new HeldPlaces(from);
    const overdrawn = (): string[] => {
      places.review(1);
      return [...places.overdrawn.keys()].toSorted();
    };
    places.hold('pods', holdsOn('a', { ephemeralBytes: 6 * Gi }));
    places.hold('volumes', holdsOn('b', { volumes: new Map([['replicated', 4 * Gi]]) }));
    expect(overdrawn()).toEqual([]);

    from.setNode(node('a', { ephemeralBytes: 8 * Gi }));
    places.nodeChanged('a');
    expect(overdrawn()).toEqual(['node/a', 'storage/replicated']);

    places.hold('volumes', undefined);
    expect(overdrawn()).toEqual([]);

    places.hold('volumes', holdsOn('b', { volumes: new Map([['replicated', 4 * Gi]]) }));
    expect(overdrawn()).toEqual(['node/a', 'storage/replicated']);
    places.hold('pods', undefined);
    expect(overdrawn()).toEqual([]);
  });
});
