import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { CardAssignment, type Reservation, ReservationPhase, ReservationSchema, VolumeKind } from '@quartermaster/api/cluster';
import type { Look } from '../../text/listing.ts';
import { plainPaint } from '../../text/paint.ts';

export const start = Date.UTC(2026, 0, 1);
export const gib = 2n ** 30n;
export const look: Look = { exact: false, wide: false, now: start, paint: plainPaint };
export const wideLook: Look = { ...look, wide: true };

/** What a reservation is made from, without being one. */
type Init = Exclude<MessageInitShape<typeof ReservationSchema>, Reservation>;

const seconds = (count: number) => timestampFromMs(start + 1000 * count);
const h100 = { vendor: 'nvidia', model: 'h100', interface: 'SXM5', memoryBytes: 80n * gib };
const h200 = { ...h100, model: 'h200', memoryBytes: 141n * gib };

const cards = (count: number, ...groups: readonly (typeof h100)[]) => ({
  resource: 'nvidia.com/gpu',
  count,
  assignedBy: CardAssignment.PLUGIN,
  groups: [...groups],
});

/** Three replicas with two cards and a volume each, and one that only answers, on three nodes. */
export const plan = {
  units: [
    {
      id: 1,
      cpuMillis: 4000n,
      memoryBytes: 24n * gib,
      ephemeralStorageBytes: 100n * gib,
      volumes: [{ name: 'data', storageClass: 'beta3', bytes: 512n * gib }],
      replicas: [
        { node: 'gpu-2', nodeUid: 'u2', cards: cards(2, h100, h200) },
        { node: 'gpu-1', nodeUid: 'u1', cards: cards(2, h100) },
        { node: 'gpu-1', nodeUid: 'u1', cards: cards(2, h100) },
      ],
    },
    { id: 2, cpuMillis: 500n, memoryBytes: gib, replicas: [{ node: 'gpu-1', nodeUid: 'u1' }] },
  ],
  ports: 2,
  leasedIps: 1,
};

const promised = {
  cpuMillis: 12_500n,
  memoryBytes: 73n * gib,
  ephemeralStorageBytes: 300n * gib,
  gpus: { 'nvidia.com/gpu': 6n },
  storage: { beta3: 1536n * gib },
  ports: 2n,
  leasedIps: 1n,
};

const order = (owner: string, dseq: bigint) => ({ owner, dseq, gseq: 1, oseq: 1 });

/** Expires in five minutes; nothing of it runs. */
export const pending: Init = {
  order: order('akash1ann', 7n),
  uid: 'uid-7',
  owner: 'akash1ann',
  request: {
    units: [
      {
        id: 1,
        count: 3,
        cpuMillis: 4000n,
        memoryBytes: 16n * gib,
        gpus: {
          count: 2,
          wants: [
            { vendor: 'nvidia', model: 'h100' },
            { vendor: 'nvidia', model: 'h200' },
          ],
        },
        volumes: [
          { name: 'root', bytes: 100n * gib, kind: VolumeKind.EPHEMERAL },
          { name: 'shm', bytes: 8n * gib, kind: VolumeKind.RAM },
          { name: 'data', bytes: 512n * gib, kind: VolumeKind.PERSISTENT, storageClass: 'beta3' },
        ],
      },
      { id: 2, count: 1, cpuMillis: 500n, memoryBytes: gib, randomPorts: 2, leasedIps: ['web'] },
    ],
  },
  plan,
  phase: ReservationPhase.PENDING,
  confirmed: true,
  createdAt: seconds(-90),
  expiresAt: seconds(300),
  term: 3n,
  promised,
  allocated: {},
  held: promised,
  unitPods: [
    { unit: 1, replicas: 3, pods: 0 },
    { unit: 2, replicas: 1, pods: 0 },
  ],
};

/** Has a lease, and shares a node on which more is promised than there is. */
export const active: Init = {
  order: order('akash1bob', 8n),
  uid: 'uid-8',
  owner: 'akash1bob',
  request: { units: [{ id: 1, count: 2, cpuMillis: 1000n, memoryBytes: 2n * gib }] },
  plan: { units: [{ id: 1, cpuMillis: 1000n, memoryBytes: 2n * gib, replicas: [{ node: 'gpu-1' }, { node: 'gpu-3' }] }] },
  phase: ReservationPhase.ACTIVE,
  confirmed: true,
  createdAt: seconds(-7200),
  term: 2n,
  leaseNamespace: { name: 'lease-8', uid: 'ns-8' },
  promised: { cpuMillis: 2000n, memoryBytes: 4n * gib },
  allocated: { cpuMillis: 1000n, memoryBytes: 2n * gib },
  held: { cpuMillis: 1000n, memoryBytes: 2n * gib },
  unitPods: [{ unit: 1, replicas: 2, pods: 1 }],
  conditions: [
    {
      type: 'OverCommitted',
      message: 'more is promised than there is: move what others run there',
      since: seconds(-180),
      places: ['node/gpu-1', 'storage/beta3', 'ports', 'leased-ips'],
      reservations: [order('akash1ann', 7n), order('akash1eve', 9n)],
    },
  ],
};

export const reservation = (init: Init): Reservation => create(ReservationSchema, init);
