import { contractsFolder } from '@quartermaster/api/manifests';
import { type TenantLease, tenantLeaseType } from '@quartermaster/api/tenant-lease';
import { clusterRole } from '@quartermaster/cluster/roles';
import { messageOf } from '@quartermaster/kernel';
import { failureOf, type KubeClient, kinds } from '@quartermaster/kube';
import { readManifests } from '@quartermaster/service';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { failureKind, patience, refusedFields } from '../contract/client-fixtures.ts';
import { connect, Workbench } from '../contract/client-kubeconfigs.ts';
import { startRealServer } from '../contract/real-server.ts';
import { startSimulatedServer } from '../contract/simulated-server.ts';
import { withServer } from '../contract/with-server.ts';
import { applyStrictly, deploymentOf } from '../deploy/apply-deployment.ts';
import { tokenOf } from '../deploy/role-deployment.ts';

const namespace = 'quartermaster';
const account = 'quartermaster-cluster';
const level = 'pod-security.kubernetes.io/enforce';
const lease = { owner: 'amy', dseq: '7', gseq: 1, oseq: 1, provider: 'farm' };

/** What whoever has the token of the cluster service can do with it. */
describe.each([
  ['simulated', startSimulatedServer],
  ['real', startRealServer],
])('the account of the cluster service on the %s API server', (_, start) => {
  const server = withServer(start);

  beforeAll(async () => {
    const { client } = server();
    await client.create(kinds.namespaces, { metadata: { name: namespace } });
    await applyStrictly(client, await readManifests(contractsFolder, ['tenant-lease']));
    await applyStrictly(client, await readManifests(deploymentOf(clusterRole).folder, ['rbac', 'market-rbac', 'market-policy']));
    await vi.waitFor(() => client.list(tenantLeaseType, { limit: 1 }), patience);
  });

  async function service(): Promise<KubeClient> {
    const token = await tokenOf({ admin: server().client, namespace }, account);
    const client = await connect({ kubeconfig: await (await Workbench.open(server())).kubeconfig({ token }) });
    // A policy is in force a moment after it is there.
    await vi.waitFor(async () => expect(await failureKind(make(client, 'other', 'baseline'))).toBe('forbidden'), patience);
    return client;
  }

  const make = (client: KubeClient, name: string, enforced: string | undefined): Promise<unknown> =>
    client.create(kinds.namespaces, { metadata: { name, ...(enforced !== undefined && { labels: { [level]: enforced } }) } });

  it('makes namespaces of leases with Pod Security alone, and takes it from none', async () => {
    const client = await service();
    for (const enforced of [undefined, 'privileged'])
      expect(await make(client, 'lease-loose', enforced).catch(failureOf)).toMatchObject({ kind: 'forbidden' });
    await make(client, 'lease-firm', 'baseline');
    await make(client, 'lease-firmer', 'restricted');
    const relabelled = async (label: string | null): Promise<string> =>
      await client
        .patch(kinds.namespaces, { name: 'lease-firm' }, { kind: 'merge', body: { metadata: { labels: { [level]: label } } } })
        .then(() => 'accepted', messageOf);
    expect(await relabelled('privileged')).toContain(
      'the cluster service may not write the namespace "lease-firm" with Pod Security "privileged": pod-security.kubernetes.io/enforce must be baseline or restricted',
    );
    expect(await relabelled(null)).toContain('with Pod Security ""');
    expect(await relabelled('restricted')).toBe('accepted');
    await client.delete(kinds.namespaces, { name: 'lease-firm' });
    expect(await server().client.find(kinds.namespaces, { name: 'lease-loose' })).toBeUndefined();
  });

  it('keeps records of the leases that they were made for: not even an administrator gives them another', async () => {
    const { client } = server();
    const made: TenantLease = await client.create(tenantLeaseType, {
      metadata: { name: 'amy-7-1-1' },
      spec: { lease, namespace: 'lease-amy-7-1-1' },
    });
    const change = (spec: Partial<TenantLease['spec']>) => client.replace(tenantLeaseType, { ...made, spec: { ...made.spec, ...spec } });
    expect(await refusedFields(change({ namespace: 'kube-system' }))).toEqual(['spec']);
    expect(await refusedFields(change({ lease: { ...lease, owner: 'bob' } }))).toEqual(['spec']);
    const told = { metadata: {}, status: { state: 'Active' } };
    await client.patch(tenantLeaseType, { name: 'amy-7-1-1' }, { kind: 'merge', body: told }, { subresource: 'status' });
  });
});
