import type { HardwareFacts } from '@quartermaster/api/node-hardware';
import type { Inventory } from '@quartermaster/inventory';
import { LabelReconciler } from '@quartermaster/inventory/testing';
import { KubeClient, type KubeObject, KubeTransport, staticCredentials } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startInventory } from './fresh-inventory.ts';
import { MutantServer } from './mutant-server.ts';
import { gib, hardwareOf, operatorNamespace, patience } from './operator-cluster.ts';

const paths = {
  nodes: '/api/v1/nodes',
  hardware: '/apis/quartermaster.dev/v1alpha1/nodehardwares',
  slices: '/apis/resource.k8s.io/v1/resourceslices',
  claims: '/apis/resource.k8s.io/v1/resourceclaims',
  classes: '/apis/storage.k8s.io/v1/storageclasses',
  cephClusters: '/apis/ceph.rook.io/v1/cephclusters',
  cephPools: '/apis/ceph.rook.io/v1/cephblockpools',
  cephFilesystems: '/apis/ceph.rook.io/v1/cephfilesystems',
  longhornNodes: '/apis/longhorn.io/v1beta2/nodes',
  longhornVolumes: '/apis/longhorn.io/v1beta2/volumes',
  longhornSettings: '/apis/longhorn.io/v1beta2/settings',
  localConfig: '/api/v1/configmaps?metadata.name=local-path-config',
  volumes: '/api/v1/persistentvolumes',
  volumeClaims: '/api/v1/persistentvolumeclaims',
  overrides: `/api/v1/namespaces/${operatorNamespace}/configmaps?metadata.name=quartermaster-gpu-overrides`,
};
type Kind = keyof typeof paths;
type Labels = Readonly<Record<string, string>>;

const [agent, driver, nextDriver, override] = ['by-agent', 'by-driver', 'by-driver-too', 'by-override'];
const names = [agent, driver, nextDriver, override];
const object = (name: string, more: object): KubeObject => ({ metadata: { name, uid: `uid-of-${name}`, resourceVersion: '1' }, ...more });

function node(name: string, labels: Labels = {}): KubeObject {
  const cards = name.startsWith(driver) ? {} : { 'nvidia.com/gpu': '8' };
  const resources = { cpu: '64', memory: '512Gi', 'ephemeral-storage': '100Gi', pods: '110', ...cards };
  const conditions = [{ type: 'Ready', status: 'True' }];
  return object(name, {
    metadata: { name, uid: `uid-of-${name}`, resourceVersion: '1', labels },
    status: { capacity: resources, allocatable: resources, conditions },
  });
}

function slice(nodeName: string): KubeObject {
  const pool = { name: nodeName, generation: 1, resourceSliceCount: 1 };
  const attributes = { type: { string: 'gpu' }, uuid: { string: `GPU-${nodeName}` }, productName: { string: 'NVIDIA A100-SXM4-80GB' } };
  return object(nodeName, { spec: { driver: 'gpu.nvidia.com', nodeName, pool, devices: [{ name: 'gpu-0', attributes }] } });
}

const rook = 'rook-ceph';
const ofRook = (name: string, more: object): KubeObject => object(name, { metadata: { name, namespace: rook, uid: name }, ...more });
const health = { health: 'HEALTH_OK', capacity: { bytesTotal: 3000 * gib, bytesUsed: 300 * gib, lastUpdated: '2026-01-01T00:00:00Z' } };
const volume = (name: string, size: number, more: object): KubeObject =>
  object(name, { spec: { capacity: { storage: `${size}Gi` }, ...more } });
const onFiles = volume('of-files', 400, {
  csi: { driver: 'rook-ceph.cephfs.csi.ceph.com', volumeAttributes: { clusterID: rook, fsName: 'files' } },
});
const onAgent = { required: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [agent] }] }] } };
const unreadableVolume = (name: string): KubeObject => object(name, { spec: { capacity: { storage: 'much' } } });
const ofBlocks = volume('of-blocks', 20, { storageClassName: 'beta3' });
const inFolder = volume('in-folder', 10, { storageClassName: 'beta1', hostPath: { path: '/data/in-folder' }, nodeAffinity: onAgent });
const volumeClaim = (name: string, storage: string, more: object = {}): KubeObject =>
  object(name, { spec: { storageClassName: 'beta3', resources: { requests: { storage, ...more } } } });
const ofLonghorn = (name: string, more: object): KubeObject =>
  object(name, { metadata: { name, namespace: 'longhorn-system', uid: name }, ...more });
const disk = {
  storageMaximum: 1000 * gib,
  storageAvailable: 1000 * gib,
  storageScheduled: 0,
  conditions: [
    { type: 'Ready', status: 'True' },
    { type: 'Schedulable', status: 'True' },
  ],
};
const closed = { ...disk, storageMaximum: 100 * gib, storageScheduled: 40 * gib };
const longhornNode = ofLonghorn(agent, {
  spec: {
    allowScheduling: true,
    disks: { one: { path: '/mnt/longhorn', allowScheduling: true }, closed: { path: '/data/longhorn', allowScheduling: false } },
  },
  status: { conditions: [{ type: 'Ready', status: 'True' }], diskStatus: { one: disk, closed } },
});
const localConfig = JSON.stringify({ nodePathMap: [{ node: 'DEFAULT_PATH_FOR_NON_LISTED_NODES', paths: ['/data'] }] });
const overridden = JSON.stringify({ '10de': { name: 'nvidia', devices: { 1234: { name: 'house' } } } });

const filesystem = (path: string, size: number, more: object = {}) => ({ path, device: path, sizeBytes: size * gib, ...more });
const onKubelet = { device: '/var/lib/kubelet' };
const filesystems = [
  filesystem('/data', 100, onKubelet),
  filesystem('/data/longhorn', 100, onKubelet),
  filesystem('/mnt/longhorn', 1000),
  filesystem('/opt/local-path-provisioner', 900),
  filesystem('/var/lib/kubelet', 100, { holdsEphemeral: true }),
];
const dataDisk = [filesystem('/data', 80), filesystem('/var/lib/kubelet', 100, { holdsEphemeral: true })];
const ofAgent = hardwareOf(agent, undefined, { filesystems });
const sick: HardwareFacts = {
  ...ofAgent,
  gpus: ofAgent.gpus?.map((gpu, index) => (index === 0 ? { ...gpu, health: { state: 'unhealthy', code: 'XidError' } } : gpu)),
};

/** A node whose agent tells of its cards, one of them sick, two whose drivers do, and one whose cards have a name by an override. */
const good: Readonly<Record<Kind, readonly KubeObject[]>> = {
  nodes: names.map((name) => node(name)),
  hardware: [object(agent, { spec: sick }), object(override, { spec: hardwareOf(override, '1234', { filesystems: dataDisk }) })],
  slices: [slice(driver), slice(nextDriver)],
  claims: [],
  classes: [
    object('beta3', { provisioner: 'rook-ceph.rbd.csi.ceph.com', parameters: { clusterID: rook, pool: 'blocks' } }),
    object('beta2', { provisioner: 'driver.longhorn.io', parameters: { numberOfReplicas: '1' } }),
    object('beta1', { provisioner: 'rancher.io/local-path' }),
  ],
  cephClusters: [ofRook('main', { spec: {}, status: { phase: 'Ready', ceph: health } })],
  cephPools: [ofRook('blocks', { spec: { replicated: { size: 3 } } })],
  cephFilesystems: [ofRook('files', { spec: { dataPools: [{ name: 'data', replicated: { size: 3 } }] } })],
  longhornNodes: [longhornNode],
  longhornVolumes: [ofLonghorn('degraded', { spec: { size: String(50 * gib), numberOfReplicas: 1 }, status: { robustness: 'degraded' } })],
  longhornSettings: [ofLonghorn('storage-over-provisioning-percentage', { value: '20' })],
  localConfig: [object('local-path-config', { data: { 'config.json': localConfig } })],
  volumes: [onFiles, ofBlocks, inFolder],
  volumeClaims: [volumeClaim('waiting', '30Gi')],
  overrides: [object('quartermaster-gpu-overrides', { data: { 'gpus.json': overridden } })],
};

describe('an inventory that starts again and cannot read an object', () => {
  let server: MutantServer;
  let client: KubeClient;
  let labels: ReadonlyMap<string, Labels> = new Map();
  let offers: ReadonlyMap<string, number> = new Map();

  beforeAll(async () => {
    server = await MutantServer.start();
    client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server: server.url }) }));
    const { inventory, applied } = await started(good);
    labels = await applied();
    await vi.waitUntil(() => [...offersOf(inventory).values()].every((offered) => offered > 0), patience);
    offers = offersOf(inventory);
    await inventory.stop();
  });

  afterAll(async () => {
    await client?.close();
    await server?.stop();
  });

  /** With what the leader of the replicas applies to nodes then. */
  async function started(objects: Readonly<Record<Kind, readonly KubeObject[]>>, refused: readonly Kind[] = []) {
    for (const kind of Object.keys(paths) as Kind[]) server.put(paths[kind], objects[kind]);
    for (const kind of refused) server.refuse(paths[kind]);
    const inventory = await startInventory(client, { clusterId: 'again' });
    await vi.waitUntil(() => inventory.feed.state() !== undefined, patience);
    return { inventory, applied: () => appliedBy(inventory) };
  }

  const diskOf = (name: string) => `the disk of ${name}`;

  /** Cards that can be had of nodes, and GiB of their ephemeral storage and of classes. */
  function offersOf({ feed }: Inventory): ReadonlyMap<string, number> {
    const cards = names.map((name): [string, number] => [
      name,
      feed.node(name)?.gpus.reduce((sum, { amount }) => sum + amount.available, 0) ?? 0,
    ]);
    const disks = names.map((name): [string, number] => [diskOf(name), (feed.node(name)?.ephemeralStorage.available ?? 0) / gib]);
    const classes = feed.current()?.storage.map((each): [string, number] => [each.class, (each.amount?.available ?? 0) / gib]) ?? [];
    return new Map([...cards, ...disks, ...classes]);
  }

  async function appliedBy(inventory: Inventory): Promise<ReadonlyMap<string, Labels>> {
    const applied = new Map<string, Labels>();
    const reconciler = new LabelReconciler({
      nodes: inventory.sources.nodes,
      view: (name) => inventory.feed.node(name),
      reader: {
        find: async (_type, { name }) => {
          const fields = Object.fromEntries(Object.keys(labels.get(name) ?? {}).map((key) => [`f:${key}`, {}]));
          const fieldsV1 = { 'f:metadata': { 'f:labels': fields } };
          const managedFields = [{ manager: 'quartermaster-inventory', operation: 'Apply', fieldsV1 }];
          return object(name, { metadata: { name, managedFields } }) as never;
        },
      },
      writer: {
        apply: async (_type, written) => {
          applied.set(written.metadata?.name ?? '', written.metadata?.labels ?? {});
          return written;
        },
      },
    });
    for (const { key } of inventory.sources.nodes.entries()) await reconciler.reconcile(key, AbortSignal.timeout(60_000));
    return applied;
  }

  async function startedWith(changes: Partial<Record<Kind, readonly KubeObject[]>>, refused: readonly Kind[] = []) {
    const nodes = names.map((name) => node(name, labels.get(name)));
    const again = await started({ ...good, nodes, ...changes }, refused);
    onTestFinished(() => again.inventory.stop());
    return again;
  }

  const prefix = 'akash.network/capabilities.gpu.model';

  it('labelled the cards before, and writes nothing when all is as it was', async () => {
    expect(labels.get(agent)).toHaveProperty([`${prefix}.h100`]);
    for (const name of [driver, nextDriver]) expect(labels.get(name)).toHaveProperty([`${prefix}.a100`]);
    expect(labels.get(override)).toHaveProperty([`${prefix}.house`]);
    expect(Object.fromEntries(offers)).toMatchObject({ [agent]: 7, [driver]: 1, [nextDriver]: 1, [override]: 8, beta1: 130, beta2: 150 });
    expect(names.map((name) => offers.get(diskOf(name)))).toEqual([50, 100, 100, 100]);
    for (const name of ['beta1', 'beta2', 'beta3'])
      expect(labels.get(agent)).toHaveProperty([`akash.network/capabilities.storage.class.${name}`]);
    const { applied } = await startedWith({});
    expect([...(await applied())]).toEqual([]);
  });

  it.each<[string, Kind, readonly KubeObject[]]>([
    ['the report of an agent', 'hardware', [object(agent, { spec: { gpus: 'eight' } }), ...good.hardware.slice(1)]],
    ['a slice of a driver', 'slices', [good.slices[0] ?? {}, object(nextDriver, { spec: { driver: 7 } })]],
    ['a storage class', 'classes', [object('beta3', { provisioner: 3 }), ...good.classes.slice(1)]],
    ['a Ceph cluster', 'cephClusters', [ofRook('main', { status: 'fine' })]],
    ['a pool of Ceph', 'cephPools', [ofRook('blocks', { spec: 'none' })]],
    ['a filesystem of Ceph', 'cephFilesystems', [ofRook('files', { spec: 'none' })]],
    ['a node of Longhorn', 'longhornNodes', [ofLonghorn(agent, { spec: 'none' })]],
    ['a volume of Longhorn', 'longhornVolumes', [ofLonghorn('degraded', { spec: 'none' })]],
    ['a setting of Longhorn', 'longhornSettings', [ofLonghorn('storage-over-provisioning-percentage', { value: 20 })]],
    ['the configuration of local-path', 'localConfig', [object('local-path-config', { data: 'none' })]],
    ['a volume', 'volumes', [onFiles, unreadableVolume('of-blocks'), inFolder]],
    ['a volume on the device of the kubelet', 'volumes', [onFiles, ofBlocks, unreadableVolume('in-folder')]],
    ['a claim', 'volumeClaims', [volumeClaim('waiting', '-1')]],
    ['the overrides', 'overrides', [object('quartermaster-gpu-overrides', { data: 'none' })]],
  ])('writes nothing and offers no more without %s', async (_, kind, objects) => {
    const { inventory, applied } = await startedWith({ [kind]: objects });
    expect(inventory.completeness().leftOut).toMatchObject([{ count: 1 }]);
    expect([...offersOf(inventory)].filter(([name, offered]) => offered > (offers.get(name) ?? 0))).toEqual([]);
    expect([...(await applied())]).toEqual([]);
  });

  it('offers no card while the reports of agents may not be read, and does again once they may', async () => {
    const { inventory, applied } = await startedWith({}, ['hardware']);
    const cards = () => names.map((name) => offersOf(inventory).get(name));
    expect([cards(), [...(await applied())]]).toEqual([[0, 0, 0, 0], []]);
    server.put(paths.hardware, good.hardware);
    await expect.poll(cards, patience).toEqual([7, 1, 1, 8]);
  });

  const disksOf = (inventory: Inventory) =>
    names.map((name) => {
      const { sellability, conditions = [], undecided } = inventory.feed.node(name) ?? {};
      return [sellability?.state, undecided?.ephemeralStorage, conditions.at(-1)?.code, offersOf(inventory).get(diskOf(name))];
    });
  const [known, unknown] = [(size: number) => ['sellable', undefined, undefined, size], ['sellable', 'available', 'VolumesUnread', 0]];

  it.each<Kind>(['longhornNodes', 'volumes', 'volumeClaims'])(
    'does not know what is left of the disks of nodes while %s may not be read, and does again once they may',
    async (kind) => {
      const { inventory, applied } = await startedWith({}, [kind]);
      expect(disksOf(inventory)).toEqual(names.map(() => unknown));
      expect(inventory.feed.current()?.storage[0]).toMatchObject({ class: 'beta1', refusal: { code: 'CapacityUnknown' } });
      expect(offersOf(inventory).get('beta1')).toBe(0);
      expect([...(await applied())]).toEqual([]);
      server.put(paths[kind], good[kind]);
      const now = () => [disksOf(inventory), offersOf(inventory)];
      await expect.poll(now, patience).toEqual([[50, 100, 100, 100].map(known), offers]);
    },
  );

  it('does not know what is left of the disks of a node alone whose node of Longhorn cannot be read', async () => {
    const { inventory } = await startedWith({ longhornNodes: [ofLonghorn(agent, { spec: 'none' })] });
    expect(disksOf(inventory)).toEqual([unknown, known(100), known(100), known(100)]);
    expect(inventory.feed.current()?.storage[0]).toMatchObject({ class: 'beta1', refusal: undefined });
    expect(offersOf(inventory).get('beta1')).toBe(80);
    const { longhornNodes } = good;
    const beside = await startedWith({ longhornNodes: [...longhornNodes, ofLonghorn(driver, { spec: 'none' })] });
    expect(beside.inventory.feed.current()?.storage[1]).toMatchObject({ class: 'beta2', ephemeralNodes: [driver] });
  });

  it('does not know what is left of the disk of a node on which a disk of Longhorn is not ready: nobody tells of its replicas', async () => {
    const lost = {
      ...closed,
      storageMaximum: 0,
      storageAvailable: 0,
      storageScheduled: 0,
      conditions: [{ type: 'Ready', status: 'False' }],
    };
    const status = { conditions: [{ type: 'Ready', status: 'True' }], diskStatus: { one: disk, closed: lost } };
    const { inventory, applied } = await startedWith({ longhornNodes: [{ ...longhornNode, status } as KubeObject] });
    expect(disksOf(inventory)).toEqual([unknown, known(100), known(100), known(100)]);
    expect(Object.fromEntries(offersOf(inventory))).toMatchObject({ beta1: 80, beta2: 150 });
    expect(inventory.completeness().stale).toMatchObject([{ source: 'longhorn-disks' }]);
    expect([...(await applied())]).toEqual([]);
  });

  it('holds back no ephemeral storage for a data disk that is lost while it runs, and whose folder is on the root filesystem then', async () => {
    const { inventory } = await startedWith({});
    const lost = { ...disk, storageMaximum: 0, storageAvailable: 0, conditions: [{ type: 'Ready', status: 'False' }] };
    const status = { conditions: [{ type: 'Ready', status: 'True' }], diskStatus: { one: lost, closed } };
    const next = { ...longhornNode, metadata: { ...longhornNode.metadata, resourceVersion: '2' }, status } as KubeObject;
    // Again and again: the watch may not be open yet.
    const isLost = () => {
      server.send(paths.longhornNodes, next);
      return inventory.completeness().stale.some(({ source }) => source === 'longhorn-disks');
    };
    await vi.waitUntil(isLost, patience);
    const unmounted = filesystems.map((each) => (each.path === '/mnt/longhorn' ? { ...each, ...onKubelet, sizeBytes: 100 * gib } : each));
    const spec = { ...ofAgent, filesystems: unmounted };
    const reported = object(agent, { metadata: { name: agent, uid: `uid-of-${agent}`, resourceVersion: '2' }, spec });
    // The report that says so also says that all cards are well.
    const cards = () => {
      server.send(paths.hardware, reported);
      return offersOf(inventory).get(agent);
    };
    await expect.poll(cards, patience).toBe(8);
    expect(disksOf(inventory)).toEqual([50, 100, 100, 100].map(known));
  });

  it('loses nothing by what may not be read where there are no such volumes', async () => {
    const changes = { classes: good.classes.slice(0, 1), volumes: [onFiles, ofBlocks] };
    const without = await startedWith(changes, ['longhornNodes', 'volumeClaims']);
    expect(disksOf(without.inventory)).toEqual(names.map(() => known(100)));
    const local = await startedWith({ classes: [good.classes[0] ?? {}, good.classes[2] ?? {}] }, ['longhornNodes']);
    expect(disksOf(local.inventory)).toEqual([90, 100, 100, 100].map(known));
    expect(offersOf(local.inventory).get('beta1')).toBe(170);
  });

  it('does not know that there are no such volumes before volumes were read: their classes may be gone', async () => {
    const classes = good.classes.slice(0, 1);
    const { inventory } = await startedWith({ classes }, ['longhornNodes', 'volumes']);
    expect(disksOf(inventory)).toEqual(names.map(() => unknown));
    server.put(paths.volumes, [onFiles, ofBlocks]);
    await expect.poll(() => disksOf(inventory), patience).toEqual(names.map(() => known(100)));
    const ofLocal = await startedWith({ classes, longhornNodes: [] }, ['volumes']);
    expect(disksOf(ofLocal.inventory)).toEqual(names.map(() => unknown));
  });

  it('counts promises of any size, whatever else their claims ask for', async () => {
    const { inventory } = await startedWith({ volumeClaims: [volumeClaim('huge', '10Pi', { 'example.com/more': '-1' })] });
    const beta3 = inventory.feed.current()?.storage.find((each) => each.class === 'beta3');
    expect(beta3).toMatchObject({ promisedBytes: Number.MAX_SAFE_INTEGER, amount: { available: 0 } });
    expect(inventory.completeness().leftOut).toEqual([]);
  });

  it('labels nodes whose own cards are known, whatever else could not be read', async () => {
    const nodes = names.map((name) => node(name, name === agent ? {} : labels.get(name)));
    const { applied } = await startedWith({ nodes, slices: [object(driver, { spec: {} })] });
    expect([...(await applied())]).toEqual([[agent, labels.get(agent)]]);
  });

  it('sells no claimable device while a claim cannot be read, and does again once it can', async () => {
    const claim = object('one', { status: { allocation: { devices: { results: 'some' } } } });
    const { inventory, applied } = await startedWith({ claims: [claim] });
    const available = () => inventory.feed.node(driver)?.gpus.map(({ amount }) => amount.available);
    expect(available()).toEqual([0]);
    expect([...(await applied())]).toEqual([]);
    // Again and again: the watch may not be open yet.
    const after = (next: KubeObject) => () => {
      server.send(paths.claims, next);
      return available();
    };
    await expect.poll(after(object('one', { status: {} })), patience).toEqual([1]);
    await expect.poll(after(claim), patience).toEqual([0]);
  });
});
