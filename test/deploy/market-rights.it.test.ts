import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { IpPoolService } from '@quartermaster/api/ip';
import { providerHostType } from '@quartermaster/api/provider-host';
import { providerLeasedIPType } from '@quartermaster/api/provider-leased-ip';
import { tenantLeaseType } from '@quartermaster/api/tenant-lease';
import { tenantShellType } from '@quartermaster/api/tenant-shell';
import { clusterRole } from '@quartermaster/cluster/roles';
import { messageOf } from '@quartermaster/kernel';
import { failureOf, KubeClient, type KubeObject, kinds, type ResourceType } from '@quartermaster/kube';
import { serve, startRpcServer } from '@quartermaster/rpc';
import { readManifests } from '@quartermaster/service';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openShell } from '../gateway/open-shell.ts';
import { publishDevices } from '../inventory/claimed-devices.ts';
import { collectLeftovers } from '../leases/collect-leftovers.ts';
import { leaseSdl } from '../leases/lease-sdl.ts';
import { type LeasedCluster, nodeSpec, startRealLeasedCluster } from '../leases/leased-cluster.ts';
import { type Deployed, manifestNamespace, RunningLeases } from '../leases/running-leases.ts';
import { createKubeletIdentity } from '../simulator/kubelet-identity.ts';
import { deploymentOf } from './apply-deployment.ts';
import { type AskedFor, isRole, isUsed, type Right, rightsOf } from './granted-rights.ts';
import { refusedWrites, secretOfOthers } from './market-refusals.ts';
import { cardSdl, richSdl } from './market-sdl.ts';

const nodes = [nodeSpec('n-1', 1), nodeSpec('n-2', 2)];
/** Sweeps and looks at the market come so many times as often. */
const pace = 5;
const timeout = 180_000;
const waiting = { timeout: 120_000, interval: 100 };
const shop = 'shop.example.org';

const each = (verbs: readonly string[], resources: readonly string[]): readonly string[] =>
  resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`));
/** Rights that are needed, and that the log of the life below does not show. */
const elsewhere = new Set([
  // These are applied: the API server asks itself whether the applier may create, and logs the patch alone.
  ...each(
    ['create'],
    [
      ...['serviceaccounts', 'resourcequotas', 'services', 'deployments', 'statefulsets', 'networkpolicies', 'resourceclaimtemplates'],
      ...['roles', 'rolebindings', 'providerhosts', 'providerleasedips'],
    ],
  ),
  // Asked for by the API server itself, of those who get a WebSocket.
  ...each(['create'], ['pods/exec']),
  // What services of leases may be granted. Nobody can grant what they do not have, which the API server asks itself, too.
  ...each(['get'], ['pods', 'pods/log', 'deployments', 'statefulsets']),
  ...each(['get', 'list', 'watch'], ['events']),
  // Read again where somebody else wrote between a look and a write.
  ...each(['get'], ['biddecisions', 'tenantleases', 'hostnameclaims']),
  // No address moves to another lease in this life.
  ...each(['get', 'create', 'update', 'delete'], ['addressclaims']),
  // Kept for bid-decision-retention, which is a minute at least.
  'delete biddecisions',
  // Each lease has one for as long as it lives; one of another name that an earlier release applied is removed.
  'delete resourcequotas',
]);

/** The account of the cluster service on the real API server, with the rights and the policy of its deployment beside a market, while leases come, change and go. */
describe('the rights that leases take', { timeout }, () => {
  let cluster: LeasedCluster;
  let site: RunningLeases;
  let service: KubeClient;
  let rights: readonly Right[];
  let leases: { amy: Deployed; gus: Deployed; ann: readonly [Deployed, Deployed] };

  beforeAll(async () => {
    const far = timestampFromMs(Date.now() + 86_400_000);
    const pool = { total: 10n, inUse: 0n, reserved: 0n, free: 10n, observedAt: far, leases: [] };
    const addresses = await startRpcServer({ services: [serve(IpPoolService, { getPool: () => ({ pool }) })] });
    const kubelets = await createKubeletIdentity();
    cluster = await startRealLeasedCluster(nodes, { kubelets });
    await admin().create(kinds.runtimeClasses, { metadata: { name: 'nvidia' }, handler: 'nvidia' });
    for (const { name } of nodes) await publishDevices(admin(), name, ['card-0']);
    const args = ['--bid-price-gpu-scale=nvidia/*=1', '--lease-retention=1s', '--hostname-cool-down=0s'];
    site = await RunningLeases.start(cluster, { pace, args: [`--cluster-ip-operator-address=${addresses.address}`, ...args] });
    service = await KubeClient.connect({ kubeconfig: cluster.serviceKubeconfig });
    const objects: readonly KubeObject[] = await readManifests(deploymentOf(clusterRole).folder, ['market-rbac']);
    rights = objects.filter(isRole).flatMap(rightsOf);
    return async () => {
      await addresses.stop(0);
      await kubelets.remove();
    };
  }, timeout);

  afterAll(async () => {
    await service?.close();
    await site?.stop();
  });

  const admin = () => cluster.client;
  const asked = async (): Promise<readonly AskedFor[]> => (await cluster.serviceRequests?.()) ?? [];
  const names = async (type: ResourceType, { namespace }: Pick<Deployed, 'namespace'>): Promise<readonly (string | undefined)[]> =>
    (await admin().list(type, { namespace })).items.map(({ metadata }) => metadata?.name);
  const isGone = async (type: ResourceType, name: string): Promise<void> =>
    await expect.poll(() => admin().find(type, { name }), waiting).toBeUndefined();
  const phases = async (deployed: Deployed) => (await site.pods(deployed)).map(({ status }) => status?.phase);
  /** The node that its one pod was sent to. */
  const sentTo = async (deployed: Deployed): Promise<string> => {
    const [pod] = await site.pods(deployed);
    const [term] = pod?.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
    return term?.matchFields?.[0]?.values?.[0] ?? '';
  };
  const cordon = (name: string, unschedulable: true | null) =>
    admin().patch(kinds.nodes, { name }, { kind: 'merge', body: { spec: { unschedulable } } });

  it('are enough for objects of every kind: volumes, secrets, credentials, permissions, ports, addresses, cards and hostnames', async () => {
    const permissions = ['logs', 'deployment'];
    const shopSdl = leaseSdl({ web: { hosts: [shop] } });
    const [amy, gus, first] = await Promise.all([
      site.deploy('amy', richSdl({ web: 'web', db: 'db', host: 'amy.example.org', permissions })),
      site.deploy('gus', cardSdl('train')),
      site.deploy('ann', shopSdl),
    ]);
    await expect.poll(() => phases(first), waiting).toEqual(['Running']);
    const second = await site.deploy('ann', shopSdl);
    leases = { amy, gus, ann: [first, second] };
    await expect.poll(() => phases(amy), waiting).toEqual(['Running', 'Running']);
    await expect.poll(() => phases(second), waiting).toEqual(['Running']);
    await expect.poll(() => names(kinds.secrets, amy), waiting).toEqual(expect.arrayContaining(['web-env', 'docker-creds-web']));
    await expect.poll(() => names(kinds.persistentVolumeClaims, amy), waiting).toEqual(['db-data-db-0']);
    await expect.poll(() => names(kinds.roleBindings, amy), waiting).toEqual(['web']);
    await expect.poll(() => names(providerLeasedIPType, { namespace: manifestNamespace }), waiting).toHaveLength(1);
    await expect.poll(() => names(kinds.resourceClaimTemplates, gus), waiting).toHaveLength(1);
    await expect.poll(async () => (await site.pods(gus)).map(({ spec }) => spec?.runtimeClassName), waiting).toEqual(['nvidia']);
  });

  it('are enough to give a pod another node, and a hostname to another lease', async () => {
    const { gus, ann } = leases;
    await expect.poll(() => sentTo(gus), waiting).toMatch(/^n-/);
    const from = await sentTo(gus);
    // No driver hands out its card, so that the pod waits where it was sent; that node is held back now.
    await cordon(from, true);
    await vi.waitFor(() => site.leases().transferHostname({ order: ann[1].order, hostname: shop, service: 'web' }), waiting);
    await expect.poll(() => sentTo(gus), waiting).toBe(nodes.find(({ name }) => name !== from)?.name);
    await cordon(from, null);
    // Ends are counted in a ConfigMap: the first makes it, those that follow change it.
    await site.close(ann[0]);
  });

  it('are enough to open a shell, and to record it', async () => {
    const { amy } = leases;
    const shell = await openShell(site.market, amy, { command: ['sh', '-c', 'echo hello; exit 3'] });
    expect(await shell.ended).toEqual({ code: 1000, reason: '' });
    expect([shell.output('stdout'), shell.output('result')]).toEqual(['hello\n', '{"exit_code":3}']);
    const outcomes = async () => (await admin().list(tenantShellType)).items.map(({ spec, status }) => [spec.pod, status?.outcome]);
    await expect.poll(outcomes, waiting).toEqual([[expect.stringMatching(/^web-/), '3']]);
  });

  it('are enough to change a lease, and to remove its services and volumes', async () => {
    const { gus } = leases;
    const changed = { web: 'www', db: 'data', host: 'amy.example.net', password: 'canary-2' };
    const amy = await site.update(leases.amy, richSdl(changed), ['db/data']);
    await site.update(gus, cardSdl('learn'));
    await expect.poll(() => names(kinds.persistentVolumeClaims, amy), waiting).toEqual(['data-data-data-0']);
    await expect.poll(() => phases(amy), waiting).toEqual(['Running', 'Running']);
    await expect.poll(() => names(kinds.secrets, amy), waiting).toEqual(expect.not.arrayContaining(['web-env']));
    await expect.poll(() => names(kinds.roles, amy), waiting).toEqual([]);
    await expect.poll(() => names(kinds.deployments, gus), waiting).toEqual(['learn']);
  });

  it('are enough to end leases, to forget them, and to collect what is found of them later', async () => {
    const { amy, gus, ann } = leases;
    const [, last] = ann;
    const host = await admin().get(providerHostType, { namespace: manifestNamespace, name: shop });
    const place = await admin().get(kinds.namespaces, { name: last.namespace });
    await Promise.all([amy, gus, last].map((deployed) => site.close(deployed)));
    for (const { name, namespace } of [amy, gus, ...ann]) {
      await isGone(kinds.namespaces, namespace);
      await isGone(tenantLeaseType, name);
    }
    await expect.poll(async () => (await admin().list(tenantShellType)).items, waiting).toEqual([]);
    // As a lease leaves them of which nobody recorded anything. But a namespace is known by its own uid, and this is another one.
    const again = <T extends KubeObject>({ metadata: { name, namespace, labels, annotations } = {}, ...rest }: T) =>
      ({ ...rest, metadata: { name, namespace, labels, annotations } }) as T;
    await admin().create(kinds.namespaces, again(place));
    await admin().create(providerHostType, again(host));
    // What cannot be told yet whether it may go, or does not go at once, is listed again with the next look.
    const collected = new Set<string>();
    await vi.waitFor(async () => {
      for (const { object, fate, reason } of await collectLeftovers(site, { dryRun: false }))
        if (fate === 'removed' || reason === 'NotOurs') collected.add(`${fate} ${object}`);
      expect([...collected].toSorted()).toEqual([`kept Namespace ${last.namespace}`, `removed ProviderHost lease/${shop}`]);
    }, waiting);
  });

  it('were refused nothing, and none is there that nothing takes', async () => {
    expect(rights.length).toBeGreaterThan(80);
    const textOf = ({ verb, resource }: Right): string => `${verb} ${resource}`;
    // What ends leave to do is done after they are gone: ends are counted, sweeps look once more.
    await vi.waitFor(async () => {
      const all = await asked();
      expect(rights.filter((right) => !isUsed(right, all) && !elsewhere.has(textOf(right)))).toEqual([]);
    }, waiting);
    expect([...elsewhere].filter((text) => !rights.map(textOf).includes(text))).toEqual([]);
    const refused = (await asked()).filter(({ code }) => code === 403 || code === 401);
    // A quota is what was reserved, so that the new Service of a leased address has to wait until the old one is gone: no right would change that.
    expect(refused.filter(({ message }) => !message.includes('exceeded quota: akash-reservation'))).toEqual([]);
  });

  it('write nothing outside of leases, and nothing in them that reaches out of them: the policy refuses what RBAC cannot tell apart', async () => {
    const data = { token: Buffer.from('canary').toString('base64') };
    await admin().create(kinds.secrets, { metadata: secretOfOthers, data });
    for (const [refused, attempt] of refusedWrites(service, admin(), manifestNamespace))
      expect(await attempt().then(() => 'accepted', messageOf)).toContain(`the cluster service may not write ${refused}`);
    expect((await admin().get(kinds.secrets, secretOfOthers)).data).toEqual(data);
  });

  it('read the Secrets of manifests, and no others', async () => {
    await expect(service.list(kinds.secrets, { namespace: manifestNamespace })).resolves.toBeDefined();
    for (const namespace of ['kube-system', 'lease-tried', undefined])
      expect(await service.list(kinds.secrets, { namespace }).catch(failureOf)).toMatchObject({ kind: 'forbidden' });
  });
});
