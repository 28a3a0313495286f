import { describe, expect, it } from 'vitest';
import { filledBook, order, planOn, pod, reservation } from '../../test/filled-book.ts';
import { a100, claims, gpus, node, one, plugin } from '../../test/sample-facts.ts';
import type { LeasePod } from '../model/inventory-change.ts';
import type { PlannedVolume } from '../placement/plan.ts';
import type { Volume } from '../placement/request.ts';
import type { NodeFacts } from '../placement/stock-facts.ts';
import { decideBy } from './decide.ts';
import { missingReplicas, withReplicas } from './missing-replicas.ts';

const name = 'amy-1-1-1';
const cordoned: Partial<NodeFacts> = { heldBack: [{ code: 'Cordoned', message: 'it is cordoned' }] };
const volume: PlannedVolume = {
  ...{ name: 'data', class: 'disk', bytes: 10 },
  space: { isNodeLocal: true, copies: 1, copiesOnNode: 1, apartFrom: [], ephemeralNodes: [] },
};

/** Two replicas, on a and on b. */
function leaseWith(
  nodes: readonly NodeFacts[],
  pods: readonly LeasePod[],
  volumes: readonly PlannedVolume[] = [],
  ordered: readonly Volume[] = [],
) {
  const book = filledBook(nodes, pods);
  const replicas = ['a', 'b'].map((each) => ({ node: each, uid: `uid-${each}` }));
  const plan = { units: planOn('a').units.map((unit) => ({ ...unit, volumes, replicas })), ports: 1, ips: 0 };
  const request = one({ count: 2, randomPorts: 1, volumes: ordered });
  book.setReservation(reservation(order('amy', 1n), { phase: 'active', plan, request, leaseNamespace: { name: 'lease', uid: 'ns' } }));
  return book;
}

const claim = (uid: string, on: string) => ({
  uid,
  namespace: 'lease',
  namespaceUid: 'ns',
  name: uid,
  storageClass: 'disk',
  bytes: 10,
  node: on,
});
const inventory = {
  observedAt: 1,
  nodes: [],
  removedNodes: [],
  classes: [],
  removedClasses: [],
  pods: [],
  removedPods: [],
  removedVolumes: [],
};

describe('what is missing of a lease', () => {
  it('is nothing while everything runs, or can start where it is planned', () => {
    expect(missingReplicas(leaseWith([node('a'), node('b')], [pod('a', 'ns'), pod('b', 'ns')]), name)).toBeUndefined();
    expect(missingReplicas(leaseWith([node('a'), node('b')], []), name)).toBeUndefined();
    expect(missingReplicas(leaseWith([node('a', cordoned), node('b')], [pod('a', 'ns'), pod('b', 'ns')]), name)).toBeUndefined();
  });

  it('is what does not run on a node that is gone, or takes nothing new: what runs stays where it is', () => {
    for (const nodes of [
      [node('b'), node('c')],
      [node('a', cordoned), node('b'), node('c')],
    ]) {
      const missing = missingReplicas(leaseWith(nodes, [pod('b', 'ns')]), name);
      expect(missing?.request.units).toMatchObject([{ id: 1, count: 1, randomPorts: undefined }]);
      expect(missing?.kept.units[0]?.replicas).toEqual([{ node: 'b', uid: 'uid-b' }]);
    }
  });

  describe('of a node that is silent', () => {
    const silent: Partial<NodeFacts> = { heldBack: [{ code: 'Silent', message: 'nothing is heard of it' }] };
    const nodes = [node('a', silent), node('b'), node('c')];
    const pods = [pod('a', 'ns'), pod('b', 'ns')];

    it('is nothing before the cluster has given up its pod, and then that replica', () => {
      const book = leaseWith(nodes, pods);
      expect(missingReplicas(book, name)).toBeUndefined();
      book.setLostPods(new Set(['pod-on-a']));
      const missing = missingReplicas(book, name);
      expect(missing?.request.units).toMatchObject([{ id: 1, count: 1 }]);
      expect(missing?.kept.units[0]?.replicas).toEqual([{ node: 'b', uid: 'uid-b' }]);
      book.setLostPods(new Set());
      expect(missingReplicas(book, name)).toBeUndefined();
    });

    it('has its new place held, although its pod is still counted where it was', () => {
      const book = leaseWith(nodes, pods);
      book.setLostPods(new Set(['pod-on-a']));
      const before = book.reservation(name);
      const missing = missingReplicas(book, name);
      if (before === undefined || missing === undefined) throw new Error('nothing is missing');
      book.setReservation({ ...before, plan: withReplicas(missing.kept, planOn('c')) });
      expect([...(book.stock.holdsOf(name)?.nodes.keys() ?? [])]).toEqual(['c']);
      expect(missingReplicas(book, name)).toBeUndefined();
    });

    it('stays there where it has its data', () => {
      const book = leaseWith(nodes, pods, [volume]);
      book.takeInventory({ kind: 'delta', ...inventory, volumes: [claim('data-0', 'a'), claim('data-1', 'b')] });
      book.setLostPods(new Set(['pod-on-a']));
      expect(missingReplicas(book, name)).toBeUndefined();
    });
  });

  it('keeps its ports, and gets another place beside what runs', () => {
    const missing = missingReplicas(leaseWith([node('b'), node('c')], [pod('b', 'ns')]), name);
    const after = missing && withReplicas(missing.kept, planOn('c'));
    expect(after).toMatchObject({ ports: 1, units: [{ id: 1, replicas: [{ node: 'b' }, { node: 'c' }] }] });
  });

  it('keeps the class of its volumes, whichever is the default by now, and what either place of them may draw on', () => {
    const space = { isNodeLocal: false, copies: 1, copiesOnNode: 1, apartFrom: ['tape', 'flash'], ephemeralNodes: ['b'] };
    const [kept, placed] = [
      { ...volume, space },
      { ...volume, space: { ...space, copies: 2, apartFrom: ['flash'], ephemeralNodes: ['c'] } },
    ];
    const book = leaseWith(
      [node('b'), node('c')],
      [pod('b', 'ns')],
      [kept],
      [{ kind: 'persistent', name: 'data', class: 'default', bytes: 10 }],
    );
    const missing = missingReplicas(book, name);
    expect(missing?.request.units[0]?.volumes).toEqual([{ kind: 'persistent', name: 'data', class: 'disk', bytes: 10 }]);
    const plan = { ...planOn('c'), units: planOn('c').units.map((unit) => ({ ...unit, volumes: [placed] })) };
    const [unit] = (missing && withReplicas(missing.kept, plan))?.units ?? [];
    expect(unit?.volumes).toEqual([
      { ...volume, space: { isNodeLocal: false, copies: 2, copiesOnNode: 1, apartFrom: ['flash'], ephemeralNodes: ['b', 'c'] } },
    ]);
  });

  it('is not moved away from the data that it has on a node', () => {
    const book = leaseWith([node('b'), node('c')], [pod('b', 'ns')], [volume]);
    book.takeInventory({ kind: 'delta', ...inventory, volumes: [claim('data-0', 'a'), claim('data-1', 'b')] });
    expect(missingReplicas(book, name)).toBeUndefined();
  });

  it('is no less what has no data there, beside a replica that waits for its node', () => {
    const book = filledBook([node('b')], []);
    const replica = () => ({ node: 'a', uid: 'uid-a' });
    const [unit] = planOn('a').units;
    const units =
      unit === undefined
        ? []
        : [
            { ...unit, volumes: [volume], replicas: [replica()] },
            { ...unit, id: 2, replicas: [replica()] },
          ];
    const [asked] = one({ count: 1 }).units;
    const request = { units: asked === undefined ? [] : [asked, { ...asked, id: 2 }] };
    const leaseNamespace = { name: 'lease', uid: 'ns' };
    book.setReservation(reservation(order('amy', 1n), { phase: 'active', plan: { units, ports: 0, ips: 0 }, request, leaseNamespace }));
    book.takeInventory({ kind: 'delta', ...inventory, volumes: [claim('data-0', 'a')] });
    const missing = missingReplicas(book, name);
    expect(missing?.request.units).toMatchObject([{ id: 2, count: 1 }]);
    expect(missing?.kept.units.map((each) => each.replicas.length)).toEqual([1, 0]);
  });

  it('is not asked for while it is still pending: that is planned anew as a whole', () => {
    const book = filledBook([node('b')]);
    book.setReservation(reservation(order('amy', 1n), { plan: planOn('a') }));
    expect(missingReplicas(book, name)).toBeUndefined();
  });

  it('is not another replica that waits where it can start: that keeps its place', () => {
    const missing = missingReplicas(leaseWith([node('b'), node('c')], []), name);
    expect(missing?.request.units).toMatchObject([{ id: 1, count: 1 }]);
    expect(missing?.kept.units[0]?.replicas).toEqual([{ node: 'b', uid: 'uid-b' }]);
  });

  describe('with cards', () => {
    const cards = { resource: 'nvidia.com/gpu', group: undefined, count: 1, groups: [a100] };
    const byPlugin = (on: string, free: number) => node(on, { cards: plugin(free, 8, a100) });
    const byClaim = (on: string) => node(on, { cards: claims([a100, 1, 8]) });
    const podOn = (on: string) => ({ ...pod(on, 'ns'), cards: new Map([['nvidia.com/gpu', 1]]), cardGroups: [a100] });

    function decided(nodes: readonly NodeFacts[], pods: readonly LeasePod[]) {
      const book = filledBook(nodes, pods);
      const replicas = ['a', 'b'].map((each) => ({ node: each, uid: `uid-${each}`, cards }));
      const plan = { units: planOn('a').units.map((unit) => ({ ...unit, replicas })), ports: 0, ips: 0 };
      const request = one({ count: 2, gpus: gpus(1, 'a100') });
      const leaseNamespace = { name: 'lease', uid: 'ns' };
      book.setReservation(reservation(order('amy', 1n), { phase: 'active', plan, request, leaseNamespace }));
      const missing = missingReplicas(book, name);
      if (missing === undefined) throw new Error('nothing is missing');
      return decideBy(book)(missing.request);
    }

    it('is placed on those of the resource that the kept replicas have theirs of, or nowhere', () => {
      expect(decided([byPlugin('b', 0), byClaim('c')], [podOn('b')])).toMatchObject({
        kind: 'refused',
        reasons: [{ code: 'NoRoom', message: expect.stringContaining('GPUs of nvidia.com/gpu, as the others of the unit have') }],
      });
      expect(decided([byPlugin('b', 0), byClaim('c'), byPlugin('d', 1)], [podOn('b')])).toMatchObject({
        kind: 'plan',
        plan: { units: [{ replicas: [{ node: 'd', cards }] }] },
      });
    });

    it('is placed on any, but all of one resource, where no replica is kept', () => {
      expect(decided([byClaim('c'), byClaim('d')], [])).toMatchObject({ kind: 'plan' });
      expect(decided([byClaim('c'), byPlugin('d', 1)], [])).toMatchObject({ kind: 'refused' });
    });
  });

  it('asks for no address anew: those are the lease’s already', () => {
    const book = filledBook([node('b')], []);
    const request = one({ count: 1, leasedIps: ['mail'] });
    const leaseNamespace = { name: 'lease', uid: 'ns' };
    book.setReservation(reservation(order('amy', 1n), { phase: 'active', plan: planOn('a'), request, leaseNamespace }));
    expect(missingReplicas(book, name)?.request.units).toMatchObject([{ count: 1, leasedIps: undefined }]);
  });

  it.each([
    ['lies on nodes', volume, undefined],
    ['nobody tells of', { ...volume, space: undefined }, undefined],
    ['lies anywhere', { ...volume, space: volume.space && { ...volume.space, isNodeLocal: false } }, 1],
  ])('is a replica with data of a class that %s: only where that can follow it', (_what, kept, expected) => {
    const book = leaseWith([node('b'), node('c')], [pod('b', 'ns')], [kept]);
    book.takeInventory({ kind: 'delta', ...inventory, volumes: [claim('data-0', 'a'), claim('data-1', 'b')] });
    expect(missingReplicas(book, name)?.request.units[0]?.count).toBe(expected);
  });

  it.each([
    ['any', ['c'], 'any'],
    [['b'], 'any', 'any'],
    [['b'], ['b', 'c'], ['b', 'c']],
  ] as const)('may draw on all that either of its plans may: %j and %j', (some, others, both) => {
    const spaced = (ephemeralNodes: readonly string[] | 'any') => ({
      ...volume,
      space: volume.space && { ...volume.space, ephemeralNodes },
    });
    const planWith = (ephemeralNodes: readonly string[] | 'any') => {
      const plan = planOn('a');
      return { ...plan, units: plan.units.map((unit) => ({ ...unit, volumes: [spaced(ephemeralNodes)] })) };
    };
    expect(withReplicas(planWith(some), planWith(others)).units[0]?.volumes).toEqual([spaced(both)]);
  });
});
