import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@quartermaster/kernel';
import { KubeClient, type KubeObject, kinds } from '@quartermaster/kube';
import { readDeployment } from '@quartermaster/service';
import { startSimulatedServer } from '@quartermaster/simulator';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { patience } from '../inventory/operator-cluster.ts';
import type { ControlPlane } from '../kube/control-plane.ts';
import { applyDeployment, deploymentOf } from './apply-deployment.ts';
import { type DeployedProcess, type PodSurroundings, startDeployed } from './deployed-process.ts';
import type { DeployedRole } from './deployed-roles.ts';
import { askedBy, isRole, isUsed, type Right, rightsOf } from './granted-rights.ts';
import { podOf, workloadsOf } from './workload-rules.ts';

interface TokenRequest extends KubeObject {
  readonly spec: { readonly boundObjectRef?: BoundObject | undefined; readonly audiences?: readonly string[] | undefined };
  readonly status?: { readonly token: string };
}

interface BoundObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly name: string;
  readonly uid: string;
}

/** A real API server to which the manifests of all roles were applied, with an audit log. */
export interface DeployedCluster {
  readonly controlPlane: ControlPlane;
  readonly admin: KubeClient;
  readonly namespace: string;
  /** What `quartermaster manifests` printed. */
  readonly objects: readonly KubeObject[];
}

/** A role that runs as its container does. */
export interface RunningDeployment extends DeployedCluster {
  readonly process: DeployedProcess;
}

export interface RoleScenario extends DeployedRole {
  /** Name of its service account, and the beginning of the names of its roles. */
  readonly account: string;
  /** At least so many are granted: fewer would mean that the roles were not found. */
  readonly minRights: number;
  /** Rights that the API server asks for while it answers something else, and writes into no log; `limits` proves that they are needed. */
  readonly unlogged?: readonly Pick<Right, 'resource' | 'verb'>[] | undefined;
  /** Brings what the pod finds around it, in a folder that is removed afterwards. */
  surround(cluster: DeployedCluster, directory: string): Promise<PodSurroundings & { readonly end?: (() => unknown) | undefined }>;
  /** Declares tests in which it uses every right. */
  uses(running: () => RunningDeployment): void;
  /** Declares tests of what its account may not do. */
  limits?(cluster: () => DeployedCluster): void;
}

/** What has to be true of the deployment of every role. */
export function describeDeployment(scenario: RoleScenario, cluster: () => DeployedCluster): void {
  const { role, isPrivileged, account } = scenario;

  describe(`the deployment of ${role.name}`, () => {
    let directory: string;
    let process: DeployedProcess;
    let end: (() => unknown) | undefined;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'deployment-'));
      const { objects } = cluster();
      const workload = workloadsOf(objects).find(({ metadata }) => metadata?.name === account);
      const [container] = workload === undefined ? [] : podOf(workload).containers;
      if (container === undefined) throw new Error(`the manifests have no workload ${account}`);
      const surroundings = await scenario.surround(cluster(), directory);
      ({ end } = surroundings);
      process = await startDeployed(container, surroundings);
    });

    afterAll(async () => {
      await process?.stop();
      await end?.();
      await rm(directory, { recursive: true, force: true });
    });

    it('is accepted to the last field by the simulated API server, too', async () => {
      const server = await startSimulatedServer();
      onTestFinished(() => server.stop());
      const kubeconfig = join(directory, 'simulated.kubeconfig');
      await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 });
      const client = await KubeClient.connect({ kubeconfig });
      onTestFinished(() => client.close());
      for (const name of ['quartermaster', 'rook-ceph', 'akash-services']) await client.create(kinds.namespaces, { metadata: { name } });
      expect(await applyDeployment(client, role)).toEqual([]);
    });

    it(`has pods that a namespace ${isPrivileged ? 'must be privileged for' : 'may confine as the standard "restricted" says'}`, async () => {
      const { admin, namespace } = cluster();
      const confined = `confined-${role.name}`;
      const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
      await admin.create(kinds.namespaces, { metadata: { name: confined, labels } });
      await admin.create(kinds.serviceAccounts, { metadata: { namespace: confined, name: account } });
      for (const workload of workloadsOf(await readDeployment(deploymentOf(role)))) {
        const make = (where: string) =>
          admin.create(kinds.pods, { metadata: { namespace: where, name: 'tried' }, spec: podOf(workload) }, { dryRun: true });
        const outcome = (where: string) => make(where).then(() => 'accepted', messageOf);
        expect(await outcome(namespace)).toBe('accepted');
        expect(await outcome(confined)).toMatch(isPrivileged ? /violates PodSecurity "restricted/ : /^accepted$/);
      }
    });

    it('runs as the process of its container, in which every probe finds it ready', async () => {
      await expect.poll(async () => [...new Set(await process.probe())], patience).toEqual([200]);
    });

    scenario.uses(() => ({ ...cluster(), process }));

    it('was refused nothing, and leaves no right unused', async () => {
      const { controlPlane, namespace, objects } = cluster();
      const granted = objects
        .filter(isRole)
        .filter(({ metadata }) => metadata?.name?.startsWith(account))
        .flatMap(rightsOf);
      expect(granted.length).toBeGreaterThanOrEqual(scenario.minRights);
      const isLogged = (right: Right): boolean =>
        scenario.unlogged?.some(({ resource, verb }) => resource === right.resource && verb === right.verb) !== true;
      const asked = () => askedBy(controlPlane.auditLog ?? '', `system:serviceaccount:${namespace}:${account}`);
      await vi.waitFor(async () => {
        const all = await asked();
        expect(granted.filter(isLogged).filter((right) => !isUsed(right, all))).toEqual([]);
      }, patience);
      expect(isUsed({ group: '', resource: 'nodes', verb: 'delete', namespace: undefined, name: undefined }, await asked())).toBe(false);
      expect((await asked()).filter(({ code }) => code === 403 || code === 401)).toEqual([]);
    });

    it('ends when it is told to', async () => {
      expect(await process.stop()).toBe(0);
    });

    scenario.limits?.(cluster);
  });
}

/** With a token of an account, as a pod has it; bound to a pod where one is given. */
export async function kubeconfigOf({ controlPlane, ...cluster }: DeployedCluster, account: string, pod?: BoundObject): Promise<string> {
  return await controlPlane.writeKubeconfig({ user: { token: await tokenOf(cluster, account, { boundObjectRef: pod }) } });
}

export async function tokenOf(
  { admin, namespace }: Pick<DeployedCluster, 'admin' | 'namespace'>,
  name: string,
  spec: TokenRequest['spec'] = {},
): Promise<string> {
  const request: TokenRequest = { spec };
  return (await admin.createSubresource(kinds.serviceAccounts, { namespace, name }, 'token', request)).status?.token ?? '';
}

/** Writes a serving certificate for 127.0.0.1 to `tls.crt` and `tls.key`, as a Secret of the type kubernetes.io/tls has it. */
export async function writeServingCertificate({ controlPlane }: DeployedCluster, directory: string): Promise<void> {
  const { certificate, key } = await controlPlane.certificateAuthority.issueServer({ commonName: 'role', hosts: ['127.0.0.1'] });
  await writeFile(join(directory, 'tls.crt'), certificate);
  await writeFile(join(directory, 'tls.key'), key);
}
