import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  type Allocation,
  AllocationSchema,
  GpuPartKind,
  GpuState,
  type Node,
  Sellability,
  type Snapshot,
} from '@quartermaster/api/inventory';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { formatDocument } from '../text/format-document.ts';
import { type ListView, type Look, listingText } from '../text/listing.ts';
import { paintFor } from '../text/paint.ts';
import { allocationView } from './allocation-list.ts';
import { reservationsNote } from './amount-text.ts';
import { gpuView } from './gpu-list.ts';
import { nodeDescription } from './node-description.ts';
import { nodeView } from './node-list.ts';
import { storageView } from './storage-list.ts';
import { amount, cluster, gib, gpuNode, look, node, snapshotOf, start, wideLook } from './test/inventory-messages.ts';

const shown = (view: ListView<Snapshot>, snapshot: Snapshot, as: Look = look): readonly string[] =>
  listingText(view.list(snapshot, as)).split('\n');

describe('nodes', () => {
  it('shows what a node has, promised and still offers, and why it is not sold', () => {
    expect(shown(nodeView([]), cluster)).toEqual([
      'NAME   STATE                               CPU               MEMORY       EPHEMERAL      GPU         STORAGE',
      'gpu-1  Sellable                            16/4/12           64/2/58 GiB  360/0/360 GiB  h100 3/1/1  beta3,local',
      'gpu-2  Held back: cordoned, disk pressure  16/20/0 (4 over)  64/2/58 GiB  360/0/360 GiB  -           -',
      'old-1  Unknown: silent                     16/4/?            64/2/? GiB   360/0/? GiB    -           -',
      '',
      'STATE      NODES  CPU               MEMORY       EPHEMERAL      GPU',
      'Sellable   1      16/4/12           60/2/58 GiB  360/0/360 GiB  h100 5/5/1 (2 over)',
      'Held back  1      16/20/0 (4 over)  60/2/58 GiB  360/0/360 GiB  h100 8/5/3',
      'Unknown    0      -                 -            -              -',
      '',
      `Amounts are total/allocated/free. ${reservationsNote}`,
      '',
    ]);
  });

  it('shows what is left of a disk as unknown while volumes on it could not be read', () => {
    const unread = node('n1', { ephemeralStorage: { ...amount(360n * gib, 0n), available: 0n }, conditions: [{ code: 'VolumesUnread' }] });
    expect(shown(nodeView([]), snapshotOf([unread]))[1]).toBe('n1    Sellable  16/4/12  64/2/58 GiB  360/0/? GiB  -    -');
    const totals = {
      sellableNodes: 1n,
      sellable: { ephemeralStorage: amount(30n * gib, 30n * gib) },
      unknown: { ephemeralStorage: amount(330n * gib, 0n) },
    };
    const footer = shown(nodeView([]), snapshotOf([unread], { totals })).map((line) => line.split(/ {2,}/));
    expect(footer).toContainEqual(['Unknown', '0', '-', '-', '330/0/? GiB', '-']);
    const described = nodeDescription({ node: unread, storage: [], allocations: [] }, look).split('\n');
    expect(described).toContain('  ephemeral storage  360 GiB  360 GiB      0 B        ?       -');
  });

  it('adds reasons, conditions, use, devices and ages when wide', () => {
    const [header = '', first = '', second = ''] = shown(nodeView([]), cluster, wideLook);
    const from = header.indexOf('PODS');
    expect([header, first, second].map((line) => line.slice(from))).toEqual([
      'PODS  REASONS                 CONDITIONS     CPU USED  MEMORY USED  GPU HEALTH                                       HARDWARE READ  SEEN',
      '7     -                       -              3.3       8 GiB        1 healthy, 1 in quarantine, 1 of unknown health  3h             3h',
      '0     Cordoned, DiskPressure  OverAllocated  ?         ?            -                                                ?              3h',
    ]);
  });

  it('shows integers where exactness is asked for, and only the nodes that are named', () => {
    expect(shown(nodeView(['gpu-1']), cluster, { ...look, exact: true })).toEqual([
      'NAME   STATE     CPU               MEMORY                              EPHEMERAL                    GPU         STORAGE',
      'gpu-1  Sellable  16000/4000/12000  68719476736/2147483648/62277025792  386547056640/0/386547056640  h100 3/1/1  beta3,local',
      '',
      `Amounts are total/allocated/free, in millicores, bytes and devices. ${reservationsNote}`,
      '',
    ]);
  });

  it('says which sources cannot be heard and since when', () => {
    const stale = snapshotOf([node('n1')], {
      completeness: {
        complete: false,
        stale: [
          { source: 'pods', lastContactAt: timestampFromMs(start), reason: 'connection refused' },
          { source: 'hardware', reason: '' },
        ],
        leftOut: [
          { source: 'nodes', count: 12n, named: Array.from({ length: 12 }, (_, at) => ({ name: `n-${at + 10}`, reason: 'spec is odd' })) },
          { source: 'pods', count: 3n, named: [{ name: 'lease-1/web', reason: 'spec.volumes must be a list' }] },
        ],
      },
    });
    expect(shown(nodeView([]), stale).slice(-16)).toEqual([
      'stale: pods, last heard of 3h ago: connection refused',
      'stale: hardware, never heard of',
      ...Array.from({ length: 10 }, (_, at) => `left out: nodes n-${at + 10}: spec is odd`),
      'left out: 2 more of nodes',
      'left out: pods lease-1/web: spec.volumes must be a list',
      'left out: 2 more of pods',
      '',
    ]);
  });

  it('colours states on a terminal only', () => {
    expect(paintFor({ isTTY: false }).good('Sellable')).toBe('Sellable');
    const painted = { ...look, paint: { ...look.paint, warn: (text: string) => `<${text}>` } };
    expect(shown(nodeView([]), cluster, painted)[2]).toMatch(/^gpu-2 {2}<Held back: cordoned, disk pressure>/);
  });

  it('is the contract as JSON for programs, with integers as texts and what is not known left out', () => {
    const document = nodeView(['old-1']).document(cluster);
    expect(document).toMatchObject({
      clusterId: 'c1',
      generation: { epoch: 'e', sequence: '1' },
      nodes: [{ name: 'old-1', sellability: 'SELLABILITY_UNKNOWN', memory: { allocatable: '64424509440', overcommitted: '0' } }],
    });
    expect(document).not.toHaveProperty('storage');
    expect(document).not.toHaveProperty('totals');
    expect(document).not.toHaveProperty(['nodes', 0, 'utilization']);
    expect(parse(formatDocument(document, 'yaml'))).toEqual(document);
    expect(JSON.parse(formatDocument(document, 'json'))).toEqual(document);
  });

  it('counts slices of cards beside the cards', () => {
    const slices = { capacity: 7n, allocatable: 7n, allocated: 2n, available: 5n };
    const extended = { 'hugepages-2Mi': slices, 'nvidia.com/mig-1g.10gb': slices, 'gpu.nvidia.com/1g.10gb': slices };
    const [, row] = shown(nodeView([]), snapshotOf([node('cut', { gpus: gpuNode.gpus, extended })]));
    expect(row).toMatch(/ {2}h100 \S+, 1g\.10gb 7\/2\/5, mig-1g\.10gb 7\/2\/5 {2}/);
  });

  it('lays out 5 000 nodes with a line each', () => {
    const many = snapshotOf(Array.from({ length: 5000 }, (_, index) => node(`node-${index}`, { gpus: gpuNode.gpus })));
    const lines = shown(nodeView([]), many, wideLook);
    expect(lines).toHaveLength(5000 + 1 + 3);
    expect(new Set(lines.slice(1, 5001).map((line) => line.split(/ +/)[0])).size).toBe(5000);
  });
});

describe('GPUs', () => {
  const h100 = { vendor: 'nvidia', model: 'h100', memoryBytes: 80n * gib };
  const gpuCluster = snapshotOf(
    [
      gpuNode,
      node('gpu-3', { gpus: [{ ...h100, interface: 'PCIe', amount: amount(2n, 4n) }] }),
      node('gpu-2', { sellability: Sellability.HELD_BACK, gpus: [{ ...h100, interface: 'SXM5', amount: amount(8n, 5n) }] }),
      node('old-1', { sellability: Sellability.UNKNOWN, gpus: [{ vendor: 'amd', model: 'unknown-1002-74a1', amount: amount(4n, 1n) }] }),
    ],
    { totals: cluster.totals },
  );

  it('are counted by model; what is sellable, allocated, held back and unknown adds up', () => {
    expect(shown(gpuView(), gpuCluster)).toEqual([
      'MODEL              VENDOR  MEMORY  INTERFACE  TOTAL  SELLABLE  ALLOCATED   HELD BACK  UNKNOWN',
      'unknown-1002-74a1  amd     ?       ?          4      0         0           0          4',
      'h100               nvidia  80 GiB  PCIe       2      0         2 (2 over)  0          0',
      'h100               nvidia  80 GiB  SXM5       11     1         6           4          0',
      '',
      'Reservations are not taken off: "quartermaster get capacity" shows what can still be sold.',
      '',
    ]);
  });

  it('are held back once when they are sick and in use, as in the console, and take nothing from other nodes', () => {
    const card = { vendor: 'nvidia', model: 't4', interface: 'PCIe', memoryBytes: 16n * gib };
    const holder = { namespace: 'lease-1', pod: 'train-0' };
    const held = amount(1n, 2n, 2n);
    const sick = node('gpu-1', {
      gpus: [{ ...card, amount: held }],
      devices: [
        { ...card, id: 'GPU-2', state: GpuState.QUARANTINED, holder },
        { ...card, id: 'GPU-3', state: GpuState.HEALTHY, holder },
      ],
    });
    const row = (nodes: readonly Node[], total: ReturnType<typeof amount>): readonly string[] | undefined =>
      shown(gpuView(), snapshotOf(nodes, { totals: { sellable: { gpus: { 'nvidia/t4/PCIe/16Gi': total } } } }))[1]
        ?.split(/ {2,}/)
        .slice(4);
    expect(row([sick], held)).toEqual(['2', '0', '1 (1 over)', '1', '0']);
    const fit = node('gpu-2', { gpus: [{ ...card, amount: amount(4n, 1n) }] });
    const both = { capacity: 6n, allocatable: 5n, allocated: 3n, available: 3n, overcommitted: 1n };
    expect(row([sick, fit], both)).toEqual(['6', '3', '2 (1 over)', '1', '0']);
  });

  it('are one row each when wide, with state, reason and holder', () => {
    expect(shown(gpuView(), cluster, wideLook)).toEqual([
      'NODE   ID                  MODEL  MEMORY  INTERFACE  ARCHITECTURE  COMPUTE  STATE                            REASON      HOLDER',
      'gpu-1  GPU-a               h100   80 GiB  SXM5       hopper        9.0      Healthy, allocated               -           lease-1/train-0',
      'gpu-1  GPU-b               h100   80 GiB  SXM5       ?             ?        In quarantine                    xid errors  -',
      'gpu-1  gpu-1/0000:3d:00.0  h100   ?       SXM5       ?             ?        Health unknown, no holder known  -           -',
      '',
    ]);
  });

  it('have their parts below them when they are cut up or shared, each with its holder', () => {
    const [card] = gpuNode.devices;
    if (card === undefined) throw new Error('the node has cards');
    const part = { $typeName: 'quartermaster.inventory.v1.GpuPart', kind: GpuPartKind.MIG, memoryBytes: 10n * gib } as const;
    const parts = [
      { ...part, id: 'MIG-1', profile: '1g.10gb', holder: card.holder },
      { ...part, id: 'MIG-2', profile: '1g.10gb' },
      { ...part, id: 'GPU-a::0', kind: GpuPartKind.SHARE, profile: '', memoryBytes: 0n, holder: card.holder },
    ];
    const { holder: _none, ...free } = card;
    const lines = shown(gpuView(), snapshotOf([{ ...gpuNode, devices: [{ ...free, parts }] }]), wideLook);
    expect(lines.map((line) => line.replaceAll(/ {2,}/g, '|'))).toEqual([
      'NODE|ID|MODEL|MEMORY|INTERFACE|ARCHITECTURE|COMPUTE|STATE|REASON|HOLDER',
      'gpu-1|GPU-a|h100|80 GiB|SXM5|hopper|9.0|Healthy, in parts, 2 of 3 allocated|-|in parts',
      'gpu-1|MIG-1|h100 1g.10gb|10 GiB|SXM5|hopper|9.0|Allocated|-|lease-1/train-0',
      'gpu-1|MIG-2|h100 1g.10gb|10 GiB|SXM5|hopper|9.0|No holder known|-|-',
      'gpu-1|GPU-a::0|h100 share|?|SXM5|hopper|9.0|Allocated|-|lease-1/train-0',
      '',
    ]);
  });

  it('have an unknown holder where pods hold cards of the kind and nobody knows which', () => {
    const [group] = gpuNode.gpus;
    const unclear = { ...gpuNode, gpus: group?.amount === undefined ? [] : [{ ...group, amount: { ...group.amount, allocated: 2n } }] };
    expect(shown(gpuView(), snapshotOf([unclear]), wideLook)[2]).toMatch(/In quarantine +xid errors {2}\?$/);
  });

  it('are both models and devices for programs', () => {
    expect(gpuView().document(cluster)).toMatchObject({
      models: [
        { key: 'amd/unknown-1002-74a1//0Gi', unknown: { capacity: '4' } },
        { key: 'nvidia/h100/PCIe/80Gi', model: 'h100', sellable: { overcommitted: '2' } },
        { key: 'nvidia/h100/SXM5/80Gi', sellable: { available: '1' }, heldBack: { capacity: '8' } },
      ],
      devices: [
        { node: 'gpu-1', id: 'GPU-a', state: 'GPU_STATE_HEALTHY', memoryBytes: '85899345920' },
        { id: 'GPU-b' },
        { id: 'gpu-1/0000:3d:00.0' },
      ],
    });
  });

  it('say so when there are none', () => {
    expect(shown(gpuView(), snapshotOf([]))).toEqual(['The cluster has no GPUs.', '']);
  });
});

describe('storage', () => {
  it('shows what is there, what is left, and why a class is not offered', () => {
    expect(shown(storageView(), cluster)).toEqual([
      'CLASS  BACKEND     PERFORMANCE  TOTAL    FREE     PROMISED  REPLICAS  OFFERED',
      'beta3  rook-ceph   beta3        8 TiB    5.2 TiB  300 GiB   3         yes',
      'local  local-path  beta2        300 GiB  200 GiB  0 B       1         yes',
      'nfs    -           ?            ?        ?        0 B       ?         no: NoQuerier',
      '',
      reservationsNote,
      '',
    ]);
  });

  it('shows node-local space by node and the largest volume when wide', () => {
    const [header = '', beta3 = '', local = '', nfs = ''] = shown(storageView(), cluster, wideLook);
    const largest = header.indexOf('LARGEST VOLUME');
    expect([beta3, local, nfs].map((row) => row.slice(largest).split('  ')[0])).toEqual(['1 TiB', '?', '?']);
    expect(local).toContain('gpu-2 180 GiB, gpu-1 20 GiB');
    expect(nfs).toContain('no: NoQuerier: Nothing can tell.');
  });

  it('names the nodes with the most space alone, and how many more there are', () => {
    const perNode = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`n-${index}`, { available: BigInt(index) * gib }]));
    const [, row] = shown(storageView(), snapshotOf([], { storage: [{ name: 'local', nodeLocal: true, perNode }] }), wideLook);
    expect(row).toContain('n-39 39 GiB, n-38 38 GiB, n-37 37 GiB, 37 more');
  });
});

describe('allocations', () => {
  const allocations: readonly Allocation[] = [
    create(AllocationSchema, {
      podUid: 'u1',
      namespace: 'lease-1',
      pod: 'train-0',
      node: 'gpu-1',
      leaseLabels: { dseq: '42' },
      cpuMillis: 250n,
      memoryBytes: 64n * gib,
      extended: { 'nvidia.com/gpu': 1n },
      devices: ['GPU-a'],
    }),
  ];

  it('shows who holds what', () => {
    expect(listingText(allocationView().list(allocations, wideLook)).split('\n')).toEqual([
      'NAMESPACE  POD      NODE   CPU   MEMORY  RAM  EPHEMERAL  OTHER             DEVICES  LEASE    UID',
      'lease-1    train-0  gpu-1  0.25  64 GiB  0 B  0 B        nvidia.com/gpu=1  GPU-a    dseq=42  u1',
      '',
    ]);
    expect(listingText(allocationView().list([], look))).toBe('No pod holds any of these resources.\n');
  });

  it('is a list for programs', () => {
    expect(allocationView().document(allocations)).toMatchObject({ allocations: [{ podUid: 'u1', cpuMillis: '250', ramBytes: '0' }] });
  });
});
