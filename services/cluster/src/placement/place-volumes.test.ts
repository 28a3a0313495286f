import { describe, expect, it } from 'vitest';
import { codesOf, nodesOf, reserve } from '../../test/placings.ts';
import { Gi, node, one, stock } from '../../test/sample-facts.ts';
import { place } from './place.ts';
import type { Placing } from './plan.ts';
import { Stock } from './stock.ts';

describe('volumes', () => {
  const data = (className: string, bytes: number, name = 'data') => ({ kind: 'persistent', name, class: className, bytes }) as const;
  const usable = node('a', { storageClasses: ['disk', 'flash', 'local'] });

  it('are of the class with the wanted performance; default is else the default class', () => {
    const disk = { name: 'disk', performance: 'beta2', freeBytes: 10 * Gi };
    const planned = (placing: Placing) => (placing.kind === 'plan' ? placing.plan.units[0]?.volumes[0]?.class : placing.kind);
    expect(planned(place(stock([usable], [disk]), one({ volumes: [data('beta2', Gi)] })))).toBe('disk');
    expect(codesOf(place(stock([usable], [disk]), one({ volumes: [data('default', Gi)] })))).toEqual(['NoStorageClass']);
    expect(planned(place(stock([usable], [{ ...disk, isDefault: true }]), one({ volumes: [data('default', Gi)] })))).toBe('disk');
  });

  it('of classes that share space count together, each with its copies', () => {
    const classes = [
      { name: 'disk', performance: 'beta1', freeBytes: 10 * Gi, replicas: 3, sharesSpaceWith: ['flash'] },
      { name: 'flash', performance: 'beta3', freeBytes: 15 * Gi, replicas: 2 },
    ];
    const request = (disk: number, flash: number) => one({ volumes: [data('beta1', disk * Gi), data('beta3', flash * Gi, 'logs')] });
    expect(nodesOf(place(stock([usable], classes), request(6, 6)))).toEqual(['a']);
    expect(codesOf(place(stock([usable], classes), request(6, 7)))).toContain('TooLittleStorage');
    const big = { name: 'disk', performance: 'beta1', freeBytes: 10, replicas: 3 };
    expect(place(stock([usable], [big]), one({ count: 2, volumes: [data('beta1', Gi)] }))).toEqual({
      kind: 'refusal',
      reasons: [{ code: 'TooLittleStorage', message: 'storage class disk has 10 B free; all volumes together need 2 GiB' }],
    });

    // What is never sold of the one is less, copies counted, than of the other.
    const kept = new Stock({ persistentBytes: Gi });
    kept.setNode(usable);
    for (const facts of classes) kept.setClass(facts);
    expect(reserve(kept, one({ volumes: [data('beta1', 4 * Gi)] }))).toEqual(['a']);
    expect(codesOf(place(kept, one({ volumes: [data('beta3', 8 * Gi)] })))).toEqual(['TooLittleStorage']);
    expect(nodesOf(place(kept, one({ volumes: [data('beta3', 7 * Gi)] })))).toEqual(['a']);
  });

  it('are no larger than the largest that fits, of no refused class, and of no class that nobody can tell of', () => {
    const refused = (changed: object) =>
      codesOf(
        place(
          stock([usable], [{ name: 'disk', performance: 'beta1', freeBytes: 10 * Gi, ...changed }]),
          one({ volumes: [data('beta1', 2 * Gi)] }),
        ),
      );
    expect(refused({ largestVolumeBytes: Gi })).toEqual(['VolumeTooLarge']);
    expect(refused({ refusal: { code: 'Ill', message: 'the backend is ill' } })).toEqual(['StorageClassRefused']);
    expect(refused({ freeBytes: undefined })).toEqual(['StorageUnknown']);
    expect(refused({})).toEqual(['plan']);
  });

  it('on a node lie in its ephemeral storage where that is the same space', () => {
    const local = { name: 'local', performance: 'beta3', freeBytes: new Map([['a', 90 * Gi]]), ephemeralNodes: new Set(['a']) };
    const request = (volume: number, ephemeral: number) =>
      one({ volumes: [data('beta3', volume * Gi), { kind: 'ephemeral', name: 'root', bytes: ephemeral * Gi }] });
    const shared = stock([usable], [local]);
    expect(codesOf(place(shared, request(60, 41)))).toEqual(['NoRoom']);
    expect(reserve(shared, request(60, 10))).toEqual(['a']);
    expect(codesOf(place(shared, one({ volumes: [{ kind: 'ephemeral', name: 'root', bytes: 31 * Gi }] })))).toEqual(['NoRoom']);
    expect(codesOf(place(shared, one({ volumes: [data('beta3', 21 * Gi)] })))).toEqual(['NoRoom']);
    expect(nodesOf(place(shared, one({ volumes: [data('beta3', 20 * Gi)] })))).toEqual(['a']);
  });

  it('keep what they were promised when ephemeral storage on the same filesystem is asked for later', () => {
    const local = { name: 'local', performance: 'beta3', freeBytes: new Map([['a', 90 * Gi]]), ephemeralNodes: new Set(['a']) };
    const shared = stock([usable], [local]);
    const root = (size: number) => one({ volumes: [{ kind: 'ephemeral', name: 'root', bytes: size * Gi }] });
    expect(nodesOf(place(shared, root(100)))).toEqual(['a']);
    expect(reserve(shared, one({ volumes: [data('beta3', 60 * Gi)] }))).toEqual(['a']);
    expect(codesOf(place(shared, root(31)))).toEqual(['NoRoom']);
    expect(nodesOf(place(shared, root(30)))).toEqual(['a']);
  });

  it('of a cluster-wide class may lie in the ephemeral storage of any node that it has space in', () => {
    const wide = { name: 'replicated', performance: 'beta2', freeBytes: 90 * Gi, replicas: 2, ephemeralNodes: new Set(['a', 'b']) };
    const root = (size: number) => ({ kind: 'ephemeral', name: 'root', bytes: size * Gi }) as const;
    const nodes = ['a', 'b', 'c'].map((name) => node(name, { storageClasses: ['replicated'], ephemeralBytes: 100 * Gi }));
    const only = (name: string, size: number) =>
      place(
        stock(
          nodes.filter((each) => each.name === name),
          [wide],
        ),
        one({ volumes: [data('beta2', 60 * Gi), root(size)] }),
      );
    expect(nodesOf(only('a', 40))).toEqual(['a']);
    expect(codesOf(only('a', 41))).toEqual(['NoRoom']);
    expect(nodesOf(only('c', 100))).toEqual(['c']);

    const volumeFirst = stock(nodes.slice(0, 2), [wide]);
    expect(reserve(volumeFirst, one({ volumes: [data('beta2', 60 * Gi)] }))).toHaveLength(1);
    expect(codesOf(place(volumeFirst, one({ volumes: [root(41)] })))).toEqual(['NoRoom']);
    expect(nodesOf(place(volumeFirst, one({ count: 2, volumes: [root(40)] })))).toEqual(expect.arrayContaining(['a', 'b']));

    const ephemeralFirst = stock(nodes.slice(0, 2), [wide]);
    expect(reserve(ephemeralFirst, one({ volumes: [root(70)] }))).toHaveLength(1);
    expect(ephemeralFirst.storage.room(wide)).toBe(2 * 30 * Gi);
    expect(codesOf(place(ephemeralFirst, one({ volumes: [data('beta2', 31 * Gi)] })))).toEqual(['TooLittleStorage']);
    expect(nodesOf(place(ephemeralFirst, one({ volumes: [data('beta2', 30 * Gi)] })))).toHaveLength(1);
    // A node that takes nothing new keeps what is promised of it: it may take work again before the volume is there.
    for (const each of nodes.slice(0, 2)) ephemeralFirst.setNode({ ...each, heldBack: [{ code: 'Cordoned', message: 'is cordoned' }] });
    expect(ephemeralFirst.storage.room(wide)).toBe(2 * 30 * Gi);
    expect(ephemeralFirst.release('order-0')).toBe(true);
    expect(ephemeralFirst.storage.room(wide)).toBe(2 * 90 * Gi);
  });

  it('of a cluster-wide class that may keep all copies on one node may take the ephemeral storage of each for all of them', () => {
    const nodes = ['a', 'b'].map((name) => node(name, { storageClasses: ['soft'], ephemeralBytes: 100 * Gi }));
    const soft = {
      name: 'soft',
      performance: 'beta2',
      freeBytes: 90 * Gi,
      replicas: 2,
      replicasPerNode: 2,
      ephemeralNodes: new Set(['a', 'b']),
    };
    const root = (size: number) => ({ kind: 'ephemeral', name: 'root', bytes: size * Gi }) as const;
    expect(nodesOf(place(stock(nodes, [soft]), one({ volumes: [data('beta2', 30 * Gi), root(40)] })))).toHaveLength(1);
    expect(codesOf(place(stock(nodes, [soft]), one({ volumes: [data('beta2', 30 * Gi), root(41)] })))).toEqual(['NoRoom']);
    const volumeFirst = stock(nodes, [soft]);
    expect(reserve(volumeFirst, one({ volumes: [data('beta2', 30 * Gi)] }))).toHaveLength(1);
    expect(codesOf(place(volumeFirst, one({ volumes: [root(41)] })))).toEqual(['NoRoom']);
    const ephemeralFirst = stock(nodes, [soft]);
    expect(reserve(ephemeralFirst, one({ volumes: [root(70)] }))).toHaveLength(1);
    expect(ephemeralFirst.storage.room(soft)).toBe(30 * Gi);
    expect(codesOf(place(ephemeralFirst, one({ volumes: [data('beta2', 16 * Gi)] })))).toEqual(['TooLittleStorage']);
    expect(nodesOf(place(ephemeralFirst, one({ volumes: [data('beta2', 15 * Gi)] })))).toHaveLength(1);
    // It may be told of a class that is known already.
    ephemeralFirst.setClass({ ...soft, replicasPerNode: undefined });
    expect(nodesOf(place(ephemeralFirst, one({ volumes: [data('beta2', 30 * Gi)] })))).toHaveLength(1);
  });

  it('of two cluster-wide classes are refused for the ephemeral storage that both may take', () => {
    const nodes = ['a', 'b'].map((name) =>
      node(name, { storageClasses: ['disk', 'flash'], ephemeralBytes: (name === 'a' ? 100 : 90) * Gi }),
    );
    const wide = (name: string, performance: string) => ({ name, performance, freeBytes: 90 * Gi, ephemeralNodes: new Set(['a', 'b']) });
    const full = stock(nodes, [wide('disk', 'beta1'), wide('flash', 'beta2')]);
    expect(reserve(full, one({ count: 2, volumes: [{ kind: 'ephemeral', name: 'root', bytes: 60 * Gi }] }))).toHaveLength(2);
    const both = (gib: number) => one({ volumes: [data('beta1', gib * Gi), data('beta2', gib * Gi, 'logs')] });
    expect(nodesOf(place(full, both(15)))).toHaveLength(1);
    const why = 'may come to lie on a node with 30 GiB of ephemeral storage free; all volumes together may take 40 GiB there';
    expect(place(full, both(20))).toEqual({
      kind: 'refusal',
      reasons: ['disk', 'flash'].map((name) => ({ code: 'TooLittleStorage', message: `volumes of storage class ${name} ${why}` })),
    });
  });
});
