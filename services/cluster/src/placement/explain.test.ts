import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { optionsOf, requests, stockOf, tightWorlds } from '../../test/arbitraries.ts';
import { changed } from '../../test/changed-request.ts';
import { pictureOf } from '../../test/picture.ts';
import { a100, claims, Gi, gpus, node, one, plugin, stock, t4 } from '../../test/sample-facts.ts';
import { explain } from './explain.ts';
import { place } from './place.ts';
import { holdsOf } from './plan.ts';
import type { Unit } from './request.ts';

describe('an explanation', () => {
  it('has every node under what keeps it from taking a replica, few of them by name', () => {
    const nodes = [
      ...Array.from({ length: 5 }, (_, at) => node(`full-${at}`, { cards: plugin(at % 2, 8, a100), cpuMillis: 100 * at })),
      node('mixed', { cards: plugin(4, 8, a100, t4) }),
      node('plain'),
      node('closed', { heldBack: [{ code: 'Cordoned', message: 'is cordoned' }], cards: plugin(8, 8, a100) }),
    ];
    const { nodes: groups } = explain(stock(nodes), one({ gpus: gpus(2, 'a100') }));
    const lack = (code: string, message: string) => ({ unit: 1, reason: { code, message }, resource: '', needed: 0, free: 0 });
    expect(groups).toEqual([
      {
        shortfalls: [
          { ...lack('TooFewGpus', 'has at most 1 of the wanted GPUs free; each replica needs 2'), resource: 'gpu', needed: 2, free: 1 },
          { ...lack('TooLittleCpu', 'has at most 0.4 cores free; each replica needs 1 core'), resource: 'cpu', needed: 1000, free: 400 },
        ],
        nodes: 5,
        named: ['full-0', 'full-1', 'full-2'],
      },
      { shortfalls: [{ ...lack('Cordoned', 'is cordoned'), unit: undefined }], nodes: 1, named: ['closed'] },
      {
        shortfalls: [lack('GpuCannotBeChosen', 'the device plugin may assign another of its free GPUs than the wanted one')],
        nodes: 1,
        named: ['mixed'],
      },
      { shortfalls: [lack('NoWantedGpu', 'has no GPUs')], nodes: 1, named: ['plain'] },
    ]);
  });

  it('tells what every unit lacks on a node, and which nodes lack nothing', () => {
    const nodes = [node('a'), node('b', { memoryBytes: Gi }), node('c')];
    const small = { ...one({}).units[0], id: 1 } as Unit;
    const large = { ...small, id: 2, memoryBytes: 65 * Gi };
    const { nodes: groups } = explain(stock(nodes), { units: [{ ...small, memoryBytes: 2 * Gi }, large] }, { namedNodes: 1 });
    expect(groups.map(({ shortfalls, ...group }) => ({ ...group, units: shortfalls.map(({ unit }) => unit) }))).toEqual([
      { units: [2], nodes: 2, named: ['a'] },
      { units: [1, 2], nodes: 1, named: ['b'] },
    ]);
    expect(explain(stock(nodes), { units: [{ ...small, memoryBytes: 2 * Gi }] }).nodes).toMatchObject([
      { shortfalls: [], nodes: 2, named: ['a', 'c'] },
      { shortfalls: [{ unit: 1, resource: 'memory', needed: 2 * Gi, free: Gi }], nodes: 1 },
    ]);
  });

  it('has at most a hundred groups: the smallest are told as one, and nodes with room come first', () => {
    const classes = Array.from({ length: 8 }, (_, at) => ({ name: `c${at}`, freeBytes: 100 * Gi }));
    // Every set of usable classes is a group of its own.
    const nodes = Array.from({ length: 256 }, (_, set) => {
      return node(`n-${set}`, { storageClasses: classes.map(({ name }) => name).filter((_name, at) => (set >> at) % 2 === 1) });
    });
    const units = classes.map(({ name }, id): Unit => {
      const volumes = [{ kind: 'persistent', name: 'data', class: name, bytes: Gi } as const];
      return { ...(one({}).units[0] as Unit), id, volumes };
    });
    const { nodes: groups } = explain(stock([...nodes, node('n-0-too')], classes), { units }, { withChanges: false });
    expect(groups).toHaveLength(100);
    expect(groups[0]).toEqual({ shortfalls: [], nodes: 1, named: ['n-255'] });
    expect(groups[1]).toMatchObject({ nodes: 2, named: ['n-0', 'n-0-too'] });
    const rest = { unit: undefined, reason: { code: 'Various', message: 'lack one thing or another, in 157 combinations' }, resource: '' };
    expect(groups.at(-1)).toMatchObject({ shortfalls: [rest], nodes: 157, named: { length: 3 } });
    expect(groups.reduce((sum, group) => sum + group.nodes, 0)).toBe(257);
  });

  it('names the nearest amounts, and models that are free', () => {
    const nodes = [node('a', { cards: plugin(2, 8, a100) }), node('b', { cards: plugin(4, 8, t4) })];
    const { changes } = explain(stock(nodes), one({ count: 2, gpus: gpus(2, 'a100') }));
    expect(changes).toEqual([
      { kind: 'less', unit: 1, what: 'replicas', from: 2, to: 1 },
      { kind: 'less', unit: 1, what: 'gpus', from: 2, to: 1 },
      { kind: 'other-model', unit: 1, group: t4 },
    ]);
    const memory = explain(stock([node('a')]), one({ memoryBytes: 65 * Gi })).changes;
    expect(memory).toEqual([{ kind: 'less', unit: 1, what: 'memory-bytes', from: 65 * Gi, to: 64 * Gi }]);
    const storage = explain(stock([node('a')]), one({ volumes: [{ kind: 'ephemeral', name: 'root', bytes: 200 * Gi }] })).changes;
    expect(storage).toEqual([{ kind: 'less', unit: 1, what: 'storage-bytes', volume: 'root', from: 200 * Gi, to: 100 * Gi }]);
  });

  it('has fewer replicas where each resource of the wanted cards has too few for all', () => {
    const nodes = [node('a', { cards: plugin(1, 8, a100) }), node('b', { cards: claims([a100, 2, 8]) })];
    const { changes } = explain(stock(nodes), one({ count: 3, gpus: gpus(1, 'a100') }));
    expect(changes).toEqual([{ kind: 'less', unit: 1, what: 'replicas', from: 3, to: 2 }]);
  });

  it('counts on what is about to be given back, only as far as it is needed', () => {
    const full = stock([node('a')]);
    for (const id of ['first', 'second', 'third']) {
      const placing = place(full, one({ cpuMillis: 5000 }));
      if (placing.kind === 'plan') full.hold(id, holdsOf(placing.plan));
    }
    const before = pictureOf(full);
    const { changes } = explain(full, one({ cpuMillis: 10_000 }), { releasing: ['nobody', 'third', 'first', 'second'] });
    expect(changes.filter(({ kind }) => kind === 'release')).toEqual([{ kind: 'release', ids: ['third', 'first'] }]);
    expect(pictureOf(full)).toEqual(before);
  });

  it('looks at the nodes that volumes may lie on once for all that is given back, not for each', () => {
    const names = Array.from({ length: 40 }, (_, at) => `node-${at}`);
    const wide = { name: 'replicated', performance: 'beta2', freeBytes: 90 * Gi, ephemeralNodes: new Set(names) };
    const full = stock(
      names.map((name) => node(name, { storageClasses: ['replicated'] })),
      [wide],
    );
    const ids = Array.from({ length: 30 }, (_, at) => `order-${at}`);
    const volume = { kind: 'persistent', name: 'data', class: 'beta2', bytes: Gi } as const;
    for (const id of ids) {
      const placing = place(full, one({ cpuMillis: 5000, volumes: [volume] }));
      if (placing.kind === 'plan') full.hold(id, holdsOf(placing.plan));
    }
    const before = pictureOf(full);
    const looks = vi.spyOn(full.index, 'add');
    const { changes } = explain(full, one({ volumes: [{ ...volume, bytes: 90 * Gi }] }), { releasing: ids });
    expect(changes).toContainEqual({ kind: 'release', ids });
    expect(looks.mock.calls.length).toBeLessThan(ids.length * names.length);
    expect(pictureOf(full)).toEqual(before);
  });

  it('is true: each change makes the request fit, a little more of it does not, and every node is told once', () => {
    const cases = requests(6).chain((request) => fc.tuple(tightWorlds(request, 4), fc.constant(request)));
    fc.assert(
      fc.property(cases, ([world, request]) => {
        const from = stockOf(world);
        const withChanges = place(from, request, optionsOf(world)).kind !== 'plan';
        const { nodes, changes } = explain(from, request, { ...optionsOf(world), withChanges });
        expect(nodes.reduce((sum, group) => sum + group.nodes, 0)).toBe(world.nodes.length);
        for (const change of changes) {
          expect(place(from, changed(request, change, 0), optionsOf(world)).kind).toBe('plan');
          if (change.kind === 'less') expect(place(from, changed(request, change, 1), optionsOf(world)).kind).toBe('refusal');
        }
      }),
      { numRuns: 60 },
    );
  });
});
