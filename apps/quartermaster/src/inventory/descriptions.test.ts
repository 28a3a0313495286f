import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { AllocationSchema, AmountSchema, CompletenessSchema, ExplainResponseSchema, Sellability } from '@quartermaster/api/inventory';
import { describe, expect, it } from 'vitest';
import { explanationText } from './explanation-text.ts';
import { nodeDescription } from './node-description.ts';
import { amount, cluster, gib, gpuNode, look, node, overcommittedNode, silentNode, start } from './test/inventory-messages.ts';

const { storage } = cluster;

describe('nodeDescription', () => {
  it('tells everything about a node', () => {
    const allocations = [
      create(AllocationSchema, {
        podUid: 'u1',
        namespace: 'lease-1',
        pod: 'train-0',
        node: 'gpu-1',
        cpuMillis: 4000n,
        memoryBytes: 2n * gib,
      }),
    ];
    expect(nodeDescription({ node: gpuNode, storage, allocations }, look).split('\n')).toEqual([
      'Node     gpu-1',
      'UID      uid-gpu-1',
      'State    Sellable',
      'Pods     7 of 110',
      'Changed  3h ago',
      '',
      'Amounts',
      '  RESOURCE                 TOTAL    ALLOCATABLE  ALLOCATED  FREE     OVER-COMMITTED',
      '  CPU                      16       16           4          12       -',
      '  memory                   64 GiB   60 GiB       2 GiB      58 GiB   -',
      '  ephemeral storage        360 GiB  360 GiB      0 B        360 GiB  -',
      '  nvidia h100 SXM5 80 GiB  3        2            1          1        -',
      '  Reservations are not taken off: "quartermaster get reservations --node gpu-1" lists those on it.',
      '',
      'Utilization',
      '  CPU 3.3 of 16 cores, memory 8 of 64 GiB, to within 1 % of the node',
      '',
      'GPUs',
      '  ID                  MODEL             MEMORY  PCI  KNOWN BY  STATE                            HOLDER           USED  DRIVER     CUDA',
      '  GPU-a               nvidia h100 SXM5  80 GiB  ?    database  Healthy, allocated               lease-1/train-0  87 %  570.86.15  12.8',
      '  GPU-b               nvidia h100 SXM5  80 GiB  ?    ?         In quarantine                    -                ?     ?          ?',
      '  gpu-1/0000:3d:00.0  nvidia h100 SXM5  ?       ?    ?         Health unknown, no holder known  -                ?     ?          ?',
      '  GPU-b: XidErrors for 3h: Replace the card.',
      '',
      'GPU details',
      '  ID                  ARCHITECTURE  COMPUTE  NVLINKS  NVLINK GROUP  NUMA  MIG',
      '  GPU-a               hopper        9.0      18       0             0     off, can be: 1g.10gb 7g.80gb',
      '  GPU-b               ?             ?        ?        ?             ?     ?',
      '  gpu-1/0000:3d:00.0  ?             ?        ?        ?             ?     ?',
      '',
      'Storage',
      '  CLASS  WHERE      TOTAL    ALLOCATABLE  ALLOCATED  FREE     OVER-COMMITTED  OFFERED',
      '  beta3  cluster    8 TiB    8 TiB        2.8 TiB    5.2 TiB  -               yes',
      '  local  this node  100 GiB  100 GiB      80 GiB     20 GiB   -               yes',
      '',
      'Hardware, read 3h ago',
      '  machine       Supermicro',
      '  serial        S1',
      '  system UUID   ?',
      '  hostname      ?',
      '  kernel        ?',
      '  architecture  amd64',
      '  memory        64 GiB',
      '  agent         0.1.0',
      '',
      'CPUs',
      '  SOCKET  VENDOR        MODEL       CORES  THREADS',
      '  0       GenuineIntel  Xeon 8480+  56     112',
      '',
      'Memory modules',
      '  SLOT  TYPE  SIZE    SPEED      MANUFACTURER',
      '  A1    DDR5  64 GiB  4800 MT/s  ?',
      '',
      'Disks',
      '  NAME     KIND  SIZE     MODEL  SERIAL',
      '  nvme0n1  NVMe  3.5 TiB  PM9A3  ?',
      '',
      'Network interfaces',
      '  NAME  MAC                SPEED       LINK  DRIVER  RDMA    PCI',
      '  eth0  02:00:00:00:00:01  100 Gbit/s  up    ?       mlx5_0  ?',
      '',
      'What the agent could not read',
      '  /sys/firmware/dmi/tables/DMI: permission denied',
      '',
      'Allocations',
      '  NAMESPACE  POD      NODE   CPU  MEMORY  RAM  EPHEMERAL  OTHER  DEVICES',
      '  lease-1    train-0  gpu-1  4    2 GiB   0 B  0 B        -      -',
      '',
    ]);
  });

  it('tells why a node is held back, since when, and what is promised beyond what there is', () => {
    const text = nodeDescription({ node: overcommittedNode, storage, allocations: [] }, look);
    expect(text).toContain('State    Held back: cordoned, disk pressure\n');
    expect(text).toContain('Why it is not sellable\n  Cordoned for 3h: Uncordon it.\n  DiskPressure: Free disk space.\n');
    expect(text).toContain('Conditions\n  OverAllocated: Pods ask for too much.\n');
    expect(text).toMatch(/CPU +16 +16 +20 +0 +4\n/);
  });

  it('shows other resources where there are any, huge pages in bytes', () => {
    const extended = {
      'hugepages-1Gi': create(AmountSchema, amount(4n * gib, gib)),
      'hugepages-2Mi': create(AmountSchema, amount(0n, 0n)),
      'nvidia.com/mig-1g.10gb': create(AmountSchema, amount(7n, 2n)),
    };
    const text = nodeDescription({ node: { ...silentNode, extended }, storage, allocations: [] }, look);
    expect(text).toMatch(/hugepages-1Gi +4 GiB +4 GiB +1 GiB +\? +-\n +nvidia\.com\/mig-1g\.10gb +7 +7 +2 +\? +-\n/);
    expect(text).not.toContain('hugepages-2Mi');
  });

  it('names what is silent for all nodes beside what is silent here', () => {
    const completeness = create(CompletenessSchema, { stale: [{ source: 'pods', reason: 'no answer' }] });
    const text = nodeDescription({ node: gpuNode, storage: [], allocations: [], completeness }, look);
    expect(text).toContain('Stale sources\n  pods, never heard of: no answer\n');
  });

  it('tells what labels say of cards that no agent has seen, of the domain of switches, and how cards are cut', () => {
    const described = (over: Parameters<typeof node>[1]) => nodeDescription({ node: node('n', over), storage: [], allocations: [] }, look);
    const model = {
      vendor: 'nvidia',
      model: 'gb200',
      architecture: 'blackwell',
      computeCapability: '10.0',
      migProfiles: ['1g.23gb'],
      amount: amount(4n, 0n),
    };
    expect(described({ gpus: [model], nvlinkDomain: 'rack-7.1' })).toContain(
      'GPU details\n  MODEL         ARCHITECTURE  COMPUTE  MIG\n  nvidia gb200  blackwell     10.0     cut: 1g.23gb\n  NVLink domain rack-7.1: cards of other nodes in it are reached over switches.\n',
    );
    const cut = { enabled: true, instances: [{ uuid: 'MIG-1', profile: '3g.40gb' }] };
    expect(described({ devices: [{ id: 'GPU-a', mig: cut }] })).toMatch(/GPU-a +\? +\? +\? +\? +\? +cut: 3g\.40gb\n/);
  });

  it('does not make up what nobody knows', () => {
    const text = nodeDescription({ node: silentNode, storage: [], allocations: [] }, look);
    expect(text).toMatch(/CPU +16 +16 +4 +\? +-\n/);
    expect(text).toContain('Utilization\n  ?: the cluster measures no use of this node\n');
    expect(text).toContain('Stale sources\n  kubelet, last heard of 3h ago: it does not report\n');
    expect(text).toContain('Hardware\n  not read yet: no discovery agent has reported from this node\n');
  });
});

describe('explanationText', () => {
  it('says why, what to do, how much and where', () => {
    const answer = create(ExplainResponseSchema, {
      subject: 'gpu h100',
      sellability: Sellability.SELLABLE,
      summary: '16 in total: 4 sellable',
      explanations: [
        {
          about: 'gpu-2',
          reason: { code: 'Cordoned', message: 'The node is cordoned.', since: timestampFromMs(start) },
          wayOut: 'kubectl uncordon gpu-2',
        },
        { about: 'gpu-1 GPU-b', reason: { code: 'XidErrors', message: 'Replace the card.' }, wayOut: 'Replace the card.' },
      ],
      figures: [{ name: 'sellable', unit: 'devices', amount: amount(8n, 4n) }],
      places: [
        { node: 'gpu-1', sellability: Sellability.SELLABLE, amount: amount(8n, 4n) },
        { node: 'old-1', sellability: Sellability.UNKNOWN, amount: amount(8n, 9n), reasons: [{ code: 'Silent', message: 'x' }] },
      ],
    });
    expect(explanationText(answer, look).split('\n')).toEqual([
      'gpu h100: sellable',
      '16 in total: 4 sellable.',
      '',
      'gpu-2: Cordoned for 3h',
      '  The node is cordoned.',
      '  What to do: kubectl uncordon gpu-2.',
      'gpu-1 GPU-b: XidErrors',
      '  Replace the card.',
      '',
      'WHAT      TOTAL  ALLOCATABLE  ALLOCATED  FREE  OVER-COMMITTED',
      'sellable  8      8            4          4     -',
      '',
      'NODE   STATE            TOTAL  ALLOCATABLE  ALLOCATED  FREE  OVER-COMMITTED',
      'gpu-1  Sellable         8      8            4          4     -',
      'old-1  Unknown: silent  8      8            9          ?     1',
      '',
    ]);
  });

  it('does not know what is left of a disk whose volumes could not be read', () => {
    const answer = create(ExplainResponseSchema, {
      subject: 'node n1',
      sellability: Sellability.SELLABLE,
      summary: 'n1 is sellable',
      explanations: [{ about: 'n1', reason: { code: 'VolumesUnread', message: 'x' } }],
      figures: [
        { name: 'cpu', unit: 'millicores', amount: amount(16_000n, 4_000n) },
        { name: 'ephemeral-storage', unit: 'bytes', amount: { ...amount(360n * gib, 0n), available: 0n } },
      ],
    });
    const cells = explanationText(answer, look)
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(cells).toContainEqual(['cpu', '16', '16', '4', '12', '-']);
    expect(cells).toContainEqual(['ephemeral-storage', '360 GiB', '360 GiB', '0 B', '?', '-']);
  });
});
