import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contractsFolder } from '@quartermaster/api/manifests';
import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import { tenantLeaseType } from '@quartermaster/api/tenant-lease';
import { clusterRole } from '@quartermaster/cluster/roles';
import { Controller, done, sourceOf } from '@quartermaster/controller';
import { silentLog, systemClock, systemRandom } from '@quartermaster/kernel';
import { KubeClient, type KubeObject, kinds, parseKey, startCache } from '@quartermaster/kube';
import { readManifests } from '@quartermaster/service';
import {
  buildHardware,
  ClusterControllers,
  type ClusterControllersOptions,
  NodePool,
  type NodePoolOptions,
  type NodeSpec,
  Scheduler,
  startSimulatedServer,
} from '@quartermaster/simulator';
import { vi } from 'vitest';
import { applyStrictly, deploymentOf } from '../deploy/apply-deployment.ts';
import { type AskedFor, askedBy, credentialOf } from '../deploy/granted-rights.ts';
import { tokenOf } from '../deploy/role-deployment.ts';
import { patience } from '../inventory/operator-cluster.ts';
import { ceph, gib, install, put, storageClass } from '../inventory/storage-fixtures.ts';
import { type ControlPlaneOptions, startControlPlane } from '../kube/control-plane.ts';
import type { KubeletIdentity } from '../simulator/kubelet-identity.ts';
import { RequestProxy } from '../support/request-proxy.ts';
import { storageClassName } from './lease-sdl.ts';

/** A kubeconfig, and what the log calls the token in it. */
interface Identity {
  readonly kubeconfig: string;
  readonly credential: string;
}

/** An API server with simulated nodes on which pods run, and with controllers, so that workloads become pods. */
export interface LeasedCluster {
  /** Of an administrator. */
  readonly kubeconfig: string;
  readonly client: KubeClient;
  readonly nodes: NodePool;
  /** Of the cluster service: on the real server that of its account, with the rights that its manifests give it and no others. */
  readonly serviceKubeconfig: string;
  /**
   * Of the same account, with a token that nobody else has: what its holder asks for is told from what others asked for before. Where the address of a proxy is given, through
   * that. Undefined of a server that keeps no log.
   */
  readonly serviceIdentity?: ((through?: string) => Promise<Identity>) | undefined;
  /** Of the real server. Whoever starts it stops it. */
  readonly startProxy?: (() => Promise<RequestProxy>) | undefined;
  /** What the cluster service asked for that changes something, in its order. Undefined of a server that keeps no log. */
  readonly serviceWrites: (() => Promise<readonly AskedFor[]>) | undefined;
  /** All that the cluster service asked for, reads too, in its order. */
  readonly serviceRequests?: (() => Promise<readonly AskedFor[]>) | undefined;
  /** The process of the API server, which everybody loses: nodes, controllers and the test too. Undefined of the simulated one. */
  readonly apiServer?: { halt(): Promise<void>; resume(): Promise<void> } | undefined;
  /** Of whoever has the token, on the real server. */
  readonly kubeconfigWith?: ((token: string) => Promise<string>) | undefined;
  stop(): Promise<void>;
}

const cpus = { small: 'xeon-6130', middle: 'epyc-7402', big: 'epyc-9654' } as const; // 31.5, 47.5 and 191.5 CPUs for pods

/** Without GPUs. Addresses are made of the index. */
export const nodeSpec = (name: string, index: number, size: keyof typeof cpus = 'middle'): NodeSpec => ({
  name,
  index,
  hardware: buildHardware(
    {
      cpu: cpus[size],
      sockets: 1,
      memoryGiB: 256,
      gpus: [],
      disks: [{ kind: 'nvme', sizeGB: 3840, count: 1 }],
      nics: [{ speedGbps: 100, count: 1 }],
    },
    name,
    7,
  ),
});

const ours = { namespace: 'quartermaster', account: 'quartermaster-cluster' };

type Ends = (() => unknown)[];

async function endAll(ends: Ends): Promise<void> {
  for (const end of ends.splice(0).toReversed()) await end();
}

/** The simulated API server, scheduler and controllers. */
export async function startSimulatedLeasedCluster(
  nodes: readonly NodeSpec[],
  { addresses, images }: Pick<ClusterControllersOptions, 'addresses'> & Pick<NodePoolOptions, 'images'> = {},
): Promise<LeasedCluster> {
  const ends: Ends = [];
  const directory = await mkdtemp(join(tmpdir(), 'leased-cluster-'));
  ends.push(() => rm(directory, { recursive: true, force: true }));
  // Providers whose time passes faster take a watch for dead that is silent for 90 s of theirs, and do not see for a moment then.
  const server = await startSimulatedServer({ bookmarkMs: 1_000 });
  ends.push(() => server.stop());
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 });
  const client = await KubeClient.connect({ kubeconfig });
  ends.push(() => client.close());
  await furnish(client);
  const serving = await server.issueCertificate({ commonName: 'simulated-kubelet', hosts: ['127.0.0.1'] });
  const pool = await startNodes(client, nodes, { images, server: { ...serving, clientAuthority: server.certificateAuthority } });
  ends.push(() => pool.stop());
  const stopping = new AbortController();
  const running = Promise.all([
    new Scheduler({ client, pods: pool.pods, events: false }).run(stopping.signal),
    new ClusterControllers({ client, pods: pool.pods, events: false, addresses }).run(stopping.signal),
  ]);
  ends.push(async () => {
    stopping.abort();
    await running;
  });
  return { kubeconfig, client, nodes: pool, serviceKubeconfig: kubeconfig, serviceWrites: undefined, stop: () => endAll(ends) };
}

export interface RealLeasedClusterOptions extends Pick<ControlPlaneOptions, 'controllerManagerArgs'> {
  /** By which the API server reaches containers: without it, nobody reads their logs or runs anything in them. */
  readonly kubelets?: Pick<KubeletIdentity, 'flags' | 'server'> | undefined;
}

/** The real control plane, with a provisioner of volumes, which it does not bring. */
export async function startRealLeasedCluster(
  nodes: readonly NodeSpec[],
  { controllerManagerArgs = [], kubelets }: RealLeasedClusterOptions = {},
): Promise<LeasedCluster> {
  const ends: Ends = [];
  const controlPlane = await startControlPlane({ audit: 'Request', controllerManagerArgs, apiserverArgs: [...(kubelets?.flags ?? [])] });
  ends.push(() => controlPlane.stop());
  const client = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
  ends.push(() => client.close());
  await furnish(client);
  const { folder } = deploymentOf(clusterRole);
  await applyStrictly(client, await readManifests(folder, ['rbac', 'market-rbac', 'market-policy']));
  const serviceIdentity = async (through?: string): Promise<Identity> => {
    const token = await tokenOf({ admin: client, namespace: ours.namespace }, ours.account);
    const kubeconfig = await controlPlane.writeKubeconfig({ user: { token }, ...(through !== undefined && { server: through }) });
    return { kubeconfig, credential: credentialOf(token) };
  };
  const startProxy = async (): Promise<RequestProxy> => {
    const { server: target, certificateAuthority } = controlPlane;
    const served = await certificateAuthority.issueServer({ commonName: 'proxy', hosts: ['127.0.0.1'] });
    return await RequestProxy.start({ target, authority: certificateAuthority.certificate, ...served });
  };
  const pool = await startNodes(client, nodes, { server: kubelets?.server });
  ends.push(() => pool.stop());
  ends.push(startProvisioner(client));
  const server = controlPlane.process('kube-apiserver');
  const serviceRequests = () => askedBy(controlPlane.auditLog ?? '', `system:serviceaccount:${ours.namespace}:${ours.account}`);
  return {
    kubeconfig: controlPlane.kubeconfig,
    client,
    nodes: pool,
    serviceKubeconfig: (await serviceIdentity()).kubeconfig,
    serviceIdentity,
    startProxy,
    apiServer: { halt: () => server.kill('SIGKILL'), resume: () => server.start() },
    kubeconfigWith: (bearer) => controlPlane.writeKubeconfig({ user: { token: bearer } }),
    serviceRequests,
    serviceWrites: async () => (await serviceRequests()).filter(({ verb }) => !['get', 'list', 'watch'].includes(verb)),
    stop: () => endAll(ends),
  };
}

/** Nodes that are heard of, and start what is bound to them. */
export const startNodes = (
  client: KubeClient,
  nodes: readonly NodeSpec[],
  streams: Pick<NodePoolOptions, 'images' | 'server'> = {},
): Promise<NodePool> => NodePool.start({ client, nodes, leaseIntervalMs: 5_000, podStartMs: 20, events: false, ...streams });

/** The kinds of both roles, and a storage class whose space the inventory knows. */
async function furnish(client: KubeClient): Promise<void> {
  const { contracts } = deploymentOf(clusterRole);
  for (const definition of await readManifests(contractsFolder, ['node-hardware', ...contracts]))
    await client.apply<KubeObject>(kinds.customResourceDefinitions, definition, { fieldManager: 'test' });
  await vi.waitFor(() => Promise.all([client.list(nodeHardwareType, { limit: 1 }), client.list(tenantLeaseType, { limit: 1 })]), patience);
  const namespace = 'rook-ceph';
  for (const name of [ours.namespace, namespace]) await client.create(kinds.namespaces, { metadata: { name } });
  for (const type of [ceph.clusters, ceph.blockPools]) await install(client, type);
  const capacity = { bytesTotal: 3000 * gib, bytesUsed: 300 * gib, lastUpdated: '2026-01-01T00:00:00Z' };
  const status = { phase: 'Ready', ceph: { health: 'HEALTH_OK', capacity } };
  await put(client, ceph.clusters, { metadata: { namespace, name: 'main' }, spec: {}, status });
  await put(client, ceph.blockPools, { metadata: { namespace, name: 'blocks' }, spec: { replicated: { size: 3 } } });
  await storageClass(client, storageClassName, 'rook-ceph.rbd.csi.ceph.com', { clusterID: namespace, pool: 'blocks' });
}

/** Makes a volume for each claim whose pod has a node, as a storage system's own provisioner does, and deletes those that are given back. */
function startProvisioner(client: KubeClient): () => Promise<void> {
  const options = { clock: systemClock, random: systemRandom, log: silentLog };
  const claims = startCache(client, { type: kinds.persistentVolumeClaims, project: (claim) => claim, ...options });
  const volumes = startCache(client, { type: kinds.persistentVolumes, project: ({ status }) => status?.phase ?? '', ...options });
  const stopping = new AbortController();
  const run = (name: string, cache: typeof claims | typeof volumes, reconcile: (key: string) => Promise<void>): Promise<void> => {
    const reconciler = {
      name,
      reconcile: async (key: string) => {
        await reconcile(key);
        return done;
      },
    };
    return new Controller({ reconciler, sources: [sourceOf<unknown>(cache)], workers: 2, ...options }).run(stopping.signal);
  };
  const running = Promise.all([
    run('provision', claims, async (key) => {
      const { metadata, spec } = claims.get(key)?.value ?? {};
      const isReady = metadata?.annotations?.['volume.kubernetes.io/selected-node'] !== undefined;
      if (metadata === undefined || !isReady || metadata.deletionTimestamp !== undefined || (spec?.volumeName ?? '') !== '') return;
      const name = `pvc-${metadata.uid}`;
      if ((await client.find(kinds.persistentVolumes, { name })) !== undefined) return;
      const { namespace, name: claim, uid } = { ...parseKey(key), uid: metadata.uid };
      await client.create(kinds.persistentVolumes, {
        metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': 'rook-ceph.rbd.csi.ceph.com' } },
        spec: {
          capacity: { storage: spec?.resources?.requests?.['storage'] ?? '1Gi' },
          accessModes: ['ReadWriteOnce'],
          persistentVolumeReclaimPolicy: 'Delete',
          storageClassName: spec?.storageClassName ?? '',
          claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: claim, uid },
          csi: { driver: 'rook-ceph.rbd.csi.ceph.com', volumeHandle: name },
        },
      });
    }),
    run('reclaim', volumes, async (name) => {
      if (volumes.get(name)?.value === 'Released') await client.delete(kinds.persistentVolumes, { name });
    }),
  ]);
  return async () => {
    stopping.abort();
    await running;
    await Promise.all([claims.stop(), volumes.stop()]);
  };
}
