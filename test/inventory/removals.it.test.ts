import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import { type Removal, RemovalState, RemovalsService } from '@quartermaster/api/removals';
import { inventoryRole } from '@quartermaster/inventory';
import { KubeClient, type KubeObject, kinds } from '@quartermaster/kube';
import { openRpcChannel, type ServiceClient } from '@quartermaster/rpc';
import { type RunningRole, startRole } from '@quartermaster/runtime/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ControlPlane, startControlPlane } from '../kube/control-plane.ts';
import { type CommandResult, quartermaster } from '../up/running-up.ts';
import { addNode, hardwareOf, operatorNamespace, patience, prepare, report } from './operator-cluster.ts';

interface TokenRequest extends KubeObject {
  readonly spec: object;
  readonly status?: { readonly token: string };
}

const wanted = ['gpu-0', 'gpu-1', 'gpu-2'];
const gone = Array.from({ length: 8 }, (_, index) => `gone-${index}`);
/** Only this machine, written so that the operator takes it for an address that others can reach. */
const beyondLoopback = '127.1';

describe('removals that wait for a person, on the real API server', () => {
  let controlPlane: ControlPlane;
  let admin: KubeClient;
  let directory: string;
  const replicas: RunningRole[] = [];
  const ends: (() => unknown)[] = [];

  beforeAll(async () => {
    controlPlane = await startControlPlane({ scheduler: false, controllers: false });
    admin = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
    await prepare(admin);
    directory = await mkdtemp(join(tmpdir(), 'removals-'));
    const serving = await controlPlane.certificateAuthority.issueServer({ commonName: 'inventory', hosts: ['127.0.0.1'] });
    await writeFile(join(directory, 'tls.crt'), serving.certificate);
    await writeFile(join(directory, 'tls.key'), serving.key);
    await account('reader');
    await account('approver');
    await allow('reader', 'get', 'inventories');
    await allow('approver', 'delete', nodeHardwareType.plural);
    for (const name of wanted) await addNode(admin, name);
    for (const name of [...wanted, ...gone]) await report(admin, name, hardwareOf(name));
    for (let replica = 0; replica < 2; replica += 1) replicas.push(await start());
  });

  afterAll(async () => {
    for (const end of ends) end();
    for (const replica of replicas) await replica.stop();
    await admin?.close();
    await controlPlane?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function account(name: string): Promise<void> {
    await admin.create(kinds.serviceAccounts, { metadata: { namespace: operatorNamespace, name } });
  }

  async function allow(name: string, verb: string, resource: string): Promise<void> {
    const rules = [{ apiGroups: [nodeHardwareType.group], resources: [resource], verbs: [verb] }];
    await admin.create(kinds.clusterRoles, { metadata: { name }, rules });
    await admin.create(kinds.clusterRoleBindings, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', namespace: operatorNamespace, name }],
    });
  }

  async function start(): Promise<RunningRole> {
    const { kubeconfig } = controlPlane;
    const tls = [`--inventory-tls-cert-file=${join(directory, 'tls.crt')}`, `--inventory-tls-key-file=${join(directory, 'tls.key')}`];
    return await startRole(inventoryRole, {
      kubeconfig,
      args: [`--inventory-host=${beyondLoopback}`, ...tls, '--inventory-hardware-keep=1s'],
    });
  }

  async function tokenOf(name: string): Promise<string> {
    const request: TokenRequest = { spec: {} };
    const answer = await admin.createSubresource(kinds.serviceAccounts, { namespace: operatorNamespace, name }, 'token', request);
    return answer.status?.token ?? '';
  }

  const addressOf = ({ served }: RunningRole): string => `127.0.0.1:${served.grpc.split(':').at(-1)}`;

  async function callerAt(replica: RunningRole, name: string): Promise<ServiceClient<typeof RemovalsService>> {
    const token = await tokenOf(name);
    const tls = { ca: controlPlane.certificateAuthority.certificate };
    const channel = openRpcChannel({ address: addressOf(replica), tls, token: () => token, tries: 1 });
    ends.push(() => channel.close());
    return channel.client(RemovalsService);
  }

  /** The executable, as somebody with this account runs it. */
  async function removals(args: readonly string[], replica: RunningRole, name: string): Promise<CommandResult> {
    const [tokenFile, caFile] = [join(directory, `${name}.token`), join(directory, 'ca.crt')];
    await writeFile(tokenFile, await tokenOf(name));
    await writeFile(caFile, controlPlane.certificateAuthority.certificate);
    return await quartermaster(['removals', ...args, '--server', addressOf(replica), '--ca-file', caFile, '--token-file', tokenFile]);
  }

  const left = async (): Promise<string[]> =>
    (await admin.list(nodeHardwareType)).items.map(({ metadata }) => metadata?.name ?? '').toSorted();

  /** What the leader has looked at and holds, as its health tells it. */
  async function heldBy({ health }: RunningRole): Promise<string | undefined> {
    const { checks } = await health.report('ready');
    return checks.find(({ name }) => name.includes('removals'))?.reason;
  }

  /** The replica that leads, which has looked, and the other one. */
  async function leaderAndStandby(): Promise<[RunningRole, RunningRole]> {
    return await vi.waitFor(async () => {
      const [a, b] = replicas;
      if (a === undefined || b === undefined) throw new Error('there are not two replicas');
      if ((await heldBy(a)) !== undefined) return [a, b];
      expect(await heldBy(b)).toBeDefined();
      return [b, a];
    }, patience);
  }

  /** What waits once these objects do, as any replica says. */
  async function waiting(names: readonly string[]): Promise<Removal> {
    const reader = await callerAt((await leaderAndStandby())[1], 'reader');
    return await vi.waitFor(async () => {
      const found = (await reader.listRemovals({})).removals.find(({ state }) => state === RemovalState.WAITING);
      expect(found?.names.toSorted()).toEqual(names.toSorted());
      return found as Removal;
    }, patience);
  }

  it('wait under the same id when the leader is replaced and when everything was restarted', { timeout: 120_000 }, async () => {
    const { id } = await waiting(gone);
    const [leader, standby] = await leaderAndStandby();
    expect(await heldBy(leader)).toContain(`quartermaster removals approve ${id}`);
    expect(await leader.metrics.scrape()).toMatchObject({
      text: expect.stringContaining('quartermaster_removals_waiting{role="inventory",fuse="hardware"} 8'),
    });
    await leader.stop();
    await expect.poll(() => heldBy(standby), patience).toContain(id);
    await standby.stop();
    replicas.splice(0, 2, await start(), await start());
    const [next] = await leaderAndStandby();
    expect(await heldBy(next)).toContain(id);
    expect((await waiting(gone)).id).toBe(id);
    expect(await left()).toEqual([...gone, ...wanted].toSorted());
  });

  it('are approved only as they were shown, and only by whoever may delete them', async () => {
    const shown = await waiting(gone);
    const [, standby] = await leaderAndStandby();
    await report(admin, 'late-0', hardwareOf('late-0'));
    const { id } = await waiting([...gone, 'late-0']);
    const approver = await callerAt(standby, 'approver');
    const reader = await callerAt(standby, 'reader');
    await expect(approver.approveRemoval({ id: shown.id })).rejects.toMatchObject({ code: 'failed_precondition' });
    await expect(reader.approveRemoval({ id })).rejects.toMatchObject({
      code: 'permission_denied',
      message: expect.stringContaining('the right to delete nodehardwares.quartermaster.dev'),
    });
    expect((await waiting([...gone, 'late-0'])).id).toBe(id);
    expect(await left()).toHaveLength(12);
  });

  it('are listed and approved by the command, and made by the leader when the standby was told, to the last object and no other', async () => {
    const { id, names } = await waiting([...gone, 'late-0']);
    const [leader, standby] = await leaderAndStandby();
    const listed = await removals([], standby, 'reader');
    expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
    expect(listed.stdout).toMatch(new RegExp(`^${id} +waiting +\\S+ +9 `, 'm'));
    expect(listed.stdout).toContain(`quartermaster removals approve ${id}`);
    const unasked = await removals(['approve', id], standby, 'approver');
    expect(unasked).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining('add --yes') });
    const approved = await removals(['approve', id, '--yes'], standby, 'approver');
    expect(approved).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining(`removal ${id}: approved; 9 `) });
    await expect.poll(async () => (await left()).filter((name) => names.includes(name)), patience).toEqual([]);
    await expect.poll(async () => (await removals(['--json'], leader, 'reader')).stdout, patience).toMatch(/"removals": \[\]/);
    expect(await left()).toEqual(wanted);
  });

  it('are all held while what waits is damaged, which health says, and go on when it is put right', async () => {
    const ref = { namespace: operatorNamespace, name: 'quartermaster-inventory-removals' };
    await admin.patch(kinds.configMaps, ref, { kind: 'merge', body: { data: { hardware: '{' } } });
    const [leader] = await leaderAndStandby();
    // What it said of the removals before may still stand until its next look.
    await expect
      .poll(() => heldBy(leader), patience)
      .toContain('hardware in ConfigMap quartermaster/quartermaster-inventory-removals is damaged');
    await report(admin, 'late-1', hardwareOf('late-1'));
    const failedLooks = (): number => leader.complaints.filter((line) => line.includes('could not be removed')).length;
    // Four looks make the time that facts are kept: by then late-1 is due, and more than once.
    const before = failedLooks();
    await expect.poll(failedLooks, patience).toBeGreaterThan(before + 10);
    expect(await left()).toEqual([...wanted, 'late-1']);
    await admin.delete(kinds.configMaps, ref);
    await expect.poll(left, patience).toEqual(wanted);
    await expect.poll(() => heldBy(leader), patience).toBeUndefined();
  });
});
