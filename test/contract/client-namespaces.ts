import { kinds } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { install, uniqueGroup, widgetDefinition, widgetType } from './client-custom-kind.ts';
import {
  configMap,
  deployment,
  exists,
  failureFrom,
  failureKind,
  patience,
  pod,
  podNamespace,
  statefulSet,
  uniqueName,
} from './client-fixtures.ts';
import type { ContractServer } from './contract-server.ts';

const finalizer = 'example.com/hold';

/** What becomes of a namespace that is deleted, and of everything that a lease has in it. */
export function describeNamespaces(server: () => ContractServer): void {
  const isThere = (name: string): Promise<boolean> => exists(server().client, kinds.namespaces, { metadata: { name } });

  describe('a namespace that is deleted', { timeout: 120_000 }, () => {
    it('takes workloads, pods, volumes, secrets, rights, quotas and custom resources with it', async () => {
      const { client } = server();
      const group = uniqueGroup();
      await install(server(), widgetDefinition(group));
      const widgets = widgetType(group);
      const namespace = await podNamespace(server());
      const named = (name: string) => ({ metadata: { namespace, name } });
      await client.create(kinds.deployments, deployment(namespace, 'web', 2));
      const sets = statefulSet(namespace, 'db');
      const claim = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
      await client.create(kinds.statefulSets, {
        ...sets,
        spec: { ...sets.spec, replicas: 1, volumeClaimTemplates: [{ metadata: { name: 'data' }, ...claim }] } as NonNullable<
          typeof sets.spec
        >,
      });
      await client.create(kinds.persistentVolumeClaims, { ...named('own'), ...claim });
      await client.create(kinds.pods, pod(namespace, 'single'));
      await client.create(kinds.secrets, { ...named('login'), stringData: { user: 'somebody' } });
      await client.create(kinds.services, { ...named('web'), spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } });
      await client.create(kinds.roles, { ...named('reader'), rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] });
      await client.create(kinds.roleBindings, {
        ...named('reader'),
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
        subjects: [{ kind: 'ServiceAccount', namespace, name: 'default' }],
      });
      await client.create(kinds.networkPolicies, { ...named('closed'), spec: { podSelector: {} } });
      await client.create(kinds.resourceQuotas, { ...named('reserved'), spec: { hard: { 'requests.cpu': '8', pods: '10' } } });
      await client.create(widgets, { ...named('one'), spec: { size: 1 } });
      await expect.poll(async () => (await client.list(kinds.pods, { namespace })).items.length, patience).toBe(4);

      const { metadata } = await client.get(kinds.namespaces, { name: namespace });
      await client.delete(kinds.namespaces, { name: namespace }, { preconditions: { uid: metadata?.uid } });
      await expect.poll(() => isThere(namespace), patience).toBe(false);
      const kindsOfLease = [
        kinds.pods,
        kinds.deployments,
        kinds.replicaSets,
        kinds.statefulSets,
        kinds.persistentVolumeClaims,
        kinds.secrets,
      ];
      for (const type of [
        ...kindsOfLease,
        kinds.services,
        kinds.roles,
        kinds.roleBindings,
        kinds.networkPolicies,
        kinds.resourceQuotas,
        widgets,
      ]) {
        expect([type.plural, (await client.list<object>(type, { namespace })).items]).toEqual([type.plural, []]);
      }
    });

    it.each(['Foreground', 'Background'] as const)('in the %s is empty before it is gone', async (propagation) => {
      const { client } = server();
      const namespace = await server().namespace();
      const held = { namespace, name: 'held' };
      await client.create(kinds.configMaps, { metadata: { ...held, finalizers: [finalizer] } });
      await client.create(kinds.deployments, deployment(namespace, 'web', 1));
      await client.delete(kinds.namespaces, { name: namespace }, { propagation });
      await expect.poll(async () => (await client.list(kinds.deployments, { namespace })).items, patience).toEqual([]);
      expect(await isThere(namespace)).toBe(true);
      await client.patch(kinds.configMaps, held, { kind: 'merge', body: { metadata: { finalizers: null } } });
      await expect.poll(() => isThere(namespace), patience).toBe(false);
      expect(await exists(client, kinds.configMaps, configMap(namespace, 'held'))).toBe(false);
    });

    it('with the uid of a predecessor is a conflict, and stays', async () => {
      const { client } = server();
      const name = uniqueName('contract');
      const first = await client.create(kinds.namespaces, { metadata: { name } });
      await client.delete(kinds.namespaces, { name }, { preconditions: { uid: first.metadata?.uid } });
      await expect.poll(() => isThere(name), patience).toBe(false);
      await client.create(kinds.namespaces, { metadata: { name } });
      const late = client.delete(kinds.namespaces, { name }, { preconditions: { uid: first.metadata?.uid } });
      expect(await failureKind(late)).toBe('conflict');
      expect((await client.get(kinds.namespaces, { name })).status?.phase).toBe('Active');
    });

    it.each([undefined, 'Foreground'] as const)(
      'waits for an object that somebody holds, and takes nothing new meanwhile (%s)',
      async (propagation) => {
        const { client } = server();
        const namespace = await server().namespace();
        const ref = { namespace, name: 'held' };
        await client.create(kinds.configMaps, { metadata: { ...ref, finalizers: [finalizer] } });
        await client.create(kinds.configMaps, configMap(namespace, 'free'));
        await client.delete(kinds.namespaces, { name: namespace }, { propagation });
        await expect.poll(() => exists(client, kinds.configMaps, configMap(namespace, 'free')), patience).toBe(false);
        expect((await client.get(kinds.namespaces, { name: namespace })).status?.phase).toBe('Terminating');
        expect((await client.get(kinds.configMaps, ref)).metadata?.deletionTimestamp).toBeDefined();
        expect((await failureFrom(client.create(kinds.configMaps, configMap(namespace, 'late')))).kind).toBe('forbidden');
        await client.patch(kinds.configMaps, ref, { kind: 'merge', body: { metadata: { finalizers: null } } });
        await expect.poll(() => isThere(namespace), patience).toBe(false);
      },
    );
  });
}
