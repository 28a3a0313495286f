import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  type ClaimedHostnameSchema,
  LeaseHealth,
  type LeaseProblemSchema,
  LeaseRunState,
  LeaseService,
  type OrderId,
  type RunningLease,
  RunningLeaseSchema,
  type TenantShellSchema,
} from '@quartermaster/api/cluster';
import { orderText } from '@quartermaster/api/states';
import { orderName } from '@quartermaster/cluster';
import { StatusError } from '@quartermaster/kernel';
import { type ServedService, serve } from '@quartermaster/rpc';
import { owners } from './reserving-cluster.ts';
import { gpuId, leasedNamespace, leasedNode } from './scripted-details.ts';

const [rita, zoe] = owners;
/** Pages tell whole minutes: what a test reads of them is just past one, so that it says the same for as long as a slow machine takes. */
const ago = (seconds: number) => timestampFromMs(Date.now() - 1_000 * seconds);

type Init = Exclude<MessageInitShape<typeof RunningLeaseSchema>, RunningLease>;

/** Runs, with cards, a volume, names that it has and one that it does not. */
const running = (): Init => ({
  order: { owner: rita, dseq: 1_234_561n, gseq: 1, oseq: 1 },
  provider: 'akash1provider',
  namespace: leasedNamespace,
  namespaceUid: '3f0c1f5e-0d1b-4d1c-a9d0-5f2f7c1f9b10',
  state: LeaseRunState.ACTIVE,
  reason: 'Running',
  message: 'All replicas run.',
  since: ago(3_000),
  health: LeaseHealth.HEALTHY,
  phases: [
    { name: 'order', state: 'done', at: ago(3_022) },
    { name: 'bid', state: 'done', at: ago(3_020) },
    { name: 'lease', state: 'done', at: ago(3_002) },
    { name: 'manifest', state: 'done', at: ago(2_992) },
    { name: 'deployed', state: 'done', at: ago(2_990) },
    { name: 'running', state: 'done', at: ago(2_962) },
    { name: 'closing', state: 'ahead' },
    { name: 'closed', state: 'ahead' },
  ],
  services: [
    {
      name: 'train',
      image: 'registry.example.com/acme/training:2026.1',
      ...{ health: LeaseHealth.HEALTHY, count: 2, available: 2, ready: 2, updated: 2 },
      pods: [
        {
          name: `training-7d9c5b6f4-xxxx${leasedNode}`,
          uid: 'pod-1',
          node: 'node-00016',
          phase: 'Running',
          ready: true,
          devices: [gpuId(leasedNode, 0), gpuId(leasedNode, 1)],
          gpus: 2,
          createdAt: ago(3_020),
        },
        {
          name: 'training-7d9c5b6f4-yyyyy',
          uid: 'pod-2',
          node: 'node-00012',
          phase: 'Running',
          ready: true,
          restarts: 3,
          gpus: 2,
          createdAt: ago(900),
        },
      ],
      ports: [{ port: 22, externalPort: 31_022, protocol: 'TCP', host: 'provider.example.com' }],
      addresses: [{ endpoint: 'game', port: 7_777, externalPort: 7_777, protocol: 'UDP' }],
    },
    {
      name: 'web',
      image: 'nginx:1.29',
      ...{ health: LeaseHealth.HEALTHY, count: 1, available: 1, ready: 1, updated: 1 },
      pods: [{ name: 'web-0', uid: 'pod-3', node: 'node-00016', phase: 'Running', ready: true, createdAt: ago(3_020) }],
    },
  ],
  hostnames: [
    { hostname: 'train.acme.example', service: 'web', externalPort: 80, state: 'held' },
    {
      hostname: 'taken.example',
      service: 'web',
      externalPort: 80,
      state: 'refused',
      message: 'Another tenant has the hostname: take one of your own domains.',
    },
  ],
  volumes: [{ name: 'web/data', claim: 'web-data-web-0', storageClass: 'beta3', bytes: 100n * 1024n ** 3n, phase: 'Bound' }],
  manifestHash: '9b71d224bd62f3785d96d46ad3ea3d73319bfbc2890caadae2dff72519673ca7',
  price: { denom: 'uakt', amount: '120' },
  marketState: 'active',
});

/** Another of the same tenant: it waits for its manifest. */
const waiting = (): Init => ({
  order: { owner: rita, dseq: 1_234_570n, gseq: 1, oseq: 1 },
  provider: 'akash1provider',
  state: LeaseRunState.PENDING,
  reason: 'ManifestMissing',
  message: 'The manifest is missing.',
  since: ago(40),
  health: LeaseHealth.NONE,
  phases: [
    { name: 'order', state: 'done', at: ago(70) },
    { name: 'bid', state: 'done', at: ago(66) },
    { name: 'lease', state: 'done', at: ago(40) },
    { name: 'manifest', state: 'waiting', message: 'The tenant has not handed it over: it is closed in 4 min without one.' },
    { name: 'deployed', state: 'ahead' },
    { name: 'running', state: 'ahead' },
  ],
  services: [{ name: 'api', image: 'nginx:1.29', health: LeaseHealth.NONE, count: 1 }],
  price: { denom: 'uakt', amount: '90' },
  marketState: 'active',
});

/** One whose image cannot be pulled, whose update was refused, and which closes soon. */
const unhealthy = (): Init => ({
  order: { owner: zoe, dseq: 1_234_580n, gseq: 1, oseq: 2 },
  provider: 'akash1provider',
  namespace: `lease-${zoe}-1234580-1-2`,
  namespaceUid: '9d1f5e0c-0d1b-4d1c-a9d0-5f2f7c1f9b10',
  state: LeaseRunState.ACTIVE,
  reason: 'Unhealthy',
  message: '1 of 2 replicas cannot start.',
  since: ago(400),
  health: LeaseHealth.UNHEALTHY,
  phases: [
    { name: 'order', state: 'done', at: ago(7_400) },
    { name: 'bid', state: 'done', at: ago(7_399) },
    { name: 'lease', state: 'done', at: ago(7_300) },
    { name: 'manifest', state: 'done', at: ago(7_290) },
    { name: 'deployed', state: 'done', at: ago(7_288) },
    { name: 'running', state: 'failed', message: 'The image cannot be pulled.' },
  ],
  services: [
    {
      name: 'api',
      image: 'registry.example.com/globex/api:lates',
      ...{ health: LeaseHealth.UNHEALTHY, count: 2, available: 1, ready: 1, updated: 1 },
      problems: [
        {
          code: 'ImagePullFailed',
          message:
            'the image registry.example.com/globex/api:lates cannot be pulled: there is no such tag. Name one that exists, and update.',
          subject: 'api-5c9d-zzzzz',
          since: ago(400),
        },
      ],
      pods: [
        { name: 'api-5c9d-aaaaa', uid: 'pod-4', node: 'node-00012', phase: 'Running', ready: true, createdAt: ago(7_200) },
        { name: 'api-5c9d-zzzzz', uid: 'pod-5', node: 'node-00016', phase: 'Pending', createdAt: ago(410) },
      ],
    },
  ],
  hostnames: [{ hostname: 'api.globex.example', service: 'api', externalPort: 443, state: 'held' }],
  manifestHash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  refused: { code: 'ResourcesDiffer', message: 'service api asks for 4 CPUs, and 2 were ordered', since: ago(300) },
  price: { denom: 'uakt', amount: '40' },
  marketState: 'active',
  unhealthySince: ago(362),
  closesAt: timestampFromMs(Date.now() + 900_000),
});

/** Closed, and not all of it is gone. */
const ending = (): Init => ({
  order: { owner: zoe, dseq: 1_234_500n, gseq: 1, oseq: 1 },
  provider: 'akash1provider',
  namespace: `lease-${zoe}-1234500-1-1`,
  state: LeaseRunState.ACTIVE,
  reason: 'Closing',
  message: 'What ran is being removed.',
  since: ago(90),
  health: LeaseHealth.UNKNOWN,
  phases: [
    { name: 'order', state: 'done', at: ago(90_400) },
    { name: 'lease', state: 'done', at: ago(90_300) },
    { name: 'manifest', state: 'done', at: ago(90_290) },
    { name: 'deployed', state: 'done', at: ago(90_280) },
    { name: 'running', state: 'done', at: ago(90_270) },
    { name: 'closing', state: 'waiting', at: ago(90), message: 'Its namespace is not gone yet.' },
    { name: 'closed', state: 'ahead' },
  ],
  leftovers: [
    {
      code: 'NotRemoved',
      message: 'the volume is still attached to node-00020',
      subject: 'PersistentVolumeClaim data-0',
      since: ago(80),
    },
  ],
  marketState: 'closed',
});

const ended = { openedAt: ago(7_290), closedAt: ago(7_270), outcome: '137' };

/** The leases of a provider by the contract of the cluster service, from fixed sights. */
export class ScriptedLeases {
  leases: RunningLease[] = [running(), waiting(), unhealthy(), ending()].map((init) => create(RunningLeaseSchema, init));
  stale: string[] = [];
  strangers: MessageInitShape<typeof LeaseProblemSchema>[] = [
    {
      code: 'LabelsTampered',
      subject: 'lease-somebody-1-1-1',
      message: 'Its labels say another lease than its name: it is ignored. Delete it, or restore its labels.',
      since: ago(86_400),
    },
  ];
  hostnames: MessageInitShape<typeof ClaimedHostnameSchema>[] = [
    this.#held('train.acme.example', 'web', this.#order(0)),
    this.#held('api.globex.example', 'api', this.#order(2)),
    { hostname: 'old.acme.example', owner: rita, state: 'Released', since: ago(300), freeAt: timestampFromMs(Date.now() + 3_300_000) },
  ];
  /** Of the first lease: one that is open, and one that has ended. */
  shells: MessageInitShape<typeof TenantShellSchema>[] = [this.#shell('2', { openedAt: ago(65) }), this.#shell('1', ended)];
  /** A provider without any. */
  static none(): ScriptedLeases {
    return Object.assign(new ScriptedLeases(), { leases: [], hostnames: [], shells: [], strangers: [] });
  }

  /** What was closed, and why: `owner/1/1/1: reason`. */
  readonly closed: string[] = [];

  #order(index: number): OrderId | undefined {
    return this.leases[index]?.order;
  }

  #held(hostname: string, service: string, order: OrderId | undefined) {
    if (order === undefined) throw new Error('there is no such lease');
    return { hostname, owner: order.owner, lease: orderName(order), service, externalPort: 80, state: 'Held', since: ago(3_000) };
  }

  #shell(name: string, changed: MessageInitShape<typeof TenantShellSchema>): MessageInitShape<typeof TenantShellSchema> {
    const where = { order: this.#order(0), provider: 'akash1provider', service: 'web', pod: 'web-0' };
    return { name, ...where, proof: 'token', fingerprint: 'c0ffee00c0ffee00', address: '192.0.2.7', replica: 'cluster-1', ...changed };
  }

  service(): ServedService {
    const find = (order: OrderId | undefined): RunningLease => {
      const found = this.leases.find(
        (lease) => order !== undefined && lease.order !== undefined && orderText(lease.order) === orderText(order),
      );
      if (found === undefined) throw new StatusError('not_found', 'this provider has no such lease');
      return found;
    };
    const nobody = (): never => {
      throw new StatusError('failed_precondition', 'nobody leads');
    };
    return serve(LeaseService, {
      getLease: ({ order }) => ({ lease: find(order) }),
      listLeases: ({ owner, state, node, namespace }) => {
        const leases = this.leases.filter(
          (lease) =>
            (owner === '' || lease.order?.owner === owner) &&
            (state === LeaseRunState.UNSPECIFIED || lease.state === state) &&
            (namespace === '' || lease.namespace === namespace) &&
            (node === '' || lease.services.some(({ pods }) => pods.some((pod) => pod.node === node))),
        );
        return { leases, stale: this.stale, strangers: this.strangers, total: BigInt(leases.length) };
      },
      closeLease: ({ order, reason }) => {
        const lease = find(order);
        this.closed.push(`${orderText(lease.order ?? {})}: ${reason}`);
        lease.marketState = 'closed';
        return {};
      },
      listHostnames: () => ({ hostnames: this.hostnames }),
      listShells: ({ order }) => {
        const shells = this.shells.filter((each) => orderText(each.order ?? {}) === orderText(order ?? {}));
        return { shells, total: BigInt(shells.length) };
      },
      transferHostname: ({ hostname, order, service }) => {
        const lease = find(order);
        const moved = this.#held(hostname, service, lease.order);
        this.hostnames = this.hostnames.map((each) => (each.hostname === hostname ? moved : each));
        return { hostname: moved };
      },
      transferAddress: nobody,
      submitManifest: nobody,
      previewManifest: nobody,
      collectLeftovers: () => ({ leftovers: [] }),
    });
  }
}
