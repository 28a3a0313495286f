import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { type HardwareFacts, nodeHardwareType } from '@quartermaster/api/node-hardware';
import { agentVersion, DiscoveryAgent, discoverHardware, discoveryRole, HostMachine } from '@quartermaster/inventory/discovery';
import { systemRandom } from '@quartermaster/kernel';
import { failureOf, KubeClient, type KubeObject, kinds } from '@quartermaster/kube';
import { startRole } from '@quartermaster/runtime/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { applyDeployment } from '../deploy/apply-deployment.ts';
import { type ControlPlane, startControlPlane } from '../kube/control-plane.ts';
import { freePorts } from '../kube/free-ports.ts';

const namespace = 'quartermaster';
const account = 'quartermaster-discovery';
const waiting = { timeout: 20_000, interval: 50 };

interface TokenRequest extends KubeObject {
  readonly spec: {
    readonly audiences?: string[];
    readonly boundObjectRef?: { readonly kind: string; readonly apiVersion: string; readonly name: string; readonly uid: string };
  };
  readonly status?: { readonly token: string };
}

/** Every field that there is. */
const everything: HardwareFacts = {
  observedAt: '2026-01-01T00:00:00.000Z',
  agentVersion: '0.1.0',
  nodeUid: '11111111-2222-4333-8444-555555555555',
  machine: {
    hostname: 'node-a',
    manufacturer: 'Supermicro',
    product: 'SYS-821GE-TNHR',
    serial: 'C821GE0123456',
    systemUuid: '7a1b2c3d-0000-11ee-8000-3cecef123456',
    kernel: '6.8.0',
  },
  cpu: { architecture: 'amd64', threads: 224, sockets: [{ id: '0', vendor: 'GenuineIntel', model: 'Xeon', cores: 56, threads: 112 }] },
  memory: {
    totalBytes: 2_164_238_147_584,
    modules: [{ slot: 'P1-DIMMA1', type: 'DDR5', sizeBytes: 68_719_476_736, speedMtps: 4800, manufacturer: 'Samsung' }],
  },
  gpus: [
    {
      pciAddress: '0000:1b:00.0',
      vendorId: '10de',
      productId: '2330',
      uuid: 'GPU-00000000-1111-2222-3333-444444444444',
      name: 'NVIDIA H100 80GB HBM3',
      memoryBytes: 85_520_809_984,
      interface: 'SXM',
      driver: 'nvidia',
      driverVersion: '550.90.07',
      cudaVersion: '12.4',
      computeCapability: '9.0',
      numaNode: 0,
      minor: 0,
      nvlinks: 18,
      nvlinkGroup: 0,
      mig: {
        enabled: true,
        instances: [{ uuid: 'MIG-1', profile: '1g.10gb', memoryBytes: 10_200_547_328 }],
        profiles: ['1g.10gb', '7g.80gb'],
      },
      health: {
        state: 'unhealthy',
        reason: 'the driver reported Xid 79',
        code: 'XidError',
        since: '2026-01-01T00:00:00.000Z',
        xids: [79],
        bootId: '99999999-2222-4333-8444-555555555555',
      },
    },
  ],
  disks: [{ name: 'nvme0n1', kind: 'nvme', sizeBytes: 3_840_755_982_336, model: 'SAMSUNG', serial: 'S64H' }],
  nics: [
    {
      name: 'enp43s0f0',
      mac: '3c:ec:ef:12:34:56',
      pciAddress: '0000:2b:00.0',
      driver: 'mlx5_core',
      speedMbps: 100_000,
      isUp: true,
      rdmaDevice: 'mlx5_1',
    },
  ],
  filesystems: [{ path: '/opt/local-path-provisioner', sizeBytes: 1_000_000_000_000, device: '254:0' }],
  problems: ['permission denied reading /proc/x: run as root'],
};

describe('the discovery agent on the real API server', () => {
  let controlPlane: ControlPlane;
  let admin: KubeClient;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ scheduler: false, controllers: false });
    admin = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
    await admin.create(kinds.namespaces, { metadata: { name: namespace } });
    await applyDeployment(admin, discoveryRole);
    for (const node of ['node-a', 'node-b', 'node-c', 'node-d']) await admin.create(kinds.nodes, { metadata: { name: node } });
    await vi.waitFor(async () => await admin.list(nodeHardwareType), waiting);
    await policyInForce();
  });

  afterAll(async () => {
    await admin?.close();
    await controlPlane?.stop();
  });

  /** With the token that an agent's pod on this node has. */
  async function agentKubeconfig(node: string): Promise<string> {
    const request: TokenRequest = { spec: { boundObjectRef: await agentPod(node) } };
    const answer = await admin.createSubresource(kinds.serviceAccounts, { namespace, name: account }, 'token', request);
    return await controlPlane.writeKubeconfig({ user: { token: answer.status?.token ?? '' } });
  }

  async function agentClient(node: string): Promise<KubeClient> {
    const client = await KubeClient.connect({ kubeconfig: await agentKubeconfig(node) });
    onTestFinished(() => client.close());
    return client;
  }

  async function agentPod(node: string): Promise<NonNullable<TokenRequest['spec']['boundObjectRef']>> {
    const name = `discovery-${node}-${crypto.randomUUID().slice(0, 8)}`;
    const spec = { nodeName: node, serviceAccountName: account, containers: [{ name: 'discovery', image: 'quartermaster' }] };
    const pod = await admin.create(kinds.pods, { metadata: { namespace, name }, spec });
    return { kind: 'Pod', apiVersion: 'v1', name, uid: pod.metadata?.uid ?? '' };
  }

  /** A new policy takes a moment until the server has compiled it. */
  async function policyInForce(): Promise<void> {
    const client = await unboundProbe();
    await vi.waitFor(async () => {
      const object = { metadata: { name: 'probe' }, spec: everything };
      await expect(client.apply(nodeHardwareType, object, { fieldManager: 'probe', dryRun: true })).rejects.toThrow(/bound to its pod/);
    }, waiting);
    await client.close();
  }

  async function unboundProbe(): Promise<KubeClient> {
    const { metadata } = await admin.get(kinds.serviceAccounts, { namespace, name: account });
    const token = controlPlane.serviceAccountToken({ namespace, name: account, uid: metadata?.uid ?? '', expiresInSeconds: 3600 });
    return await KubeClient.connect({ kubeconfig: await controlPlane.writeKubeconfig({ user: { token } }) });
  }

  const write = async (client: KubeClient, name: string): Promise<unknown> =>
    await client.apply(
      nodeHardwareType,
      { metadata: { name }, spec: everything },
      { fieldManager: account, force: true, fieldValidation: 'Strict' },
    );

  const outcomeOf = async (work: Promise<unknown>): Promise<string | undefined> =>
    failureOf(await work.catch((thrown: unknown) => thrown))?.kind;

  it('stores every field that an agent can report, and shows the main ones in a table', async () => {
    await write(await agentClient('node-a'), 'node-a');
    const stored = await admin.get(nodeHardwareType, { name: 'node-a' });
    expect(stored.spec).toEqual(everything);
    const { stdout } = await controlPlane.kubectl(['get', 'nh', 'node-a']);
    expect(stdout).toMatch(/NAME\s+GPUS\s+CPU\s+THREADS\s+MEMORY\s+OBSERVED\s+AGE/);
    expect(stdout).toMatch(/node-a\s+NVIDIA H100 80GB HBM3\s+Xeon\s+224\s+2164238147584/);
  });

  it('has no rights that no agent needs', async () => {
    const client = await agentClient('node-a');
    expect(await outcomeOf(client.list(nodeHardwareType))).toBe('forbidden');
    expect(await outcomeOf(client.delete(nodeHardwareType, { name: 'node-a' }))).toBe('forbidden');
    expect(await outcomeOf(client.get(kinds.nodes, { name: 'node-a' }))).toBe('forbidden');
  });

  it('refuses facts of a wrong form', async () => {
    const client = await agentClient('node-a');
    const spec = { ...everything, gpus: [{ ...everything.gpus?.[0], vendorId: '0x10DE' }] };
    const work = client.apply<object>(nodeHardwareType, { metadata: { name: 'node-a' }, spec }, { fieldManager: account, force: true });
    await expect(work).rejects.toThrow(/vendorId/);
  });

  it('writes the facts of this machine once, and nothing more while they stay the same, across a restart', async () => {
    const holders = {
      list: async () => [{ resource: 'nvidia.com/gpu', deviceId: 'GPU-1', namespace: 'lease', pod: 'web-0', container: 'web' }],
    };
    const start = async (): Promise<{ readonly agent: DiscoveryAgent; readonly stop: () => Promise<void> }> => {
      const ending = new AbortController();
      const agent = new DiscoveryAgent({
        reader: new HostMachine(),
        node: 'node-c',
        client: await agentClient('node-c'),
        holders,
        pollIntervalMs: 20,
        rescanIntervalMs: 40,
        holdersIntervalMs: 20,
        backoff: { firstMs: 10, maxMs: 100, factor: 2 },
      });
      const running = agent.run(ending.signal);
      const stop = async (): Promise<void> => {
        ending.abort();
        await running;
      };
      onTestFinished(stop);
      return { agent, stop };
    };
    const first = await start();
    await vi.waitFor(() => expect(first.agent.status).toMatchObject({ writes: 2 }), waiting);
    const scans = first.agent.status.scans;
    await vi.waitFor(() => expect(first.agent.status.scans).toBeGreaterThan(scans + 3), waiting);
    await first.stop();
    expect(first.agent.status).toMatchObject({ writes: 2 });
    const stored = await admin.get(nodeHardwareType, { name: 'node-c' });
    const read = await discoverHardware(new HostMachine(), { agentVersion });
    expect({ ...stored.spec, observedAt: '' }).toEqual({ ...read, observedAt: '' });
    expect(stored.status).toEqual({ devices: await holders.list() });

    const second = await start();
    await vi.waitFor(() => expect(second.agent.status.scans).toBeGreaterThan(3), waiting);
    await second.stop();
    expect(second.agent.status).toMatchObject({ writes: 0 });
    const after = await admin.get(nodeHardwareType, { name: 'node-c' });
    expect(after.metadata?.resourceVersion).toBe(stored.metadata?.resourceVersion);
  });

  it('runs as a role with these rights, names its Node and the certificate that it serves with, and ends when it is told to', async () => {
    const [port = 0] = await freePorts(1, systemRandom);
    const folder = await mkdtemp(join(tmpdir(), 'volumes-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const args = ['--node-name=node-d', `--discovery-port=${port}`, `--discovery-paths=${folder}`];
    const running = await startRole(discoveryRole, { kubeconfig: await agentKubeconfig('node-d'), args });
    onTestFinished(() => running.stop());
    const { metadata: node } = await admin.get(kinds.nodes, { name: 'node-d' });
    await vi.waitFor(async () => {
      const { spec, status } = (await admin.find(nodeHardwareType, { name: 'node-d' })) ?? {};
      expect(spec?.nodeUid).toBe(node?.uid);
      expect(spec?.filesystems).toMatchObject([{ path: folder }]);
      expect(status?.agentPort).toBe(port);
      expect(status?.certificateFingerprint).toBe(await shownFingerprint(port));
    }, waiting);
    await running.stop();
    await expect(shownFingerprint(port)).rejects.toThrow('ECONNREFUSED');
  });
});

/** Of the certificate that a server on 127.0.0.1 shows, whoever signed it. */
function shownFingerprint(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
