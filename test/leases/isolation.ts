import { messageOf } from '@quartermaster/kernel';
import { failureOf, KubeClient, type KubeObject, kinds } from '@quartermaster/kube';
import type { Pod, Service } from '@quartermaster/kube/shapes';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { tokenOf } from '../deploy/role-deployment.ts';
import { patience } from '../inventory/operator-cluster.ts';
import { leaseSdl } from './lease-sdl.ts';
import { type Deployed, namesOf, namespaceLabel, provider, type RunningLeases } from './running-leases.ts';

const timeout = 120_000;

/**
 * What keeps tenants apart by the word of the real API server: admission, quota and RBAC. There is no network plugin here, and so nothing carries NetworkPolicies out: what
 * they allow is evaluated as a pure function elsewhere.
 */
export function describeIsolation(running: () => RunningLeases, end: (...deployed: readonly Deployed[]) => Promise<void>): void {
  describe('on the real API server', { timeout }, () => {
    let site: RunningLeases;
    let amy: Deployed;
    let bob: Deployed;

    beforeAll(async () => {
      site = running();
      bob = await site.run('bob', leaseSdl({ web: {} }));
      // What a tenant can write into an SDL to pass for somebody else: variables that the provider sets, or labels, and a service with the name of another lease's namespace.
      const env = [
        'AKASH_OWNER=bob',
        'AKASH_DEPLOYMENT_SEQUENCE=1',
        'AKASH_PROVIDER=mine',
        'akash.network.lease.id.owner=bob',
        `akash.network.namespace=${bob.namespace}`,
        'MODE=plain',
      ];
      amy = await site.run('amy', leaseSdl({ web: { env, permissions: ['logs'] }, mute: {}, [bob.namespace]: { env } }));
    }, 2 * timeout);

    // Each may take as long as a test to end, and then until its part of the cluster is given back.
    afterAll(() => end(amy, bob), 4 * timeout);

    const admin = () => site.cluster.client;
    /** A pod of the lease's own making, changed. */
    async function podLike(
      { namespace }: Deployed,
      name: string,
      change: (spec: NonNullable<Pod['spec']>) => NonNullable<Pod['spec']>,
    ): Promise<Pod> {
      const { spec } = await admin().get(kinds.deployments, { namespace, name: 'web' });
      const { labels } = spec?.template.metadata ?? {};
      return { metadata: { namespace, name, labels }, spec: change(spec?.template.spec ?? { containers: [] }) };
    }
    const said = (attempt: Promise<unknown>): Promise<string> => attempt.then(() => 'accepted', messageOf);
    /** A connection with the token of a service's account. */
    async function asService({ namespace }: Deployed, name: string): Promise<KubeClient> {
      const token = await tokenOf({ admin: admin(), namespace }, name);
      const client = await KubeClient.connect({ kubeconfig: await site.cluster.kubeconfigWith?.(token) });
      onTestFinished(() => client.close());
      return client;
    }

    it('take no pod that the standard "baseline" does not allow', async () => {
      const privileged = await podLike(amy, 'privileged', (spec) => ({
        ...spec,
        containers: spec.containers.map((container) => ({ ...container, securityContext: { privileged: true } })),
      }));
      expect(await said(admin().create(kinds.pods, privileged, { dryRun: true }))).toContain('violates PodSecurity "baseline');
      const onHost = await podLike(amy, 'on-host', (spec) => ({ ...spec, hostNetwork: true }));
      expect(await said(admin().create(kinds.pods, onHost, { dryRun: true }))).toContain('violates PodSecurity "baseline');
      const mounting = await podLike(amy, 'mounting', (spec) => ({ ...spec, volumes: [{ name: 'root', hostPath: { path: '/' } }] }));
      expect(await said(admin().create(kinds.pods, mounting, { dryRun: true }))).toContain('violates PodSecurity "baseline');
    });

    /** What of the reservation an attempt would exceed, as the server names it. */
    async function exceededBy(attempt: Promise<unknown>): Promise<readonly string[]> {
      const refusal = await said(attempt);
      const [, requested] = /exceeded quota: akash-reservation, requested: ([^ ]+), used:/.exec(refusal) ?? [];
      return requested === undefined ? [refusal] : requested.split(',').map((each) => each.split('=')[0] ?? '');
    }
    /** A pod that asks for so much, and that nobody gives a node. */
    const podAsking = async (deployed: Deployed, name: string, asked: Readonly<Record<string, string>>): Promise<Pod> => {
      const resources = { requests: asked, limits: asked };
      const { metadata, spec } = await podLike(deployed, name, (like) => ({
        ...like,
        schedulingGates: [{ name: 'test.example/never' }],
        containers: like.containers.map((each) => ({ ...each, resources })),
      }));
      return { metadata: { ...metadata, labels: {} }, spec };
    };

    it('take no pod, no CPU, no memory, no storage, no port, no address and no volume beyond what is reserved', async () => {
      const { namespace } = bob;
      const little = { cpu: '1m', memory: '1Mi', 'ephemeral-storage': '1Mi' };
      const createPod = async (name: string, changed: Readonly<Record<string, string>> = {}) =>
        await admin().create(kinds.pods, await podAsking(bob, name, { ...little, ...changed }));
      for (const [resource, amount] of [
        ['cpu', '64'],
        ['memory', '512Gi'],
        ['ephemeral-storage', '512Gi'],
      ] as const)
        expect(await exceededBy(createPod('more', { [resource]: amount }))).toEqual([`limits.${resource}`, `requests.${resource}`]);
      const createService = (spec: NonNullable<Service['spec']>) =>
        admin().create(kinds.services, {
          metadata: { namespace, name: 'more' },
          spec: { selector: { a: 'b' }, ports: [{ port: 80 }], ...spec },
        });
      expect(await exceededBy(createService({ type: 'NodePort' }))).toEqual(['services.nodeports']);
      const address = { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false };
      expect(await exceededBy(createService(address))).toEqual(['services.loadbalancers']);
      const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } };
      const volume = { metadata: { namespace, name: 'more' }, spec: claim };
      expect(await exceededBy(admin().create(kinds.persistentVolumeClaims, volume))).toEqual([
        'persistentvolumeclaims',
        'requests.storage',
      ]);
      // There is room for one that takes the place of another, and no more.
      const { metadata } = await createPod('successor');
      onTestFinished(() => admin().delete(kinds.pods, { namespace, name: 'successor' }));
      expect(metadata?.uid).toBeDefined();
      expect(await exceededBy(createPod('more'))).toEqual(['pods']);
    });

    it('have services that read of their own lease what their manifest asks for, and nothing of any other', async () => {
      const reader = await asService(amy, 'web');
      const { namespace } = amy;
      const { items } = await reader.list(kinds.pods, { namespace });
      expect(items.length).toBeGreaterThanOrEqual(2);
      await expect(reader.get(kinds.deployments, { namespace, name: 'mute' })).resolves.toBeDefined();
      const refused = [
        () => reader.list(kinds.pods, { namespace: bob.namespace }),
        () => reader.list(kinds.pods),
        () => reader.list(kinds.deployments, { namespace: bob.namespace }),
        () => reader.list(kinds.secrets, { namespace }),
        () => reader.list(kinds.configMaps, { namespace }),
        () => reader.list(kinds.events, { namespace }),
        () => reader.delete(kinds.pods, { namespace, name: items[0]?.metadata?.name ?? '' }),
        () => reader.list(kinds.namespaces),
        () => reader.list(kinds.nodes),
      ];
      for (const attempt of refused) expect(await attempt().catch(failureOf)).toMatchObject({ kind: 'forbidden' });
    });

    it('have services without permissions that may read nothing, and get no token', async () => {
      for (const [lease, name] of [
        [amy, 'mute'],
        [bob, 'web'],
      ] as const) {
        const { namespace } = lease;
        const mute = await asService(lease, name);
        for (const type of [kinds.pods, kinds.deployments, kinds.secrets, kinds.services])
          expect(await mute.list(type as typeof kinds.pods, { namespace }).catch(failureOf)).toMatchObject({ kind: 'forbidden' });
        const [pod] = await site.pods(lease, name);
        expect(pod?.spec).toMatchObject({ automountServiceAccountToken: false, serviceAccountName: name });
        expect(pod?.spec?.volumes ?? []).toEqual([]);
      }
    });

    it('let nobody choose by variables or by names of services whose lease objects and pods say they are of', async () => {
      const [pod] = await site.pods(amy, 'web');
      const env = pod?.spec?.containers[0]?.env ?? [];
      const valueOf = (name: string) => env.filter((each) => each.name === name).map(({ value, valueFrom }) => value ?? valueFrom);
      expect(valueOf('AKASH_OWNER')).toEqual(['amy']);
      expect(valueOf('AKASH_DEPLOYMENT_SEQUENCE')).toEqual([String(amy.order.dseq)]);
      expect(valueOf('AKASH_PROVIDER')).toEqual([provider]);
      expect(valueOf('MODE')).toEqual([{ configMapKeyRef: expect.objectContaining({ key: 'MODE' }) }]);
      const { data } = await admin().get(kinds.configMaps, { namespace: amy.namespace, name: 'web-env' });
      expect(Object.keys(data ?? {})).not.toContain('AKASH_OWNER');
      const isLabelled = ({ metadata }: KubeObject): boolean => metadata?.labels?.[namespaceLabel] !== undefined;
      const all = await site.objectsOf(amy);
      const own = all.filter(isLabelled);
      expect(own.length).toBeGreaterThan(10);
      const unlabelled = namesOf(all.filter((each) => !isLabelled(each))).map((name) => name.replace(/^(HostnameClaim) h-.*$/, '$1'));
      // Those that say in their spec of which lease they are, one claim for each service, and what the cluster itself makes in each namespace.
      expect(unlabelled).toEqual(
        [
          ...['BidDecision', 'Reservation', 'TenantLease'].map((kind) => `${kind} ${amy.name}`),
          ...['HostnameClaim', 'HostnameClaim', 'HostnameClaim'],
          ...[`ConfigMap ${amy.namespace}/kube-root-ca.crt`, `ServiceAccount ${amy.namespace}/default`],
        ].sort(),
      );
      const idOf = ({ kind, metadata }: KubeObject) =>
        [
          kind,
          metadata?.labels?.[namespaceLabel],
          ...['owner', 'dseq'].map((part) => metadata?.labels?.[`akash.network/lease.id.${part}`]),
        ].join(' ');
      const whole = (kind: string | undefined) => `${kind} ${amy.namespace} amy ${amy.order.dseq}`;
      expect(own.map(idOf)).toEqual(own.map(({ kind }) => whole(kind)));
      const labelsOf = ({ metadata }: Pod) => Object.entries(metadata?.labels ?? {}).filter(([label]) => label.startsWith('akash.network'));
      for (const service of ['web', 'mute', bob.namespace]) {
        const [made] = await site.pods(amy, service);
        expect(Object.fromEntries(labelsOf(made ?? {}))).toEqual({
          ...{ 'akash.network': 'true', [namespaceLabel]: amy.namespace, 'akash.network/manifest-service': service },
          ...{ 'akash.network/lease.id.owner': 'amy', 'akash.network/lease.id.dseq': String(amy.order.dseq) },
          ...{ 'akash.network/lease.id.gseq': '1', 'akash.network/lease.id.oseq': '1', 'akash.network/lease.id.provider': provider },
        });
      }
      // Whoever selects by the labels of a lease gets what is of that lease.
      const selected = await admin().list(kinds.pods, { labelSelector: `${namespaceLabel}=${bob.namespace}` });
      expect(selected.items.map(({ metadata }) => metadata?.namespace)).toEqual([bob.namespace]);
    });

    it('keep running after all that', async () => {
      for (const each of [amy, bob]) await expect(site.untilRunning(each, patience.timeout)).resolves.toBeUndefined();
    });
  });
}
