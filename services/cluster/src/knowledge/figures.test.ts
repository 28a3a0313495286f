import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type AmountSchema,
  type GpuDeviceSchema,
  type GpuGroupSchema,
  LeasePodSchema,
  LeaseVolumeSchema,
  NodeSchema,
  Sellability,
  StorageClassSchema,
} from '@quartermaster/api/inventory';
import { describe, expect, it } from 'vitest';
import { parseCommitLevel } from '../placement/commit-level.ts';
import { nodeCards } from './card-pools.ts';
import { classFigures } from './class-figures.ts';
import { leasePod } from './lease-pod.ts';
import { leaseVolume } from './lease-volume.ts';
import { nodeFigures } from './node-figures.ts';

const Gi = 2 ** 30;
const once = parseCommitLevel('1', 'level');

/** As the operator publishes it; `heldBack` is missing from what is available beside what is allocated. */
function amount(allocatable: number, allocated: number, heldBack = 0): MessageInitShape<typeof AmountSchema> {
  const left = allocatable - allocated;
  return {
    capacity: BigInt(allocatable),
    allocatable: BigInt(allocatable),
    allocated: BigInt(allocated),
    available: BigInt(Math.max(Math.max(left, 0) - heldBack, 0)),
    overcommitted: BigInt(Math.max(-left, 0)),
  };
}

type NodeFields = Extract<MessageInitShape<typeof NodeSchema>, { readonly $typeName?: never }>;

const node = (more: NodeFields = {}) =>
  create(NodeSchema, {
    name: 'n1',
    uid: 'u1',
    sellability: Sellability.SELLABLE,
    cpu: amount(16_000, 3_000),
    memory: amount(64 * Gi, 2 * Gi),
    ephemeralStorage: amount(100 * Gi, 0),
    ...more,
  });

it('reads the pod slots of a node as a signed difference, and knows none where no limit is told', () => {
  expect(nodeFigures(node({ pods: 7n, podLimit: 110n }))).toMatchObject({
    facts: { podSlots: 103 },
    allocatable: { pods: 110 },
    allocated: { pods: 7 },
  });
  expect(nodeFigures(node({ pods: 7n, podLimit: 5n })).facts.podSlots).toBe(-2);
  expect(nodeFigures(node({ pods: 0n, podLimit: 0n })).facts.podSlots).toBe(0);
  expect(nodeFigures(node({ pods: 7n })).facts.podSlots).toBeUndefined();
});

const h100 = { vendor: 'nvidia', model: 'h100', interface: 'SXM5', memoryBytes: BigInt(80 * Gi) };
const t4 = { vendor: 'nvidia', model: 't4', interface: 'PCIe', memoryBytes: BigInt(16 * Gi) };
type Cards = typeof h100;
const group = (cards: Cards, resource: string, allocatable: number, allocated: number): MessageInitShape<typeof GpuGroupSchema> => ({
  ...cards,
  resource,
  amount: amount(allocatable, allocated),
});
const device = (cards: Cards, id: string, more: MessageInitShape<typeof GpuDeviceSchema> = {}) => ({ ...cards, id, ...more });
const holder = { namespace: 'a', pod: 'b' };
const plugin = 'nvidia.com/gpu';

const poolsOf = (gpus: MessageInitShape<typeof GpuGroupSchema>[], devices: MessageInitShape<typeof GpuDeviceSchema>[] = []) =>
  nodeFigures(node({ gpus, devices })).facts.cards;
const maybe = (gpus: MessageInitShape<typeof GpuGroupSchema>[], devices: MessageInitShape<typeof GpuDeviceSchema>[]) =>
  poolsOf(gpus, devices).map((pool) => (pool.assignedBy === 'plugin' ? [pool.free, ...pool.mayBeFree.map(({ model }) => model)] : []));

describe('the figures of a node', () => {
  it('are what is available, or how much too much is promised', () => {
    const full = node({ cpu: amount(16_000, 20_000), memory: amount(64 * Gi, 60 * Gi, 3 * Gi), ram: BigInt(3 * Gi) });
    const { facts, allocatable, allocated } = nodeFigures(full);
    expect(facts).toMatchObject({ uid: 'u1', heldBack: [], cpuMillis: -4_000, memoryBytes: Gi, ephemeralBytes: 100 * Gi });
    expect([allocatable.cpuMillis, allocated.cpuMillis]).toEqual([16_000, 20_000]);
    // Volumes in memory are beyond what the scheduler counts.
    expect(nodeFigures(node({ memory: amount(64 * Gi, 60 * Gi, 9 * Gi), ram: BigInt(9 * Gi) })).facts.memoryBytes).toBe(-5 * Gi);
  });

  it('name the taints that pods there have to tolerate', () => {
    const gpu = { key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' };
    expect(nodeFigures(node({ toleratedTaints: [gpu] })).toleratedTaints).toEqual([gpu]);
  });

  it('say that nobody knows what is left of ephemeral storage, where that is so', () => {
    const reason = { code: 'VolumesUnread', message: 'volumes there could not be read' };
    const unread = node({ ephemeralStorage: { ...amount(100 * Gi, 10 * Gi), available: 0n }, conditions: [reason] });
    expect(nodeFigures(unread).facts).toMatchObject({ heldBack: [], ephemeralBytes: 0, ephemeralUnknown: reason });
    expect(nodeFigures(node()).facts.ephemeralUnknown).toBeUndefined();
  });

  it('hold a node back unless it is sellable, and one whose figures cannot be read', () => {
    const reasons = [{ code: 'Cordoned', message: 'cordoned' }];
    expect(nodeFigures(node({ sellability: Sellability.HELD_BACK, reasons })).facts.heldBack).toEqual(reasons);
    expect(nodeFigures(node({ sellability: Sellability.UNSPECIFIED })).facts.heldBack).toHaveLength(1);
    for (const broken of [{ cpu: { allocatable: 2n ** 60n, available: 2n ** 60n } }, { memory: {} as never, ram: 2n ** 60n }]) {
      const { facts } = nodeFigures(node(broken));
      expect([facts.name, facts.heldBack.map(({ code }) => code), facts.cpuMillis]).toEqual(['n1', ['FiguresUnreadable'], 0]);
    }
  });

  it('sell cards group by group where claims hand them out', () => {
    expect(poolsOf([group(h100, 'gpu.nvidia.com', 8, 2), group(t4, 'gpu.nvidia.com', 2, 3)])).toEqual([
      {
        resource: 'gpu.nvidia.com',
        assignedBy: 'claim',
        groups: [
          { vendor: 'nvidia', model: 'h100', interface: 'SXM5', memoryBytes: 80 * Gi, size: 8, free: 6 },
          { vendor: 'nvidia', model: 't4', interface: 'PCIe', memoryBytes: 16 * Gi, size: 2, free: -1 },
        ],
      },
    ]);
  });

  it('sell cards as one pool where the device plugin picks, with every group of which it may pick one', () => {
    const both = [group(h100, plugin, 2, 1), group(t4, plugin, 2, 1)];
    // Which two are held is not known: any of the four may be free.
    const unknown = [device(h100, 'a'), device(h100, 'b'), device(t4, 'c'), device(t4, 'd')];
    expect(maybe(both, unknown)).toEqual([[2, 'h100', 't4']]);
    const known = [group(h100, plugin, 2, 0), group(t4, plugin, 2, 2)];
    const held = [device(h100, 'a'), device(h100, 'b'), device(t4, 'c', { holder }), device(t4, 'd', { holder })];
    expect(maybe(known, held)).toEqual([[2, 'h100']]);
    // A card in quarantine is not sold, yet the plugin may still hand it out; one that is cut into slices is no whole card.
    const sick = [group(h100, plugin, 2, 0), group(t4, plugin, 0, 0)];
    expect(maybe(sick, [device(h100, 'a'), device(h100, 'b'), device(t4, 'c')])).toEqual([[2, 'h100', 't4']]);
    expect(maybe(sick, [device(h100, 'a'), device(h100, 'b'), device(t4, 'c', { mig: { enabled: true } })])).toEqual([[2, 'h100']]);
    // Nobody knows more of these than how many there are, and too many are promised.
    expect(maybe([group(h100, plugin, 4, 6)], [])).toEqual([[-2, 'h100']]);
  });
});

describe('the cards of a pod', () => {
  const pod = create(LeasePodSchema, {
    uid: 'p',
    node: 'n1',
    cpuMillis: 500n,
    memoryBytes: 10n,
    ramBytes: 5n,
    extended: { [plugin]: 2n, 'hugepages-2Mi': 4n },
    devices: ['a', 'b'],
  });

  it('are those that it asks for where the device plugin picks', () => {
    const cards = nodeCards(node({ gpus: [group(h100, plugin, 8, 2)], devices: [device(h100, 'a'), device(h100, 'b')] }));
    expect(leasePod(pod, cards)).toMatchObject({ memoryBytes: 15, namespaceUid: undefined, cards: new Map([[plugin, 2]]) });
  });

  it('are the devices of its claims elsewhere, also where a resource stands for them', () => {
    const cards = nodeCards(node({ gpus: [group(h100, 'gpu.nvidia.com', 8, 2)], devices: [device(h100, 'a'), device(h100, 'b')] }));
    expect(leasePod(pod, cards).cards).toEqual(new Map([['gpu.nvidia.com', 2]]));
  });

  it('are of the groups of its devices, or of all that the device plugin may have picked', () => {
    const models = (gpus: MessageInitShape<typeof GpuGroupSchema>[], devices: MessageInitShape<typeof GpuDeviceSchema>[]) =>
      leasePod(pod, nodeCards(node({ gpus, devices }))).cardGroups.map(({ model }) => model);
    const claimed = [group(h100, 'gpu.nvidia.com', 8, 2), group(t4, 'gpu.nvidia.com', 2, 0)];
    expect(models(claimed, [device(h100, 'c'), device(t4, 'a'), device(t4, 'b')])).toEqual(['t4']);
    expect(models(claimed, [device(h100, 'a'), device(t4, 'b')])).toEqual(['h100', 't4']);
    const picked = [group(h100, plugin, 8, 2), group(t4, plugin, 2, 0)];
    expect(models(picked, [device(h100, 'c'), device(t4, 'a'), device(t4, 'b')])).toEqual(['t4']);
    expect(models(picked, [device(h100, 'c'), device(t4, 'a'), device(t4, 'd')])).toEqual(['h100', 't4']);
    expect(leasePod(pod, undefined).cardGroups).toEqual([]);
  });

  it('are still cards, of no group, where its node does not tell of them', () => {
    const byClaim = create(LeasePodSchema, { uid: 'q', node: 'n1', devices: ['a', 'b'] });
    for (const cards of [undefined, nodeCards(node({})), nodeCards(node({ gpus: [group(h100, 'gpu.nvidia.com', 8, 2)] }))]) {
      expect(leasePod(pod, cards)).toMatchObject({ cards: new Map([[plugin, 2]]), cardGroups: [] });
      expect(leasePod(byClaim, cards)).toMatchObject({ cards: new Map([['unknown', 2]]), cardGroups: [] });
    }
    const one = nodeCards(node({ gpus: [group(h100, 'gpu.nvidia.com', 8, 2)], devices: [device(h100, 'a')] }));
    const half = new Map([
      ['gpu.nvidia.com', 1],
      ['unknown', 1],
    ]);
    expect(leasePod(pod, one).cards).toEqual(half);
    expect(leasePod(byClaim, one).cards).toEqual(half);
    expect(leasePod(create(LeasePodSchema, { extended: { 'hugepages-2Mi': 4n } }), undefined).cards).toEqual(new Map());
  });
});

describe('the claim of a lease', () => {
  const told = { uid: 'c', namespace: 'ns', name: 'data', storageClass: 'disk', bytes: 12n, requestedBytes: 10n };

  it('stands for what it asked for, not for what a driver made of it', () => {
    const claim = { uid: 'c', namespace: 'ns', name: 'data', storageClass: 'disk', bytes: 10 };
    expect(leaseVolume(create(LeaseVolumeSchema, told))).toEqual({ ...claim, namespaceUid: undefined, node: undefined });
    const own = { namespaceUid: 'u', node: 'n1' };
    expect(leaseVolume(create(LeaseVolumeSchema, { ...told, ...own }))).toEqual({ ...claim, ...own });
  });

  it('is not read where its size cannot be', () => {
    expect(() => leaseVolume(create(LeaseVolumeSchema, { ...told, requestedBytes: 2n ** 60n }))).toThrow('requested_bytes');
  });
});

describe('the figures of a storage class', () => {
  const local = create(StorageClassSchema, {
    name: 'local',
    performance: 'beta2',
    isDefault: true,
    nodeLocal: true,
    amount: amount(30, 12),
    perNode: { n1: amount(10, 12), n2: amount(20, 0) },
    sharesSpaceWith: ['scratch'],
    ephemeralNodes: ['n2'],
    replicasPerNode: 2,
    largestVolumeBytes: 20n,
  });

  it('are what can still be promised, node by node where the space is a node’s own', () => {
    expect(classFigures(local, once)).toEqual({
      facts: {
        name: 'local',
        performance: 'beta2',
        isDefault: true,
        refusal: undefined,
        replicas: undefined,
        replicasPerNode: 2,
        sharesSpaceWith: ['scratch'],
        ephemeralNodes: new Set(['n2']),
        freeBytes: new Map([
          ['n1', -2],
          ['n2', 20],
        ]),
        largestVolumeBytes: 20,
      },
      allocatableBytes: 30,
      allocatedBytes: 12,
    });
  });

  it('promise usable bytes as often as the commit level says, and no volume that is larger than what is there', () => {
    const level = parseCommitLevel('1.5', 'level');
    const wide = create(StorageClassSchema, { name: 'wide', amount: amount(100, 90), largestVolumeBytes: 7n });
    // 100 x 1.5 - 90
    expect(classFigures(wide, level).facts).toMatchObject({ freeBytes: 60, largestVolumeBytes: 7 });
    const { freeBytes, largestVolumeBytes } = classFigures(local, level).facts;
    expect([freeBytes, largestVolumeBytes]).toEqual([
      new Map([
        ['n1', 3],
        ['n2', 30],
      ]),
      20,
    ]);
  });

  it('are absent while unknown, and refuse a class that cannot be read', () => {
    const refusal = { code: 'AgentMissing', message: 'no agent' };
    const unknown = classFigures(create(StorageClassSchema, { name: 'a', refusal }), once);
    expect([unknown.facts.freeBytes, unknown.facts.refusal, unknown.allocatableBytes]).toEqual([undefined, refusal, undefined]);
    const broken = create(StorageClassSchema, { name: 'a', amount: { allocatable: 2n ** 60n } });
    expect(classFigures(broken, once).facts).toMatchObject({ name: 'a', refusal: { code: 'FiguresUnreadable' } });
  });
});
