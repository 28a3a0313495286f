import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InventoryService } from '@quartermaster/api/inventory';
import { RemovalsService } from '@quartermaster/api/removals';
import { discoveryName, nodeHardwareType } from '@quartermaster/inventory/discovery';
import { systemRandom } from '@quartermaster/kernel';
import { failureOf, KubeClient, type KubeObject, kinds, podExec } from '@quartermaster/kube';
import { openRpcChannel } from '@quartermaster/rpc';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type ControlPlane, startControlPlane } from '../kube/control-plane.ts';
import { freePorts } from '../kube/free-ports.ts';
import { statusOf } from '../kube/loopback.ts';
import { type CommandResult, quartermaster } from '../up/running-up.ts';
import { askedBy, isRole, isUsed, rightsOf } from './granted-rights.ts';
import { addNode, hardwareOf, patience, report } from './operator-cluster.ts';
import { type RunningOperator, startOperator } from './running-operator.ts';
import { ceph, install, longhorn, put } from './storage-fixtures.ts';

const executable = fileURLToPath(new URL('../../apps/quartermaster/src/main.ts', import.meta.url));
const namespace = 'stock';
const account = 'quartermaster-inventory';
const username = `system:serviceaccount:${namespace}:${account}`;
/** Only this machine, written so that the operator takes it for an address that others can reach. */
const loopback = '127.1';

interface TokenRequest extends KubeObject {
  readonly spec: object;
  readonly status?: { readonly token: string };
}

describe('the operator with the rights of its manifests, on the real API server', () => {
  let controlPlane: ControlPlane;
  let admin: KubeClient;
  let printed: CommandResult;
  let applied: CommandResult;
  let objects: readonly KubeObject[];
  let directory: string;
  let operator: RunningOperator;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ scheduler: false, controllers: false, audit: 'Metadata' });
    admin = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
    directory = await mkdtemp(join(tmpdir(), 'operator-rights-'));
    for (const name of ['rook-ceph', 'longhorn-system']) await admin.create(kinds.namespaces, { metadata: { name } });
    for (const kind of [...Object.values(ceph), ...Object.values(longhorn)]) await install(admin, kind);
    printed = await quartermaster(['manifests', '--namespace', namespace, '--image', 'registry.invalid/q:1', '--ceph-namespace=rook-ceph']);
    objects = parseAllDocuments(printed.stdout).map((document) => document.toJS() as KubeObject);
    applied = await controlPlane.kubectl(['apply', '--server-side', '--filename=-'], printed.stdout);
    await vi.waitFor(() => admin.list(nodeHardwareType, { limit: 1 }), patience);
  });

  afterAll(async () => {
    await operator?.stop();
    await admin?.close();
    await controlPlane?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function tokenOf(name: string): Promise<string> {
    const request: TokenRequest = { spec: {} };
    return (await admin.createSubresource(kinds.serviceAccounts, { namespace, name }, 'token', request)).status?.token ?? '';
  }

  /** The arguments of the Deployment, with folders and ports of this test. */
  async function deployedArgs(): Promise<string[]> {
    const serving = await controlPlane.certificateAuthority.issueServer({ commonName: 'inventory', hosts: ['127.0.0.1'] });
    await writeFile(join(directory, 'tls.crt'), serving.certificate);
    await writeFile(join(directory, 'tls.key'), serving.key);
    const { spec } = objects.find(({ kind }) => kind === 'Deployment') as Deployment;
    const [container] = spec?.template.spec?.containers ?? [];
    const [family, role, ...args] = container?.args ?? [];
    expect([family, role]).toEqual(['operator', 'inventory']);
    return args.map((arg) =>
      arg
        .replace('0.0.0.0', loopback)
        .replace('/etc/quartermaster/tls', directory)
        .replace('/etc/quartermaster/inventory', directory)
        .replace(/port=\d+$/, 'port=0'),
    );
  }

  it('is applied from what `quartermaster manifests` prints, to the last object', async () => {
    expect(printed).toMatchObject({ exitCode: 0, stderr: '' });
    expect(applied).toMatchObject({ exitCode: 0 });
    const kindsPrinted = objects.map(({ kind }) => kind);
    expect(kindsPrinted).toEqual(expect.arrayContaining(['Namespace', 'CustomResourceDefinition', 'DaemonSet', 'Deployment', 'Service']));
    const { stdout } = await controlPlane.kubectl(['get', 'deployment,service,daemonset,pdb', '--namespace', namespace, '--output=name']);
    expect(stdout.trim().split('\n').toSorted()).toEqual([
      'daemonset.apps/quartermaster-discovery',
      'deployment.apps/quartermaster-inventory',
      'poddisruptionbudget.policy/quartermaster-inventory',
      'service/quartermaster-inventory',
    ]);
    const { spec } = await admin.get(kinds.deployments, { namespace, name: account });
    expect(spec).toMatchObject({ replicas: 2, template: { spec: { serviceAccountName: account } } });
    expect(spec?.template.spec?.containers[0]?.image).toBe('registry.invalid/q:1');
  });

  it('reads the whole cluster', async () => {
    const toolbox = { namespace: 'rook-ceph', name: 'tools', labels: { app: 'rook-ceph-tools' } };
    await admin.create(kinds.serviceAccounts, { metadata: { namespace: 'rook-ceph', name: 'default' } });
    const conditions = [{ type: 'Ready', status: 'True' }];
    const containers = [{ name: 'rook-ceph-tools', image: 'registry.invalid/tools' }];
    await addNode(admin, 'gpu-1', { labels: { 'akash.network/capabilities.gpu.vendor.acme': 'true' } });
    await report(admin, 'gpu-1', hardwareOf('gpu-1'));
    await admin.create(kinds.pods, { metadata: toolbox, spec: { nodeName: 'gpu-1', containers } });
    await admin.patch(
      kinds.pods,
      toolbox,
      { kind: 'merge', body: { status: { phase: 'Running', conditions } } },
      { subresource: 'status' },
    );
    const agent = { namespace, name: 'agent', labels: { 'app.kubernetes.io/name': discoveryName } };
    const agentContainers = [{ name: 'discovery', image: 'registry.invalid/q:1' }];
    await admin.create(kinds.pods, {
      metadata: agent,
      spec: { nodeName: 'gpu-1', serviceAccountName: discoveryName, containers: agentContainers },
    });
    await admin.patch(kinds.pods, agent, { kind: 'merge', body: { status: { phase: 'Running' } } }, { subresource: 'status' });
    await put(admin, ceph.clusters, { metadata: { namespace: 'rook-ceph', name: 'my-cluster' }, spec: {} });

    const kubeconfig = await controlPlane.writeKubeconfig({ user: { token: await tokenOf(account) } });
    const quick = [`--inventory-namespace=${namespace}`, '--inventory-hardware-keep=1s'];
    operator = await startOperator({ kubeconfig, args: [...(await deployedArgs()), ...quick] });
    expect(operator.inventory.feed.current()).toMatchObject({ completeness: { complete: true }, nodes: [{ name: 'gpu-1' }] });
  });

  it('labels nodes and tells of them', async () => {
    const labels = async () => (await admin.get(kinds.nodes, { name: 'gpu-1' })).metadata?.labels;
    await expect.poll(labels, patience).toMatchObject({ 'akash.network': 'true', 'akash.network/capabilities.gpu.vendor.acme': 'true' });
    const cordon = async (unschedulable: true | null) =>
      await admin.patch(kinds.nodes, { name: 'gpu-1' }, { kind: 'merge', body: { spec: { unschedulable } } });
    const state = () => operator.inventory.feed.node('gpu-1')?.sellability.state;
    const told = async () => (await admin.list(kinds.events, { namespace: 'default' })).items.find(({ reason }) => reason === 'HeldBack');
    await cordon(true);
    await expect.poll(told, patience).toBeDefined();
    await cordon(null);
    await expect.poll(state, patience).toBe('sellable');
    await cordon(true);
    await expect.poll(async () => (await told())?.series?.count, patience).toBe(2);
    await cordon(null);
  });

  it('forgets the hardware of a node that is gone', async () => {
    await report(admin, 'gone-1', hardwareOf('gone-1'));
    const left = async () => (await admin.list(nodeHardwareType)).items.map(({ metadata }) => metadata?.name);
    await expect.poll(left, patience).toEqual(['gpu-1']);
  });

  it('answers whoever shows a token that the API server knows, and nobody else', async () => {
    await admin.create(kinds.serviceAccounts, { metadata: { namespace, name: 'reader' } });
    const port = operator.served.grpc.split(':').at(-1);
    const channelOf = (token: string) => {
      const tls = { ca: controlPlane.certificateAuthority.certificate };
      const channel = openRpcChannel({ address: `127.0.0.1:${port}`, tls, token: () => token, tries: 1 });
      onTestFinished(() => channel.close());
      return channel;
    };
    const known = channelOf(await tokenOf('reader'));
    expect(await known.client(InventoryService).getStatus({})).toMatchObject({ isLeader: true });
    await expect(channelOf('made-up').client(InventoryService).getStatus({})).rejects.toMatchObject({ code: 'unauthenticated' });
    const approval = known.client(RemovalsService).approveRemoval({ id: 'hardware-0' });
    await expect(approval).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it('runs as the process of its Deployment, in which the probes find it ready, and ends when it is told to', async () => {
    const kubeconfig = await controlPlane.writeKubeconfig({ user: { token: await tokenOf(account) } });
    const [rest = 0] = await freePorts(1, systemRandom);
    const deployed = (await deployedArgs()).map((arg) => arg.replace('rest-port=0', `rest-port=${rest}`));
    const args = ['operator', 'inventory', ...deployed];
    const child = spawn(process.execPath, [executable, ...args], {
      stdio: 'ignore',
      env: { ...process.env, KUBECONFIG: kubeconfig, POD_NAME: 'inventory-1', QUARTERMASTER_INVENTORY_NAMESPACE: namespace },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const exit = once(child, 'exit');
    const { certificate: authority } = controlPlane.certificateAuthority;
    for (const path of ['/readyz', '/livez']) {
      await expect.poll(() => statusOf(`https://127.0.0.1:${rest}${path}`, { authority }), patience).toBe(200);
    }
    expect(await statusOf(`https://127.0.0.1:${rest}/v1/inventory`, { authority })).toBe(401);
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  it('was refused nothing, and leaves no right unused', async () => {
    const granted = objects
      .filter(isRole)
      .filter(({ metadata }) => metadata?.name?.startsWith(account))
      .flatMap(rightsOf);
    expect(granted.length).toBeGreaterThan(30);
    // The second half of opening a stream is asked of the server by itself, and in no log.
    const logged = granted.filter(({ resource, verb }) => !(resource === 'pods/exec' && verb === 'create'));
    const asked = async () => await askedBy(controlPlane.auditLog ?? '', username);
    await vi.waitFor(async () => {
      const all = await asked();
      expect(logged.filter((right) => !isUsed(right, all))).toEqual([]);
    }, patience);
    expect(isUsed({ group: '', resource: 'nodes', verb: 'delete', namespace: undefined, name: undefined }, await asked())).toBe(false);
    expect((await asked()).filter(({ code }) => code === 403 || code === 401)).toEqual([]);
    expect(operator.inventory.completeness()).toEqual({ complete: true, stale: [] });
  });

  it('may run commands where the toolbox is and nowhere else, for which it needs both of its verbs', async () => {
    const kubeconfig = await controlPlane.writeKubeconfig({ user: { token: await tokenOf(account) } });
    const client = await KubeClient.connect({ kubeconfig });
    onTestFinished(() => client.close());
    const isRefused = async (inNamespace: string): Promise<boolean> => {
      // There is no kubelet: even one who may run commands gets an error, another one.
      const pod = { namespace: inNamespace, name: 'tools' };
      await expect(podExec(client, pod, { container: 'rook-ceph-tools', command: ['true'] })).rejects.toThrow('exec in');
      const asked = await askedBy(controlPlane.auditLog ?? '', username);
      return asked.findLast(({ resource, namespace: where }) => resource === 'pods/exec' && where === inNamespace)?.code === 403;
    };
    const allow = async (verbs: readonly string[]) => {
      const ref = { namespace: 'rook-ceph', name: `${account}-toolbox` };
      await admin.patch(kinds.roles, ref, { kind: 'merge', body: { rules: [{ apiGroups: [''], resources: ['pods/exec'], verbs }] } });
    };
    expect(await isRefused('rook-ceph')).toBe(false);
    expect(await isRefused(namespace)).toBe(true);
    for (const verb of ['get', 'create']) {
      await allow([verb]);
      await expect.poll(() => isRefused('rook-ceph'), patience).toBe(true);
      await allow(['get', 'create']);
      await expect.poll(() => isRefused('rook-ceph'), patience).toBe(false);
    }
    expect(await client.list(kinds.secrets, { namespace }).catch(failureOf)).toMatchObject({ kind: 'forbidden' });
  });
});
