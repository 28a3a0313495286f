import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import { KubeClient, type KubeObject, kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { patience } from '../inventory/operator-cluster.ts';
import { type ControlPlane, startControlPlane } from '../kube/control-plane.ts';
import { type CommandResult, quartermaster } from '../up/running-up.ts';
import { applyStrictly } from './apply-deployment.ts';
import { clusterScenario } from './cluster-scenario.ts';
import { consoleScenario } from './console-scenario.ts';
import { deployedRoles } from './deployed-roles.ts';
import { discoveryScenario } from './discovery-scenario.ts';
import { inventoryScenario } from './inventory-scenario.ts';
import { type DeployedCluster, describeDeployment } from './role-deployment.ts';
import { serviceScenario } from './service-scenario.ts';
import { podOf, workloadsOf } from './workload-rules.ts';

const namespace = 'stock';
const image = 'registry.invalid/q:1';
const services = [serviceScenario('fulfillment'), serviceScenario('market')];
const scenarios = [inventoryScenario, clusterScenario, discoveryScenario, ...services, consoleScenario];

describe('what `quartermaster manifests` prints, on the real API server', () => {
  let controlPlane: ControlPlane;
  let admin: KubeClient;
  let printed: CommandResult;
  let objects: readonly KubeObject[];
  let unknown: readonly string[];

  beforeAll(async () => {
    const optional = [
      '--ceph-namespace=rook-ceph',
      ...['token-review-rbac', 'market-token-review-rbac', 'kubernetes-rbac', 'akash-provider'].flatMap((part) => ['--with', part]),
    ];
    [controlPlane, printed] = await Promise.all([
      startControlPlane({ scheduler: false, controllers: false, audit: 'Metadata' }),
      quartermaster(['manifests', '--namespace', namespace, '--image', image, ...optional]),
    ]);
    admin = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
    for (const name of ['rook-ceph', 'longhorn-system', 'akash-services']) await admin.create(kinds.namespaces, { metadata: { name } });
    objects = parseAllDocuments(printed.stdout).map((document) => document.toJS() as KubeObject);
    unknown = await applyStrictly(admin, objects);
    await vi.waitFor(() => admin.list(nodeHardwareType, { limit: 1 }), patience);
  });

  afterAll(async () => {
    await admin?.close();
    await controlPlane?.stop();
  });

  const cluster = (): DeployedCluster => ({ controlPlane, admin, namespace, objects });

  it('is every role, applied to the last object and field', async () => {
    expect(printed).toMatchObject({ exitCode: 0, stderr: '' });
    expect(unknown).toEqual([]);
    const workloads = workloadsOf(objects);
    expect(new Set(workloads.map(({ metadata }) => metadata?.name))).toEqual(new Set(scenarios.map(({ account }) => account)));
    expect(workloads).toHaveLength(scenarios.length);
    expect(workloads.flatMap((workload) => podOf(workload).containers.map((container) => container.image))).toEqual(
      workloads.map(() => image),
    );
    const { stdout } = await controlPlane.kubectl([
      'get',
      'deployment,service,daemonset,pdb,netpol',
      '--namespace',
      namespace,
      '--output=name',
    ]);
    expect(stdout.trim().split('\n').toSorted()).toEqual([
      'daemonset.apps/quartermaster-discovery',
      'deployment.apps/quartermaster-cluster',
      'deployment.apps/quartermaster-console',
      'deployment.apps/quartermaster-fulfillment',
      'deployment.apps/quartermaster-inventory',
      'deployment.apps/quartermaster-market',
      'networkpolicy.networking.k8s.io/quartermaster-cluster',
      'networkpolicy.networking.k8s.io/quartermaster-console',
      'networkpolicy.networking.k8s.io/quartermaster-discovery',
      'networkpolicy.networking.k8s.io/quartermaster-fulfillment',
      'networkpolicy.networking.k8s.io/quartermaster-gateway',
      'networkpolicy.networking.k8s.io/quartermaster-inventory',
      'networkpolicy.networking.k8s.io/quartermaster-inventory-akash',
      'networkpolicy.networking.k8s.io/quartermaster-market',
      'poddisruptionbudget.policy/quartermaster-cluster',
      'poddisruptionbudget.policy/quartermaster-console',
      'poddisruptionbudget.policy/quartermaster-fulfillment',
      'poddisruptionbudget.policy/quartermaster-inventory',
      'poddisruptionbudget.policy/quartermaster-market',
      'service/quartermaster-cluster',
      'service/quartermaster-console',
      'service/quartermaster-fulfillment',
      'service/quartermaster-gateway',
      'service/quartermaster-inventory',
      'service/quartermaster-inventory-akash',
      'service/quartermaster-market',
    ]);
  });

  it('has a scenario for each role that runs in a cluster', () => {
    expect(new Set(scenarios.map(({ role }) => role.name))).toEqual(new Set(Object.values(deployedRoles).map(({ role }) => role.name)));
  });

  for (const scenario of scenarios) describeDeployment(scenario, cluster);
});
