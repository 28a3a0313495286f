import { describe, expect, it } from 'vitest';
import { claimOf, planOn, podOf } from '../../test/sample-book.ts';
import { a100, claims as cardClaims, Gi, gpus, node, one, plugin, t4, unit } from '../../test/sample-facts.ts';
import type { LeasePod } from '../model/inventory-change.ts';
import { holdsOf } from '../placement/plan.ts';
import type { Request } from '../placement/request.ts';
import { type LeaseUse, netHolds, noUse } from './net-holds.ts';

const nodes = [node('a', { storageClasses: ['disk', 'local'] }), node('b', { storageClasses: ['disk', 'local'] })];
const using = (use: Partial<LeaseUse>): LeaseUse => ({ ...noUse, ...use });
/** What is promised by a plan on these nodes. */
const promiseOn = (...[on, request, classes]: Parameters<typeof planOn>) => ({ plan: planOn(on, request, classes), request });
type Promised = ReturnType<typeof promiseOn>;
const podIn = ({ plan }: Promised, changed: Partial<LeasePod> = {}): LeasePod => podOf({ name: 'x', plan }, changed);
const cpuOn = (promised: Promised, use: LeaseUse): Record<string, number> =>
  Object.fromEntries([...netHolds(promised, use).holds.nodes].map(([name, hold]) => [name, hold.cpuMillis]));

describe('net holds', () => {
  it('are all that is planned while nothing runs', () => {
    const promised = promiseOn(
      nodes,
      one({ count: 3, randomPorts: 2, leasedIps: ['front'], volumes: [{ kind: 'ram', name: 'shm', bytes: Gi }] }),
    );
    expect(netHolds(promised, noUse).holds).toEqual(holdsOf(promised.plan));
  });

  it('are without the replica that is planned where the pod runs', () => {
    const promised = promiseOn(nodes, one({ count: 2 }));
    expect(cpuOn(promised, noUse)).toEqual({ a: 1000, b: 1000 });
    expect(cpuOn(promised, using({ pods: [podIn(promised, { node: 'b' })] }))).toEqual({ a: 1000 });
  });

  it('are without one replica for a pod that runs where none is planned, and none is counted for two', () => {
    const promised = promiseOn(nodes, one({ count: 2 }));
    const stray = podIn(promised, { node: 'c' });
    expect(cpuOn(promised, using({ pods: [stray] }))).toEqual({ b: 1000 });
    // The stray comes first, and still leaves the replica on b to the pod that runs on b.
    expect(cpuOn(promised, using({ pods: [stray, podIn(promised, { uid: 'pod-2', node: 'a' })] }))).toEqual({});
    const three = ['c', 'a', 'a'].map((name, at) => podIn(promised, { uid: `pod-${at}`, node: name }));
    expect(cpuOn(promised, using({ pods: three }))).toEqual({});
  });

  it.each([
    ['less cpu', { cpuMillis: 999 }],
    ['less memory', { memoryBytes: Gi - 1 }],
    ['more memory and less cpu', { memoryBytes: 2 * Gi, cpuMillis: 999 }],
    ['other cards', { cards: new Map([['nvidia.com/gpu', 1]]), cardGroups: [t4] }],
  ])('stay as they are for a pod with %s', (_, changed) => {
    const promised = promiseOn(nodes, one());
    expect(netHolds(promised, using({ pods: [podIn(promised, changed)] })).holds).toEqual(holdsOf(promised.plan));
  });

  it.each([
    ['cpu', { cpuMillis: 1001 }],
    ['memory', { memoryBytes: Gi + 1 }],
    ['ephemeral storage', { ephemeralBytes: 1 }],
  ])('are without the replica of a pod that something was added to: %s', (_, changed) => {
    const promised = promiseOn(nodes, one({ count: 2 }));
    expect(cpuOn(promised, using({ pods: [podIn(promised, { ...changed, node: 'b' })] }))).toEqual({ a: 1000 });
    expect(cpuOn(promised, using({ pods: [podIn(promised, { ...changed, node: 'c' })] }))).toEqual({ b: 1000 });
  });

  it('are without the smallest of those that a larger pod may be, and with all where none is', () => {
    const left = (units: Request['units'], changed: Partial<LeasePod>) => {
      const promised = promiseOn(nodes, { units });
      const { waiting } = netHolds(promised, using({ pods: [podIn(promised, { node: 'c', cpuMillis: 4000, ...changed })] }));
      return waiting.map((each) => each.unit.id);
    };
    expect(left([unit({ cpuMillis: 3000 }), unit({ id: 2 })], {})).toEqual([1]);
    const unlike = [unit({ cpuMillis: 3000 }), unit({ id: 2, memoryBytes: 10 * Gi })];
    expect(left(unlike, { memoryBytes: 11 * Gi })).toEqual([1, 2]);
    // It can only be the first.
    expect(left(unlike, {})).toEqual([2]);
  });

  it('keep what is promised to a unit without a pod, however many pods another has', () => {
    const promised = promiseOn(nodes, { units: [unit(), unit({ id: 2, cpuMillis: 4000 })] });
    const left = (...changed: Partial<LeasePod>[]) =>
      netHolds(promised, using({ pods: changed.map((each, at) => podIn(promised, { uid: `pod-${at}`, ...each })) })).waiting.map(
        (each) => each.unit.id,
      );
    const old = { node: 'b', cpuMillis: 4000 };
    expect(left(old)).toEqual([1]);
    // A rolling update starts the new pod before it stops the old one.
    expect(left(old, old)).toEqual([1]);
    expect(left(old, { ...old, node: 'c' })).toEqual([1]);
    // With something added to it, it is still of the same service, and may be if it does not say so.
    expect(left(old, { ...old, cpuMillis: 4001 })).toEqual([1]);
    expect(left(old, { ...old, cpuMillis: 4001, service: '' })).toEqual([1]);
    // Another service is of the other unit: this one has all that it can have.
    expect(left(old, { ...old, cpuMillis: 4001, service: 'api' })).toEqual([]);
  });

  it('take units that are alike for each other, and tell others apart by their cards', () => {
    const promised = promiseOn([node('a', { cards: plugin(4, 4, t4) })], {
      units: [unit(), unit({ id: 2 }), unit({ id: 3, gpus: gpus(2, 't4') })],
    });
    const plain = podIn(promised);
    const both = (service: string) => netHolds(promised, using({ pods: [plain, { ...plain, uid: 'pod-2', service }] }));
    const { waiting, holds } = both('api');
    expect(waiting.map((each) => each.unit.id)).toEqual([3]);
    // They may be of one unit, of which one is being replaced.
    for (const service of ['web', '']) expect(both(service).waiting.map((each) => each.unit.id)).toEqual([2, 3]);
    expect(holds.nodes.get('a')?.cards.map(({ count }) => count)).toEqual([2]);
    const carded = { ...plain, cards: new Map([['nvidia.com/gpu', 2]]) };
    expect(netHolds(promised, using({ pods: [carded] })).waiting.map((each) => each.unit.id)).toEqual([1, 2]);
  });

  it('give back a card of the group that was planned', () => {
    const promised = promiseOn([node('a', { cards: cardClaims([a100, 1, 1]) })], one({ gpus: gpus(1, 'a100') }));
    expect(netHolds(promised, using({ pods: [podIn(promised)] })).holds.nodes.size).toBe(0);
  });

  describe('of units that differ by their cards alone', () => {
    const units = [unit({ gpus: gpus(1, 'a100') }), unit({ id: 2, gpus: gpus(1, 't4') })];
    const left = (promised: Promised, ...pods: Partial<LeasePod>[]) =>
      netHolds(promised, using({ pods: pods.map((changed, at) => podIn(promised, { uid: `pod-${at}`, ...changed })) })).waiting.map(
        (each) => each.unit.id,
      );
    const claimed = promiseOn([node('a', { cards: cardClaims([a100, 1, 1], [t4, 1, 1]) })], { units });
    const picked = promiseOn([node('a', { cards: plugin(1, 1, a100) }), node('b', { cards: plugin(1, 1, t4) })], { units });

    it('are without the one whose card the pod has', () => {
      expect(left(claimed, { cardGroups: [t4] })).toEqual([1]);
      expect(left(claimed, { cardGroups: [a100] })).toEqual([2]);
      expect(left(claimed, { cardGroups: [t4], node: 'c' })).toEqual([1]);
      expect(left(picked, { cardGroups: [t4], node: 'c' })).toEqual([1]);
      expect(left(picked, { cardGroups: [t4], node: 'c', cpuMillis: 1100 })).toEqual([1]);
      expect(left(picked, { cardGroups: [t4], node: 'c' }, { cardGroups: [a100], node: 'd', service: 'api' })).toEqual([]);
    });

    it('stay for a pod of which nobody knows what it has', () => {
      for (const cardGroups of [[], [a100, t4]]) {
        expect(left(claimed, { cardGroups })).toEqual([1, 2]);
        expect(left(picked, { cardGroups, node: 'c' })).toEqual([1, 2]);
      }
      // Wherever it runs: a pod is not bound to where it was planned.
      expect(left(picked, { cardGroups: [a100, t4], node: 'b' })).toEqual([1, 2]);
      // Two services are of both.
      const unknown = { cardGroups: [a100, t4], node: 'b' };
      expect(left(picked, unknown, { ...unknown, service: 'api' })).toEqual([]);
    });

    it('are without the one in whose place the other would be served, too', () => {
      const request = { units: [unit({ gpus: gpus(1, '*') }), unit({ id: 2, gpus: gpus(1, 't4') })] };
      const cards = (group: typeof a100) => ({ resource: 'nvidia.com/gpu', group: undefined, count: 1, groups: [group] });
      const plan = planOn([node('a', { cards: plugin(2, 2, t4) })], request);
      const placed = plan.units.map((each) => ({
        ...each,
        replicas: [{ node: each.id === 1 ? 'a' : 'b', uid: 'u', cards: cards(each.id === 1 ? a100 : t4) }],
      }));
      // The pod may be of either unit. A card of the second serves the first, not the other way round.
      expect(left({ plan: { ...plan, units: placed }, request }, { cardGroups: [t4], node: 'c' })).toEqual([2]);
    });
  });

  it('are less the claims of each class, on the node of a claim first, and never below nothing', () => {
    const volumes = [{ kind: 'persistent', name: 'data', class: 'local', bytes: 3 * Gi }] as const;
    const local = {
      name: 'local',
      freeBytes: new Map([
        ['a', 10 * Gi],
        ['b', 10 * Gi],
      ]),
    };
    const promised = promiseOn(nodes, one({ count: 2, volumes }), [local]);
    const left = (...claims: Parameters<typeof claimOf>[1][]): Record<string, number | undefined> => {
      const { holds } = netHolds(
        promised,
        using({ claims: claims.map((each, at) => claimOf('x', { uid: `claim-${at}`, storageClass: 'local', ...each })) }),
      );
      return Object.fromEntries([...holds.nodes].map(([name, hold]) => [name, hold.volumes.get('local')]));
    };
    expect(left()).toEqual({ a: 3 * Gi, b: 3 * Gi });
    expect(left({ node: 'b', bytes: 2 * Gi })).toEqual({ a: 3 * Gi, b: Gi });
    expect(left({ node: 'b', bytes: 4 * Gi })).toEqual({ a: 2 * Gi, b: undefined });
    // The claim that lies nowhere comes after the one that lies on a, whichever is told first.
    expect(left({ bytes: 3 * Gi }, { node: 'a', bytes: 3 * Gi })).toEqual({ a: undefined, b: undefined });
    expect(left({ node: 'a', bytes: 30 * Gi })).toEqual({ a: undefined, b: undefined });
    expect(left({ storageClass: 'disk', bytes: 3 * Gi })).toEqual({ a: 3 * Gi, b: 3 * Gi });
  });

  it('are less the ports and addresses in use, and never below nothing', () => {
    const promised = promiseOn(nodes, one({ randomPorts: 2, leasedIps: ['front'] }));
    expect(netHolds(promised, using({ ports: 1 })).holds).toMatchObject({ ports: 1, ips: 1 });
    expect(netHolds(promised, using({ ports: 3, ips: 2 })).holds).toMatchObject({ ports: 0, ips: 0 });
  });
});
