import { hostnameClaimType } from '@quartermaster/api/hostname-claim';
import { manifestType } from '@quartermaster/api/manifest';
import { providerHostType } from '@quartermaster/api/provider-host';
import { reservationType } from '@quartermaster/api/reservation';
import { tenantLeaseType } from '@quartermaster/api/tenant-lease';
import { bytes, millicores } from '@quartermaster/kernel';
import { type KubeObject, kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { patience } from '../inventory/operator-cluster.ts';
import { times } from '../support/soak.ts';
import { untilAtRest, writtenFor } from './at-rest.ts';
import { collectLeftovers } from './collect-leftovers.ts';
import { describeIsolation } from './isolation.ts';
import { leaseSdl } from './lease-sdl.ts';
import { type LeasedCluster, nodeSpec, startRealLeasedCluster, startSimulatedLeasedCluster } from './leased-cluster.ts';
import { pass } from './outage-sight.ts';
import { type Deployed, manifestNamespace, namesOf, namespaceLabel, nodesOf, provider, RunningLeases, uidsOf } from './running-leases.ts';
import { writtenOf } from './written-objects.ts';

/** Kept for pods of tenants, as nodes with cards often are. */
const taints = [{ key: 'nvidia.com/gpu', effect: 'NoSchedule' }];
const nodes = [
  nodeSpec('n-1', 1),
  nodeSpec('n-2', 2),
  { ...nodeSpec('n-small', 3, 'small'), taints },
  { ...nodeSpec('n-big', 4, 'big'), taints },
];
const pace = 5;
/** Nobody's, and not blocked anyway. */
const blocked = '198.51.100.0/24';
const conditionOf = (status: string) => ({ status: { conditions: [{ type: 'ReadonlyFilesystem', status, reason: 'Tried' }] } });
/** Of the provider’s time. In soak every controller passes over everything within it. */
const roundMs = times(10_000, 65_000);
const manyLeases = times(10, 100);
/** Everything runs on one small machine, beside other tests. */
const timeout = 120_000;

interface LifeOptions {
  readonly isReal: boolean;
  /** Everything, or what has to be seen on every control plane in every run. */
  readonly isWhole: boolean;
}

/** Leases from their SDL to their end, on a cluster in which pods run. Each test has owners of its own, and leaves the nodes as they were. */
function describeLifeOfLeases(start: (specs: typeof nodes) => Promise<LeasedCluster>, { isReal, isWhole }: LifeOptions): void {
  describe(`leases on the ${isReal ? 'real' : 'simulated'} control plane`, { timeout }, () => {
    let site: RunningLeases;

    beforeAll(async () => {
      site = await RunningLeases.start(await start(nodes), { pace, args: [`--deployment-blocked-networks=${blocked}`] });
    });

    afterAll(() => site?.stop());

    const client = () => site.cluster.client;
    const available = async () => {
      const { cpu, memory, ephemeralStorage } = (await site.reservations().getStatus({})).availability ?? {};
      return [cpu?.available, memory?.available, ephemeralStorage?.available];
    };
    /** All that nodes have is available: each is heard of, and nothing is kept for anybody. A node that is new or back takes a while. */
    async function untilAllIsFree(): Promise<readonly unknown[]> {
      const { items } = await client().list(kinds.nodes);
      const sum = (resource: string, read: typeof bytes): bigint =>
        items.reduce((total, { status }) => total + BigInt(read(String(status?.allocatable?.[resource]))), 0n);
      const all = [sum('cpu', millicores), sum('memory', bytes), sum('ephemeral-storage', bytes)];
      await expect.poll(available, patience).toEqual(all);
      return all;
    }
    const planOf = async ({ name }: Deployed): Promise<readonly string[]> => {
      const { spec } = await client().get(reservationType, { name });
      return spec.plan.units.flatMap(({ replicas }) => replicas.map(({ node }) => node)).sort();
    };
    const claimsOf = async ({ name, owner }: Deployed) => {
      const { items } = await client().list(hostnameClaimType);
      const own = items.filter(({ spec }) => spec.owner === owner || spec.lease === name);
      return own.map(({ spec: { state, lease } }) => ({ state, lease }));
    };
    /** Closes, and waits until its part of the cluster is given back. */
    async function end(...deployed: readonly Deployed[]): Promise<void> {
      await Promise.all(deployed.map((each) => site.close(each)));
      for (const each of deployed) {
        await site.untilComplete(each, timeout);
        await vi.waitUntil(async () => (await client().find(reservationType, { name: each.name })) === undefined, patience);
      }
    }

    /** Where nobody needs the room, they end with the cluster. */
    const leave = async (...deployed: readonly Deployed[]): Promise<void> => (isWhole ? await end(...deployed) : undefined);

    it('go from an SDL over order, bid, lease and manifest to running, change, and leave nothing behind but what is told of them', async () => {
      const before = await untilAllIsFree();
      const deployed = await site.run('amy', leaseSdl({ web: { image: 'nginx:1', env: ['MODE=one'], hosts: ['amy.example.org'] } }));
      // At this pace a busy cluster is not seen for moments.
      await expect
        .poll(async () => (await site.leases().getLease({ order: deployed.order })).lease, patience)
        .toMatchObject({
          namespace: deployed.namespace,
          provider,
          marketState: 'active',
          services: [{ name: 'web', image: 'nginx:1', count: 1, ready: 1 }],
        });
      expect(await available()).not.toEqual(before);
      expect((await client().list(providerHostType, { namespace: manifestNamespace })).items.map(({ spec }) => spec?.hostname)).toEqual(
        expect.arrayContaining([expect.stringMatching(/^[a-v0-9]{26}\.farm\.example$/), 'amy.example.org']),
      );
      expect(await claimsOf(deployed)).toEqual([
        { state: 'Held', lease: deployed.name },
        { state: 'Held', lease: deployed.name },
      ]);
      const updated = await site.update(deployed, leaseSdl({ web: { image: 'nginx:2', env: ['MODE=two'] } }));
      await site.untilRunning(updated);
      expect((await site.pods(updated)).map(({ spec }) => spec?.containers[0]?.image)).toEqual(['nginx:2']);
      const config = await client().get(kinds.configMaps, { namespace: deployed.namespace, name: 'web-env' });
      expect(config.data).toEqual({ MODE: 'two' });
      // The name that the new manifest does not have is nobody's route, and for a while nobody else's name.
      expect(await client().find(providerHostType, { namespace: manifestNamespace, name: 'amy.example.org' })).toBeUndefined();
      await end(updated);
      const left = namesOf(await site.objectsOf(updated)).filter((name) => !name.startsWith('HostnameClaim'));
      expect(left).toEqual([`BidDecision ${deployed.name}`, `TenantLease ${deployed.name}`]);
      // What the provider gave is nobody's any more; what the tenant brought stays its own for a while.
      expect((await claimsOf(deployed)).map(({ state }) => state)).toEqual(['Released']);
      await expect.poll(available, patience).toEqual(before);
      expect(await site.statusOf(deployed)).toMatchObject({ state: 'Complete', reason: 'Closed', completeAt: expect.any(String) });
    });

    it('have each pod on the node of its plan, where the scheduler by itself would take another lease’s place', async () => {
      // What the scheduler likes best for the first is all that there is for the second.
      const resources = { requests: { cpu: '30', memory: '64Mi' } };
      const tried = { namespace: 'default', name: 'tried' };
      const spec = { containers: [{ name: 'main', image: 'plain', resources }], tolerations: [{ operator: 'Exists' }] };
      await client().create(kinds.pods, { metadata: tried, spec });
      await expect.poll(async () => (await client().get(kinds.pods, tried)).spec?.nodeName, patience).toBe('n-big');
      await client().delete(kinds.pods, tried, { gracePeriodSeconds: 0 });
      await expect.poll(() => client().find(kinds.pods, tried), patience).toBeUndefined();
      // Whoever plans has to have heard of that.
      await untilAllIsFree();
      const [small, big] = await Promise.all([
        site.run('eve', leaseSdl({ web: { cpu: 30 } })),
        site.run('fay', leaseSdl({ web: { cpu: 190 } })),
      ]);
      expect([nodesOf(await site.pods(small)), nodesOf(await site.pods(big))]).toEqual([['n-small'], ['n-big']]);
      expect([await planOf(small), await planOf(big)]).toEqual([['n-small'], ['n-big']]);
      await leave(small, big);
    });

    if (isReal) describeIsolation(() => site, leave);

    // The real control plane takes minutes for what the simulated one does in one.
    it('get a corrected image where a volume outlives the pod that could not start', async () => {
      const deployed = await site.deploy('sue', leaseSdl({ db: { image: 'nowhere.invalid/db:1', data: '1Gi', count: 2 } }));
      const waiting = async () => (await site.pods(deployed)).map(({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason);
      await expect.poll(waiting, patience).toEqual(Array(2).fill(expect.stringMatching(/^(ErrImagePull|ImagePullBackOff)$/)));
      const corrected = await site.update(deployed, leaseSdl({ db: { image: 'postgres:18', data: '1Gi', count: 2 } }));
      await site.untilRunning(corrected);
      expect((await site.pods(corrected)).map(({ spec }) => spec?.containers[0]?.image)).toEqual(['postgres:18', 'postgres:18']);
      await leave(corrected);
    });

    it('get the replica of a machine that died elsewhere, although its node and its pod never go', async () => {
      const deployed = await site.run('kim', leaseSdl({ web: {} }));
      const [lost] = await site.pods(deployed);
      const from = lost?.spec?.nodeName ?? '';
      const { status } = await client().get(kinds.nodes, { name: from });
      site.cluster.nodes.loseNode(from);
      // What the cluster itself does after some minutes.
      const conditions = status?.conditions?.map((condition) => ({ ...condition, status: 'Unknown' }));
      await client().patch(kinds.nodes, { name: from }, { kind: 'merge', body: { status: { conditions } } }, { subresource: 'status' });
      await client().delete(kinds.pods, { namespace: deployed.namespace, name: lost?.metadata?.name ?? '' });
      await expect
        // A real control plane counts a pod that never goes against the quota for minutes.
        .poll(async () => (await site.pods(deployed)).map(({ spec, status: { phase } = {} }) => [phase, spec?.nodeName === from]), patience)
        .toEqual([['Running', false]]);
      await site.untilRunning(deployed);
      const dead = await client().find(kinds.pods, { namespace: deployed.namespace, name: lost?.metadata?.name ?? '' });
      expect(dead?.metadata?.deletionTimestamp).toBeDefined();
      expect(await planOf(deployed)).toEqual(nodesOf(await site.pods(deployed)));
      await site.cluster.nodes.restoreNode(from);
      await leave(deployed);
    });

    if (!isWhole) return;

    it('are not written to by a service that was killed and starts again', async () => {
      const all = await Promise.all([
        site.run('jan', leaseSdl({ web: { count: 2, env: ['API_TOKEN=x', 'MODE=y'] }, db: { data: '1Gi' } })),
        site.run('kim', leaseSdl({ web: { hosts: ['kim.example.org'] } })),
      ]);
      const written = () => writtenFor(site, all);
      const before = await untilAtRest(site, all);
      await site.endService();
      await site.startService();

      const shown = async (order: Deployed['order']) => (await site.leases().getLease({ order })).lease;
      for (const { order, namespace } of all)
        await expect.poll(() => shown(order), patience).toMatchObject({ namespace, marketState: 'active', reason: 'Running' });
      await pass(roundMs / pace);
      // Versions do not come back.
      await expect.poll(written, patience).toEqual(before);
      // One that comes after them has gone through every queue that they are in.
      const next = await site.run('lea', leaseSdl({ web: {} }));
      await expect.poll(written, patience).toEqual(before);
      await end(...all, next);
    });

    it('roll a service whose image changed, and no other', async () => {
      const sdl = (image: string) => leaseSdl({ web: { image }, store: { image: 'redis:1', count: 2 } });
      const deployed = await site.run('bob', sdl('nginx:1'));
      const [web, store] = [uidsOf(await site.pods(deployed, 'web')), uidsOf(await site.pods(deployed, 'store'))];
      expect([web.length, store.length]).toEqual([1, 2]);
      const updated = await site.update(deployed, sdl('nginx:2'));
      await site.untilRunning(updated);
      await expect.poll(async () => uidsOf(await site.pods(deployed, 'web')), patience).not.toEqual(web);
      expect(uidsOf(await site.pods(deployed, 'store'))).toEqual(store);
      await end(updated);
    });

    it('roll a service whose secret changed, and keep the secret nowhere but in Secrets', async () => {
      const sdl = (password: string) =>
        leaseSdl({ web: { env: ['MODE=plain', `DB_PASSWORD=${password}`] }, other: { env: ['API_TOKEN=constant-canary-one'] } });
      const deployed = await site.run('cyd', sdl('first-canary-two'));
      const [web, other] = [uidsOf(await site.pods(deployed, 'web')), uidsOf(await site.pods(deployed, 'other'))];
      const updated = await site.update(deployed, sdl('second-canary-three'));
      await site.untilRunning(updated);
      await expect.poll(async () => uidsOf(await site.pods(deployed, 'web')), patience).not.toEqual(web);
      expect(uidsOf(await site.pods(deployed, 'other'))).toEqual(other);
      const env = await client().get(kinds.secrets, { namespace: deployed.namespace, name: 'web-env' });
      expect(env.data).toEqual({ DB_PASSWORD: Buffer.from('second-canary-three').toString('base64') });
      const everything = await site.everything();
      const holding = (text: string): readonly KubeObject[] =>
        everything.filter((object) => [text, Buffer.from(text).toString('base64')].some((each) => JSON.stringify(object).includes(each)));
      for (const secret of ['second-canary-three', 'constant-canary-one']) {
        expect([...new Set(holding(secret).map(({ kind }) => kind))]).toEqual(['Secret']);
      }
      // What is not used any more is not kept, either.
      await expect
        .poll(async () => JSON.stringify(await site.objectsOf(deployed)), patience)
        .not.toContain(Buffer.from('first-canary-two').toString('base64'));
      await end(updated);
    });

    it('get a Secret back that somebody deleted, once a container cannot start without it', async () => {
      const deployed = await site.run('cal', leaseSdl({ web: { env: ['DB_PASSWORD=lost-canary'] } }));
      const { namespace } = deployed;
      const env = { namespace, name: 'web-env' };
      const [pod] = await site.pods(deployed);
      const { data } = await client().get(kinds.secrets, env);
      await client().delete(kinds.secrets, env);
      // Simulated kubelets start containers without it. A real one says this of a container that it is to start again, for as long as it takes.
      const node = pod?.spec?.nodeName ?? '';
      site.cluster.nodes.loseNode(node);
      const state = { waiting: { reason: 'CreateContainerConfigError', message: 'secret "web-env" not found' } };
      const containerStatuses = pod?.status?.containerStatuses?.map((each) => ({ ...each, ready: false, started: false, state }));
      const conditions = pod?.status?.conditions?.map((each) => (each.type.endsWith('Ready') ? { ...each, status: 'False' } : each));
      await client().patch(
        kinds.pods,
        { namespace, name: pod?.metadata?.name ?? '' },
        { kind: 'merge', body: { status: { conditions, containerStatuses } } },
        { subresource: 'status' },
      );
      await expect.poll(async () => (await client().find(kinds.secrets, env))?.data, patience).toEqual(data);
      await site.cluster.nodes.restoreNode(node);
      const started = async () =>
        (await site.pods(deployed)).map(({ metadata, status }) => [metadata?.uid, status?.phase, status?.containerStatuses?.[0]?.ready]);
      await expect.poll(started, patience).toEqual([[pod?.metadata?.uid, 'Running', true]]);
      await site.untilRunning(deployed);
      await end(deployed);
    });

    it('have in Secrets alone what is to be secret since the service started anew, with the manifest that they had', async () => {
      const deployed = await site.run('ros', leaseSdl({ web: { env: ['CARD_PIN=moved-canary-four'] } }));
      const holding = async () => {
        const texts = ['moved-canary-four', Buffer.from('moved-canary-four').toString('base64')];
        const found = (await site.everything()).filter((object) => texts.some((text) => JSON.stringify(object).includes(text)));
        return new Set(found.map(({ kind }) => kind));
      };
      expect(await holding()).toEqual(new Set(['ConfigMap', 'Manifest']));
      await site.endService();
      await site.startService({ args: ['--sensitive-env=*PASSWORD*,*TOKEN*,*_PIN'] });
      await expect.poll(holding, patience).toEqual(new Set(['Secret']));
      await site.untilRunning(deployed);
      await end(deployed);
      await site.endService();
      await site.startService();
    });

    it('lose a volume only where that was confirmed, and are touched by no refused update', async () => {
      const deployed = await site.run('dan', leaseSdl({ db: { image: 'postgres:18', data: '2Gi' } }));
      const claims = async () => namesOf((await site.objectsOf(deployed)).filter(({ kind }) => kind === 'PersistentVolumeClaim'));
      expect(await claims()).toEqual([`PersistentVolumeClaim ${deployed.namespace}/db-data-db-0`]);
      const before = await untilAtRest(site, [deployed]);
      const renamed = leaseSdl({ store: { image: 'postgres:18', data: '2Gi' } });
      await expect(site.update(deployed, renamed)).rejects.toMatchObject({
        code: 'failed_precondition',
        message: expect.stringContaining('db/data'),
      });
      expect(writtenOf(await site.objectsOf(deployed))).toEqual(before);
      const updated = await site.update(deployed, renamed, ['db/data']);
      await site.untilRunning(updated);
      await expect.poll(claims, patience).toEqual([`PersistentVolumeClaim ${deployed.namespace}/store-data-store-0`]);
      await end(updated);
      expect(await claims()).toEqual([]);
    });

    it('lose the volumes of replicas that they do not have any more, and those that become others, and get what takes their place', async () => {
      const claims = async ({ namespace }: Deployed) =>
        (await client().list(kinds.persistentVolumeClaims, { namespace })).items
          .map(({ metadata, spec }) => `${metadata?.name} ${spec?.resources?.requests?.['storage']}`)
          .sort();
      // Both have one profile: their replicas are of one unit.
      const together = (a: number, b: number) =>
        leaseSdl({ a: { data: '1Gi', count: a, as: 8080 }, b: { data: '1Gi', count: b, as: 8081 } }).replace('profile: b', 'profile: a');
      const moved = await site.run('dee', together(2, 1));
      expect(await claims(moved)).toEqual(['a-data-a-0 1Gi', 'a-data-a-1 1Gi', 'b-data-b-0 1Gi']);
      const afterMove = await site.update(moved, together(1, 2), ['a/data']);
      await site.untilRunning(afterMove);
      await expect.poll(() => claims(moved), patience).toEqual(['a-data-a-0 1Gi', 'b-data-b-0 1Gi', 'b-data-b-1 1Gi']);
      const sized = await site.run('dot', leaseSdl({ a: { data: '1Gi' }, b: { data: '2Gi' } }));
      const renamed = leaseSdl({ b: { data: '1Gi' }, c: { data: '2Gi' } });
      const afterRename = await site.update(sized, renamed, ['a/data', 'b/data']);
      await site.untilRunning(afterRename);
      await expect.poll(() => claims(sized), patience).toEqual(['b-data-b-0 1Gi', 'c-data-c-0 2Gi']);
      await end(afterMove, afterRename);
    });

    it('have replicas exactly as unevenly as they were planned', { timeout: 3 * timeout }, async () => {
      // A node of the middle has room for two, the small one for one.
      const deployed = await site.run('gil', leaseSdl({ web: { cpu: 20, count: 8 } }));
      const planned = await planOf(deployed);
      expect(new Set([...Map.groupBy(planned, (node) => node).values()].map(({ length }) => length)).size).toBeGreaterThan(1);
      expect(nodesOf(await site.pods(deployed))).toEqual(planned);
      // A new generation of pods lands there, too.
      const updated = await site.update(deployed, leaseSdl({ web: { cpu: 20, count: 8, image: 'nginx:2' } }));
      // One replica after the other, each of them ready for minReadySeconds.
      await site.untilRunning(updated, 2 * timeout);
      const images = async () => (await site.pods(deployed)).map(({ spec }) => spec?.containers[0]?.image);
      await expect.poll(images, patience).toEqual(Array.from({ length: 8 }, () => 'nginx:2'));
      expect(nodesOf(await site.pods(deployed))).toEqual(await planOf(deployed));
      await end(updated);
    });

    it('have objects as the ecosystem knows them', async () => {
      const deployed = await site.run('hal', leaseSdl({ web: { cpu: 0.5, env: ['MODE=plain', 'API_TOKEN=shown-to-nobody'], as: 8080 } }));
      const { namespace, order } = deployed;
      const ref = (name: string) => ({ namespace, name });
      const labels = {
        'akash.network': 'true',
        [namespaceLabel]: namespace,
        'akash.network/lease.id.owner': 'hal',
        'akash.network/lease.id.dseq': String(order.dseq),
        'akash.network/lease.id.gseq': '1',
        'akash.network/lease.id.oseq': '1',
        'akash.network/lease.id.provider': provider,
      };
      const ofService = { ...labels, 'akash.network/manifest-service': 'web' };
      expect((await client().get(kinds.namespaces, { name: namespace })).metadata?.labels).toMatchObject({
        ...labels,
        'pod-security.kubernetes.io/enforce': 'baseline',
      });
      expect((await client().get(manifestType, { namespace: manifestNamespace, name: namespace })).spec).toMatchObject({
        lease_id: { owner: 'hal', dseq: String(order.dseq), gseq: 1, oseq: 1, provider },
        group: { services: [{ name: 'web', image: 'nginx:1', count: 1, expose: [{ port: 80, external_port: 8080, global: true }] }] },
      });
      const { metadata, spec } = await client().get(kinds.deployments, ref('web'));
      expect(metadata?.labels).toEqual(ofService);
      expect(spec).toMatchObject({
        replicas: 1,
        revisionHistoryLimit: 10,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
        selector: { matchLabels: { 'akash.network': 'true', [namespaceLabel]: namespace, 'akash.network/manifest-service': 'web' } },
        template: { metadata: { labels: ofService }, spec: { schedulingGates: [{ name: 'quartermaster.dev/placement' }] } },
      });
      const [pod] = await site.pods(deployed);
      expect(pod?.spec?.schedulingGates).toBeUndefined();
      expect(pod?.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms).toEqual([
        {
          matchExpressions: [{ key: 'akash.network', operator: 'In', values: ['true'] }],
          matchFields: [{ key: 'metadata.name', operator: 'In', values: [pod?.spec?.nodeName] }],
        },
      ]);
      expect(pod?.spec).toMatchObject({
        serviceAccountName: 'web',
        automountServiceAccountToken: false,
        containers: [
          {
            name: 'web',
            imagePullPolicy: 'IfNotPresent',
            resources: { requests: { cpu: '500m', memory: '64Mi' }, limits: { cpu: '500m', memory: '64Mi' } },
          },
        ],
      });
      // Nothing else is granted.
      expect(pod?.spec?.securityContext).toEqual({ runAsNonRoot: false, seccompProfile: { type: 'RuntimeDefault' } });
      expect(pod?.spec?.containers[0]?.securityContext).toEqual({
        ...{ privileged: false, allowPrivilegeEscalation: false, runAsNonRoot: false },
        capabilities: { drop: ['NET_RAW'] },
      });
      expect(pod?.spec?.containers[0]?.env).toEqual([
        { name: 'MODE', valueFrom: { configMapKeyRef: { name: 'web-env', key: 'MODE' } } },
        { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'web-env', key: 'API_TOKEN' } } },
        { name: 'AKASH_GROUP_SEQUENCE', value: '1' },
        { name: 'AKASH_DEPLOYMENT_SEQUENCE', value: String(order.dseq) },
        { name: 'AKASH_ORDER_SEQUENCE', value: '1' },
        { name: 'AKASH_OWNER', value: 'hal' },
        { name: 'AKASH_PROVIDER', value: provider },
        { name: 'AKASH_CLUSTER_PUBLIC_HOSTNAME' },
        { name: 'NVIDIA_VISIBLE_DEVICES', value: 'void' },
        { name: 'NVIDIA_GDS', value: 'disabled' },
        { name: 'NVIDIA_MOFED', value: 'disabled' },
        { name: 'NVIDIA_NVSWITCH', value: 'disabled' },
        { name: 'NVIDIA_GDRCOPY', value: 'disabled' },
        { name: 'NVIDIA_IMEX_CHANNELS' },
        { name: 'NVIDIA_MIG_CONFIG_DEVICES' },
        { name: 'NVIDIA_MIG_MONITOR_DEVICES' },
        { name: 'AMD_VISIBLE_DEVICES', value: 'none' },
      ]);
      expect((await client().get(kinds.services, ref('web-np'))).spec).toMatchObject({
        type: 'NodePort',
        ports: [{ port: 8080, targetPort: 80, protocol: 'TCP', nodePort: expect.any(Number) }],
      });
      expect(await client().find(kinds.services, ref('web'))).toBeUndefined();
      const quota = await client().get(kinds.resourceQuotas, ref('akash-reservation'));
      expect(quota.spec?.hard).toMatchObject({
        // With one that ends while the next one is there.
        pods: '2',
        'requests.cpu': '1',
        'limits.cpu': '1',
        persistentvolumeclaims: '0',
        'services.nodeports': '1',
        'services.loadbalancers': '0',
        'requests.nvidia.com/gpu': '0',
      });
      const policies = await client().list(kinds.networkPolicies, { namespace });
      expect(namesOf(policies.items.map((each) => ({ ...each, kind: 'NetworkPolicy' })))).toEqual([
        `NetworkPolicy ${namespace}/akash-deployment-restrictions`,
        `NetworkPolicy ${namespace}/akash-web-np`,
      ]);
      const restrictions = await client().get(kinds.networkPolicies, ref('akash-deployment-restrictions'));
      const reached = restrictions.spec?.egress?.flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock ?? []));
      expect(reached?.find(({ cidr }) => cidr === '0.0.0.0/0')?.except).toContain(blocked);
      await end(deployed);
    });

    it.each<[what: string, held: object, open: object]>([
      ['is cordoned', { spec: { unschedulable: true } }, { spec: { unschedulable: null } }],
      // Which Kubernetes keeps no pod away for.
      ['the inventory alone holds back', conditionOf('True'), conditionOf('False')],
    ])('get the replica elsewhere that a node lost which %s, and nothing else of theirs changes', async (_what, held, open) => {
      const put = (body: object) =>
        client().patch(kinds.nodes, from, { kind: 'strategic', body }, 'status' in body ? { subresource: 'status' } : {});
      const deployed = await site.run('ivy', leaseSdl({ web: { count: 2 }, other: { count: 2 } }));
      const [lost, kept] = await site.pods(deployed, 'web');
      const from = { name: lost?.spec?.nodeName ?? '' };
      const others = async () => {
        const workload = (await site.objectsOf(deployed)).filter(
          ({ kind, metadata }) => kind === 'Deployment' && metadata?.name === 'other',
        );
        return [writtenOf(workload), uidsOf(await site.pods(deployed, 'other'))];
      };
      const before = await others();
      const sold = await available();
      await put(held);
      // Whoever places the next pod has to have heard of that.
      await expect.poll(available, patience).not.toEqual(sold);
      await client().delete(kinds.pods, { namespace: deployed.namespace, name: lost?.metadata?.name ?? '' });
      await expect
        .poll(async () => {
          const running = (await site.pods(deployed, 'web')).filter(({ status }) => status?.phase === 'Running');
          return [running.length, nodesOf(running).includes(from.name), uidsOf(running).includes(kept?.metadata?.uid ?? '')];
        }, patience)
        .toEqual([2, kept?.spec?.nodeName === from.name, true]);
      await site.untilRunning(deployed);
      expect(await others()).toEqual(before);
      expect((await planOf(deployed)).toSorted()).toEqual(nodesOf(await site.pods(deployed)));
      await put(open);
      await end(deployed);
    });

    it('have the next pod of a Deployment made while the former still ends, and given its place once that is gone', async () => {
      const deployed = await site.run('fin', leaseSdl({ web: {} }));
      const [former] = await site.pods(deployed);
      const ref = { namespace: deployed.namespace, name: former?.metadata?.name ?? '' };
      const keep = (finalizers: readonly string[] | null) =>
        client().patch(kinds.pods, ref, { kind: 'merge', body: { metadata: { finalizers } } });
      await keep(['example.com/takes-its-time']);
      const updated = await site.update(deployed, leaseSdl({ web: { image: 'nginx:2' } }));
      const next = async () =>
        (await site.pods(updated)).map(({ spec }) => [spec?.containers[0]?.image, spec?.nodeName, spec?.schedulingGates?.length]);
      await expect.poll(next, patience).toEqual([['nginx:2', undefined, 1]]);
      await pass(10_000 / pace);
      expect(await next()).toEqual([['nginx:2', undefined, 1]]);
      expect((await client().get(kinds.pods, ref)).metadata?.deletionTimestamp).toBeDefined();
      await keep(null);
      await site.untilRunning(updated);
      await leave(updated);
    });

    it(`run all, ${manyLeases} at once, on nodes that have room for them, and give everything back`, { timeout: 4 * timeout }, async () => {
      const before = await untilAllIsFree();
      const all = await Promise.all(
        Array.from({ length: manyLeases }, (_, index) => site.deploy(`many${index % 10}`, leaseSdl({ web: { cpu: 2, memory: '1Gi' } }))),
      );
      for (const each of all) await site.untilRunning(each, 3 * timeout);
      const pods = (await client().list(kinds.pods, { labelSelector: namespaceLabel })).items;
      expect(pods.map(({ metadata }) => metadata?.namespace)).toEqual(expect.arrayContaining(all.map(({ namespace }) => namespace)));
      const { overCommitted } = await site.reservations().getStatus({});
      expect(overCommitted).toBe(0n);
      for (const { metadata, status } of (await client().list(kinds.nodes)).items) {
        const here = pods.filter(({ spec }) => spec?.nodeName === metadata?.name).length;
        const allocatable = String(status?.allocatable?.['cpu']);
        const cpus = allocatable.endsWith('m') ? Number(allocatable.slice(0, -1)) / 1000 : Number(allocatable);
        expect(2 * here).toBeLessThanOrEqual(cpus);
      }
      await end(...all);
      await expect.poll(available, patience).toEqual(before);
      expect(
        (await client().list(kinds.namespaces)).items.map(({ metadata }) => metadata?.name).filter((name) => name?.startsWith('lease-')),
      ).toEqual([]);
      expect((await client().list(manifestType, { namespace: manifestNamespace })).items).toEqual([]);
      expect((await client().list(kinds.secrets, { namespace: manifestNamespace, labelSelector: namespaceLabel })).items).toEqual([]);
    });

    it('leave a namespace alone that somebody else made with their name and their labels, and say so', async () => {
      const order = await site.deploy('mia', leaseSdl({ web: {} }));
      await site.untilRunning(order);
      // The next deployment's name is known before it is made, but for its number.
      const taken = `lease-nic-${order.order.dseq + 1n}-1-1`;
      const id = { owner: 'nic', dseq: `${order.order.dseq + 1n}`, gseq: '1', oseq: '1', provider };
      const ofLease = Object.fromEntries(Object.entries(id).map(([part, value]) => [`akash.network/lease.id.${part}`, value]));
      // Whatever they say of whom it was made for.
      const annotations = { ...ofLease, 'quartermaster.dev/seal': 'x' };
      const theirs = await client().create(kinds.namespaces, {
        metadata: { name: taken, labels: { ...ofLease, theirs: 'yes' }, annotations },
      });
      const deployed = await site.deploy('nic', leaseSdl({ web: {} }));
      expect(deployed.namespace).toBe(taken);
      await site.untilStatus(deployed, { state: 'Error', reason: 'NamespaceTaken' });
      const { metadata } = await client().get(kinds.namespaces, { name: taken });
      expect(metadata).toMatchObject({ uid: theirs.metadata?.uid, labels: { theirs: 'yes' } });
      const inside = (await site.objectsOf(deployed)).filter((object) => object.metadata?.namespace === taken);
      expect(namesOf(inside).filter((name) => !/^(ServiceAccount .*\/default|ConfigMap .*\/kube-root-ca.crt)$/.test(name))).toEqual([]);
      await expect
        .poll(async () => (await site.leases().listLeases({})).strangers, patience)
        .toEqual([expect.objectContaining({ subject: taken, code: 'NotRecorded' })]);
      await site.close(deployed);
      const leftovers = async () => (await client().get(tenantLeaseType, { name: deployed.name })).status?.leftovers;
      const told = { what: `Namespace ${taken}`, message: expect.stringContaining('is not recorded as its namespace') };
      await expect.poll(leftovers, patience).toEqual([expect.objectContaining(told)]);
      const { metadata: left } = await client().get(kinds.namespaces, { name: taken });
      expect([left?.uid, left?.deletionTimestamp]).toEqual([theirs.metadata?.uid, undefined]);
      await client().delete(kinds.namespaces, { name: taken });
      await site.untilComplete(deployed, timeout);
      await end(order);
    });

    it('leave their own namespace alone, and name it, while its labels say that it is another lease’s', async () => {
      const deployed = await site.run('oda', leaseSdl({ web: {} }));
      const { namespace } = deployed;
      const label = (owner: string) =>
        client().patch(
          kinds.namespaces,
          { name: namespace },
          {
            kind: 'merge',
            body: { metadata: { labels: { 'akash.network/lease.id.owner': owner } } },
          },
        );
      await label('mallory');
      await expect
        .poll(async () => (await site.leases().listLeases({})).strangers, patience)
        .toEqual([expect.objectContaining({ subject: namespace, code: 'LabelsTampered' })]);
      const updated = await site.update(deployed, leaseSdl({ web: { image: 'nginx:2' } }));
      await site.untilStatus(updated, { state: 'Error', reason: 'NamespaceTampered' });
      expect((await site.pods(deployed)).map(({ spec }) => spec?.containers[0]?.image)).toEqual(['nginx:1']);
      expect((await client().get(kinds.namespaces, { name: namespace })).metadata?.labels?.['akash.network/lease.id.owner']).toBe(
        'mallory',
      );
      await label('oda');
      await site.untilRunning(updated);
      await expect.poll(async () => (await site.leases().listLeases({})).strangers, patience).toEqual([]);
      await end(updated);
    });

    it('that were forgotten leave leftovers, of which exactly what is certainly over is removed', async () => {
      const deployed = await site.run('pam', leaseSdl({ web: { hosts: ['pam.example.org'] } }));
      const { name, namespace } = deployed;
      await site.endService();
      await site.close(deployed);
      // As if nobody had ever recorded it: the record goes, and with the reservation the last that would have ended it.
      for (const type of [tenantLeaseType, reservationType]) await client().delete<KubeObject>(type, { name });
      const labels = (await client().get(kinds.namespaces, { name: namespace })).metadata?.labels ?? {};
      const alike = 'lease-look-alike';
      await client().create(kinds.namespaces, { metadata: { name: alike, labels: { ...labels, [namespaceLabel]: alike } } });
      await site.startService();
      const collect = async (dryRun: boolean) => {
        const leftovers = await collectLeftovers(site, { dryRun });
        return leftovers.map(({ object, fate }) => `${fate} ${object}`).sort();
      };
      const hosts = (await client().list(providerHostType, { namespace: manifestNamespace })).items.map(
        ({ metadata }) => metadata?.name ?? '',
      );
      const own = [
        ...[`Manifest lease/${namespace}`, `Namespace ${namespace}`],
        ...hosts.flatMap((host) => [`ProviderHost lease/${host}`, `HostnameClaim of ${host}`]),
      ];
      expect(hosts).toHaveLength(2);
      const listed = (fate: string) => [`kept Namespace ${alike}`, ...own.map((object) => `${fate} ${object}`)].sort();
      await expect.poll(() => collect(true), patience).toEqual(listed('removable'));
      expect(await client().find(kinds.namespaces, { name: namespace })).toBeDefined();
      expect(await collect(false)).toEqual(listed('removed'));
      await expect.poll(() => client().find(kinds.namespaces, { name: namespace }), patience).toBeUndefined();
      const left = async () =>
        namesOf((await site.everything()).filter((object) => object.metadata?.labels?.[namespaceLabel] === namespace));
      await expect.poll(left, patience).toEqual([]);
      const hostnames = async () => (await site.leases().listHostnames({})).hostnames.filter(({ lease }) => lease === name);
      await expect.poll(hostnames, patience).toEqual([]);
      expect(await client().find(kinds.namespaces, { name: alike })).toBeDefined();
      await client().delete(kinds.namespaces, { name: alike });
    });
  });
}

describeLifeOfLeases(startSimulatedLeasedCluster, { isReal: false, isWhole: true });
describeLifeOfLeases(startRealLeasedCluster, { isReal: true, isWhole: times(0, 1) > 0 });
