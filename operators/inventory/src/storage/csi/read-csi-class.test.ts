import type { LabelSelector } from '@quartermaster/kube/shapes';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StorageClassFacts } from '../../model/storage-inventory.ts';
import type { LabelledNode } from '../querier/cluster-nodes.ts';
import { type CapacityFacts, segmentsOf } from './csi-segments.ts';
import { selects } from './label-selector.ts';
import { type CsiPromise, readCsiClass } from './read-csi-class.ts';

const gib = 2 ** 30;

const node = (name: string, zone = 'z1'): LabelledNode => ({
  name,
  labels: { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': zone, 'topology.topolvm.io/node': name },
});
const nodes = [node('a'), node('b'), node('c', 'z2')];

let made = 0;
function capacity(topology: LabelSelector | undefined, free: number | undefined, maximum?: number): CapacityFacts {
  made += 1;
  const bytes = (value: number | undefined): number | undefined => (value === undefined ? undefined : value * gib);
  return { key: `kube-system/csisc-${made}`, class: 'lvm', topology, freeBytes: bytes(free), maximumVolumeBytes: bytes(maximum) };
}

const lvm = (parameters: Record<string, string> = {}): StorageClassFacts => ({
  name: 'lvm',
  provisioner: 'topolvm.io',
  parameters,
  labels: {},
  annotations: {},
});

const read = (facts: readonly CapacityFacts[], promised: Record<string, CsiPromise> = {}) =>
  readCsiClass(lvm(), { segments: segmentsOf(facts, nodes), promised: new Map(Object.entries(promised)), observedAt: 3 });

const onNode = (name: string): LabelSelector => ({ matchLabels: { 'topology.topolvm.io/node': name } });
const inZone = (zone: string): LabelSelector => ({ matchLabels: { 'topology.kubernetes.io/zone': zone } });
const promise = (gibs: number, waiting = 0, places: readonly string[] = [], beside = 0): CsiPromise => ({
  bytes: gibs * gib,
  waitingBytes: waiting * gib,
  besideBytes: beside * gib,
  places,
});

describe('a class whose driver publishes what is left', () => {
  it('has figures per node where the driver speaks of nodes', () => {
    const reading = read([capacity(onNode('a'), 100), capacity(onNode('b'), 50)], { a: promise(20), '': promise(0) });
    expect(reading.known && reading.perNode).toEqual(
      new Map([
        ['a', { capacity: 120 * gib, allocatable: 120 * gib, allocated: 20 * gib, available: 100 * gib, overcommitted: 0 }],
        ['b', { capacity: 50 * gib, allocatable: 50 * gib, allocated: 0, available: 50 * gib, overcommitted: 0 }],
      ]),
    );
    expect(reading).toMatchObject({ amount: { capacity: 170 * gib, available: 150 * gib }, largestVolumeBytes: 100 * gib, observedAt: 3 });
  });

  it('has one figure where the driver speaks of zones, and does not take promised space off a second time', () => {
    const reading = read([capacity(inZone('z1'), 100), capacity(inZone('z2'), 70)], { '': promise(30) });
    expect(reading).toMatchObject({ perNode: undefined, amount: { capacity: 200 * gib, allocated: 30 * gib, available: 170 * gib } });
  });

  it('tells which volumes its figures contain: on nodes of which the driver speaks, or all of them', () => {
    const promised = { a: promise(20, 0, ['on a', 'for a']), gone: promise(5, 0, ['on gone']), '': promise(30, 30, ['nowhere yet']) };
    const byNode = read([capacity(onNode('a'), 100), capacity(onNode('b'), 50)], promised);
    expect(byNode).toMatchObject({ perNode: expect.any(Map), amount: { allocated: 50 * gib } });
    expect(byNode.known && [...byNode.counted]).toEqual([
      ['on a', 'a'],
      ['for a', 'a'],
    ]);
    const byZone = read([capacity(inZone('z1'), 100)], promised);
    expect(byZone).toMatchObject({ perNode: undefined, amount: { allocated: 55 * gib } });
    expect(byZone.known && [...byZone.counted.values()]).toEqual(['', '', '', '']);
  });

  it('takes off claims for which there is no volume yet', () => {
    expect(read([capacity({}, 100)], { '': promise(50, 20) })).toMatchObject({
      amount: { capacity: 130 * gib, allocated: 50 * gib, available: 80 * gib },
    });
    expect(read([capacity({}, 10)], { '': promise(50, 50) })).toMatchObject({ amount: { available: 0, overcommitted: 40 * gib } });
  });

  it('takes off what waits in classes beside it, and is not negative by that', () => {
    const beside = (gibs: number) => ({ a: promise(20, 5, [], gibs), '': promise(0, 0, [], 10) });
    const figures = (capacityGib: number, availableGib: number) => ({ capacity: capacityGib * gib, available: availableGib * gib });
    const inZones = [capacity(inZone('z1'), 100)];
    expect(read(inZones, beside(30))).toMatchObject({ amount: { ...figures(75, 55), allocated: 20 * gib } });
    expect(read(inZones, beside(200))).toMatchObject({ amount: figures(0, 0) });
    const onNodes = [capacity(onNode('a'), 100), capacity(onNode('b'), 50)];
    const reading = read(onNodes, beside(30));
    expect(reading).toMatchObject({ amount: { ...figures(135, 105), allocated: 20 * gib } });
    expect(reading.known && reading.perNode?.get('a')).toMatchObject(figures(85, 65));
    expect(read(onNodes, beside(200))).toMatchObject({ amount: figures(50, 40) });
  });

  it('does not add overlapping segments twice', () => {
    expect(read([capacity(inZone('z1'), 100), capacity({}, 150), capacity(onNode('b'), 60)])).toMatchObject({
      amount: { available: 150 * gib },
    });
    expect(read([capacity(onNode('a'), 100), capacity(onNode('a'), 100)])).toMatchObject({ amount: { available: 100 * gib } });
  });

  it('honours the size of the largest volume', () => {
    expect(read([capacity({}, 100, 30)])).toMatchObject({ amount: { available: 100 * gib }, largestVolumeBytes: 30 * gib });
    expect(read([capacity({}, 100, 0)])).toMatchObject({ amount: { available: 0 }, largestVolumeBytes: 0 });
  });

  it('is unknown, and not empty, when nothing reaches a node or the driver does not know', () => {
    for (const facts of [[capacity(undefined, 100)], [capacity(onNode('gone'), 100)], [capacity({}, undefined)]]) {
      expect(read(facts)).toMatchObject({ known: false, reason: { code: 'CapacityUnknown' } });
    }
  });

  it('shares its space with classes of the same driver and settings', () => {
    const spaceOf = (parameters: Record<string, string>): string | undefined => {
      const reading = readCsiClass(lvm(parameters), { segments: segmentsOf([capacity({}, 1)], nodes), promised: new Map(), observedAt: 3 });
      return reading.known ? reading.space : undefined;
    };
    const ofSsd = { 'topolvm.io/device-class': 'ssd' };
    expect(spaceOf({ ...ofSsd, 'csi.storage.k8s.io/fstype': 'xfs' })).toBe(spaceOf(ofSsd));
    expect(spaceOf({ 'topolvm.io/device-class': 'hdd' })).not.toBe(spaceOf(ofSsd));
  });

  it('never counts a node in two segments, and loses none that nobody else covers', () => {
    const labels = fc.record({ x: fc.constantFrom('1', '2'), y: fc.constantFrom('1', '2', '3') });
    const selector = fc.record({
      matchLabels: fc.oneof(
        fc.constant({}),
        labels,
        labels.map(({ x }) => ({ x })),
      ),
    });
    fc.assert(
      fc.property(fc.array(labels, { maxLength: 8 }), fc.array(fc.tuple(selector, fc.nat(50)), { maxLength: 6 }), (all, published) => {
        const cluster = all.map((each, index) => ({ name: `n${index}`, labels: each }));
        const facts = published.map(([topology, free]) => capacity(topology, free));
        const covered = segmentsOf(facts, cluster).flatMap((segment) => segment.nodes);
        expect(new Set(covered).size).toBe(covered.length);
        for (const { name, labels: own } of cluster) {
          const reached = published.filter(([topology]) => selects(topology, own));
          if (reached.length === 0) expect(covered).not.toContain(name);
        }
        const largest = Math.max(
          0,
          ...facts.filter(({ topology = {} }) => cluster.some((each) => selects(topology, each.labels))).map((each) => each.freeBytes ?? 0),
        );
        const total = segmentsOf(facts, cluster).reduce((sum, { freeBytes }) => sum + freeBytes, 0);
        expect(total).toBeGreaterThanOrEqual(largest);
      }),
    );
  });
});

describe('a label selector', () => {
  const labels = { zone: 'z1' };
  const by = (operator: string, ...values: string[]): boolean => selects({ matchExpressions: [{ key: 'zone', operator, values }] }, labels);

  it('knows the operators of Kubernetes and selects nothing by others', () => {
    expect([by('In', 'z1'), by('In', 'z2'), by('NotIn', 'z2'), by('Exists'), by('DoesNotExist'), by('Gt', '1')]).toEqual([
      true,
      false,
      true,
      true,
      false,
      false,
    ]);
    expect(selects({ matchExpressions: [{ key: 'rack', operator: 'NotIn', values: ['r1'] }] }, labels)).toBe(true);
    expect(selects({}, labels)).toBe(true);
  });
});
