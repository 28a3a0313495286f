import { describe, expect, it } from 'vitest';
import { Gi, node, one, stock } from '../../test/sample-facts.ts';
import { explain } from './explain.ts';
import { place } from './place.ts';
import { holdsOf } from './plan.ts';
import type { Volume } from './request.ts';

describe('what storage a node lacks', () => {
  const data = (gib: number): Volume => ({ kind: 'persistent', name: 'data', class: 'beta3', bytes: gib * Gi });
  const root = (gib: number): Volume => ({ kind: 'ephemeral', name: 'root', bytes: gib * Gi });
  const nodes = [node('a', { storageClasses: ['local'] }), node('b', { storageClasses: ['local'] })];
  const freeBytes = new Map([
    ['a', 40 * Gi],
    ['b', 20 * Gi],
  ]);
  const local = { name: 'local', performance: 'beta3', freeBytes };
  const shared = { ...local, ephemeralNodes: new Set(['a', 'b']) };
  const lacks = (from: ReturnType<typeof stock>, ...volumes: readonly Volume[]) =>
    explain(from, one({ volumes })).nodes.map(({ nodes: count, shortfalls }) => [
      count,
      ...shortfalls.map(({ reason: { code }, resource, needed, free }) => [code, resource, needed / Gi, free / Gi]),
    ]);

  it('is told with amounts, as the best of a group has them', () => {
    expect(lacks(stock(nodes, [local]), data(50), root(1))).toEqual([[2, ['TooLittleVolumeSpace', 'storage/local', 50, 40]]]);
    expect(lacks(stock(nodes, [{ ...local, replicas: 2 }]), data(30))).toEqual([
      [1],
      [1, ['TooLittleVolumeSpace', 'storage/local', 30, 20]],
    ]);
    const few = nodes.map((each) => ({ ...each, cpuMillis: 0 }));
    expect(lacks(stock(few, [local]), data(50))).toEqual([
      [2, ['TooLittleCpu', 'cpu', 1000 / Gi, 0], ['TooLittleVolumeSpace', 'storage/local', 50, 40]],
    ]);
  });

  it('counts ephemeral storage and volumes on the same filesystem together', () => {
    const small = nodes.map((each) => ({ ...each, ephemeralBytes: 30 * Gi }));
    expect(lacks(stock(small.slice(0, 1), [shared]), data(25), root(10))).toEqual([
      [1, ['TooLittleEphemeralStorage', 'ephemeral-storage', 35, 30]],
    ]);
    expect(lacks(stock(nodes.slice(0, 1), [shared]), data(35), root(10))).toEqual([[1, ['TooLittleVolumeSpace', 'storage/local', 45, 40]]]);
    // What others were promised of the class is missing to pods that have no volume.
    const held = stock(nodes.slice(0, 1), [shared]);
    const placing = place(held, one({ volumes: [data(35)] }));
    if (placing.kind === 'plan') held.hold('order', holdsOf(placing.plan));
    expect(lacks(held, root(6))).toEqual([[1, ['TooLittleEphemeralStorage', 'ephemeral-storage', 6, 5]]]);
  });
});
