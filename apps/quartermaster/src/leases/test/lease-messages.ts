import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { LeaseHealth, LeaseRunState, type RunningLease, RunningLeaseSchema } from '@quartermaster/api/cluster';
import type { Look } from '../../text/listing.ts';
import { plainPaint } from '../../text/paint.ts';

export const start = Date.UTC(2026, 0, 1);
export const look: Look = { exact: false, wide: false, now: start, paint: plainPaint };

type Init = Exclude<MessageInitShape<typeof RunningLeaseSchema>, RunningLease>;

export const lease = (init: Init): RunningLease => create(RunningLeaseSchema, init);

export const ago = (seconds: number) => timestampFromMs(start - 1000 * seconds);

/** Runs, with cards, a volume and a name. */
export const running: Init = {
  order: { owner: 'akash1ann', dseq: 7n, gseq: 1, oseq: 1 },
  provider: 'akash1provider',
  namespace: 'lease-akash1ann-7-1-1',
  namespaceUid: 'uid-7',
  state: LeaseRunState.ACTIVE,
  reason: 'Running',
  message: 'All replicas run.',
  since: ago(60),
  health: LeaseHealth.HEALTHY,
  phases: [
    { name: 'order', state: 'done', at: ago(120) },
    { name: 'lease', state: 'done', at: ago(100) },
    { name: 'manifest', state: 'done', at: ago(90) },
    { name: 'running', state: 'done', at: ago(60) },
    { name: 'closing', state: 'ahead' },
  ],
  services: [
    {
      name: 'web',
      image: 'nginx',
      count: 2,
      available: 2,
      ready: 2,
      updated: 2,
      pods: [
        { name: 'web-1', node: 'gpu-2', phase: 'Running', ready: true, devices: ['GPU-a'], gpus: 1, createdAt: ago(80) },
        { name: 'web-2', node: 'gpu-1', phase: 'Running', ready: true, gpus: 1, restarts: 2, createdAt: ago(80) },
      ],
      ports: [{ port: 22, externalPort: 31_022, protocol: 'TCP', host: 'p.example' }],
      addresses: [{ endpoint: 'game', port: 7, externalPort: 7, protocol: 'UDP' }],
    },
  ],
  hostnames: [{ hostname: 'web.example', service: 'web', externalPort: 80, state: 'held' }],
  volumes: [{ name: 'web/data', claim: 'data-web-0', storageClass: 'beta3', bytes: 2n ** 30n, phase: 'Bound' }],
  manifestHash: '9b71d224bd62f3785d96d46ad3ea3d73',
  price: { denom: 'uakt', amount: '100' },
  marketState: 'active',
};

/** Nothing of it runs as it should. */
export const failing: Init = {
  order: { owner: 'akash1bob', dseq: 8n, gseq: 1, oseq: 2 },
  provider: 'akash1provider',
  namespace: 'lease-akash1bob-8-1-2',
  state: LeaseRunState.ERROR,
  reason: 'ManifestRefused',
  message: 'The manifest asks for more than was ordered.',
  since: ago(30),
  health: LeaseHealth.UNHEALTHY,
  phases: [
    { name: 'order', state: 'done', at: ago(3600) },
    { name: 'manifest', state: 'waiting', message: 'Hand over another one.' },
    { name: 'running', state: 'ahead' },
  ],
  services: [
    {
      name: 'api',
      image: 'api:lates',
      count: 1,
      problems: [{ code: 'ImagePullFailed', message: 'the image cannot be pulled', subject: 'api-1', since: ago(50) }],
      pods: [{ name: 'api-1', phase: 'Pending', createdAt: ago(50) }],
    },
  ],
  refused: { code: 'ResourcesDiffer', message: 'api asks for 4 CPUs, and 2 were ordered', since: ago(30) },
  leftovers: [{ code: 'Stuck', message: 'the volume is attached', subject: 'PersistentVolumeClaim data-0', since: ago(20) }],
  marketState: 'unknown',
  unhealthySince: ago(50),
  closesAt: timestampFromMs(start + 600_000),
};
