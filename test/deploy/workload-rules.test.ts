import { discoveryName, discoveryPort } from '@quartermaster/inventory/discovery';
import type { KubeObject } from '@quartermaster/kube';
import { readDeployment, readManifests } from '@quartermaster/service';
import { describe, expect, it } from 'vitest';
import { deploymentOf } from './apply-deployment.ts';
import { type DeployedRole, deployedRoles } from './deployed-roles.ts';
import { isRole } from './granted-rights.ts';
import { podOf, problemsOf, workloadsOf } from './workload-rules.ts';

const { fulfillment, discovery } = deployedRoles;

describe('the deployment of each role', () => {
  it.each<DeployedRole>(Object.values(deployedRoles))('$role.name has all that a workload must have', async ({ role, isPrivileged }) => {
    expect(problemsOf(await readDeployment(deploymentOf(role)), { isPrivileged })).toEqual([]);
  });

  it('puts agents where the operator looks for them', async () => {
    const [agents] = workloadsOf(await readDeployment(deploymentOf(discovery.role)));
    expect(agents?.spec?.template.metadata?.labels).toMatchObject({ 'app.kubernetes.io/name': discoveryName });
    expect(agents === undefined ? [] : podOf(agents).containers[0]?.ports).toEqual([{ name: 'discovery', containerPort: discoveryPort }]);
  });

  it.each([fulfillment, deployedRoles.market, deployedRoles.console])(
    'gives $role.name no right unless it is asked for',
    async ({ role }) => {
      expect((await readDeployment(deploymentOf(role))).filter(isRole)).toEqual([]);
    },
  );
});

describe('problemsOf', () => {
  it.each<[string, RegExp, string]>([
    ['its selector does not select its pods', /"selector":\{"matchLabels":\{[^}]*\}/, '"selector":{"matchLabels":{"a":"b"}'],
    ['its account is not among', /"serviceAccountName":"[^"]*"/, '"serviceAccountName":"default"'],
    ['mounts a token of its account, which has no rights', /"automountServiceAccountToken":false/, '"automountServiceAccountToken":true'],
    ['no network policy selects', /"podSelector":\{"matchLabels":\{[^}]*\}/, '"podSelector":{"matchLabels":{"a":"b"}'],
    ['its network policy opens grpc, and it serves grpc,rest', /,\{"port":"rest"\}/, ''],
    ['no disruption budget selects', /"PodDisruptionBudget"/, '"Other"'],
    ['fewer than two replicas', /"replicas":2/, '"replicas":1'],
    ['has no livenessProbe', /"livenessProbe"/, '"other"'],
    ['has no readinessProbe', /"readinessProbe"/, '"other"'],
    ['startupProbe asks for port 8001', /"path":"\/readyz","port":"rest"/, '"path":"/readyz","port":8001'],
    ['requests no CPU or memory', /"requests"/, '"other"'],
    ['has no limit of memory', /"limits"/, '"other"'],
    ['may write to its root', /"readOnlyRootFilesystem":true/, '"readOnlyRootFilesystem":false'],
    ['which is not replaced', /"image":"quartermaster"/, '"image":"quartermaster:1"'],
    ['may run as root', /"runAsNonRoot":true/, '"runAsNonRoot":false'],
    ['has no seccomp profile', /"RuntimeDefault"/, '"Unconfined"'],
    ['keeps capabilities', /"drop":\["ALL"\]/, '"drop":["SYS_ADMIN"]'],
    ['reaches into its node', /"terminationGracePeriodSeconds"/, '"hostNetwork":true,"terminationGracePeriodSeconds"'],
    ['Service quartermaster-fulfillment: selects 0 workloads', /"kind":"Deployment"/, '"kind":"Other"'],
    ['there is no workload', /"kind":"Deployment"/, '"kind":"Other"'],
    ['port rest leads to https', /"targetPort":"rest"/, '"targetPort":"https"'],
  ])('finds that %s', async (problem, pattern, replacement) => {
    const text = JSON.stringify(await readDeployment(deploymentOf(fulfillment.role)));
    const spoiled = text.replace(pattern, replacement);
    expect(spoiled).not.toBe(text);
    expect(problemsOf(JSON.parse(spoiled) as KubeObject[])).toEqual(expect.arrayContaining([expect.stringContaining(problem)]));
  });

  it('finds that rights are of no use without a token', async () => {
    const deployment = deploymentOf(fulfillment.role);
    const [, ...roles] = await readManifests(deployment.folder, deployment.optional ?? []);
    const problems = problemsOf([...(await readDeployment(deployment)), ...roles]);
    expect(problems).toEqual([expect.stringContaining('mounts no token of its account, which has rights')]);
  });

  it('lets only those that are privileged reach into their node', async () => {
    const problems = problemsOf(await readDeployment(deploymentOf(discovery.role)));
    expect(problems).toEqual(expect.arrayContaining([expect.stringContaining('reaches into its node')]));
  });
});
