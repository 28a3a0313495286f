import { type KubeObject, kinds, type ResourceType } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import {
  type ConfigMap,
  configMap,
  deployment,
  exists,
  failureKind,
  patience,
  pod,
  podNamespace,
  refusedFields,
  uniqueName,
  versionOf,
} from './client-fixtures.ts';
import type { ContractServer } from './contract-server.ts';

const finalizer = 'example.com/hold';

/** Preconditions, finalizers, graceful deletion and what becomes of dependents. */
export function describeDeletion(server: () => ContractServer): void {
  const held = async (namespace: string): Promise<ConfigMap> =>
    await server().client.create(kinds.configMaps, { metadata: { namespace, name: 'held', finalizers: [finalizer] }, data: { a: '1' } });
  const isThere = <T extends KubeObject>(type: ResourceType<T>, object: T) => exists(server().client, type, object);
  /** Polls, since controllers take their time. */
  const expectGone = async <T extends KubeObject>(type: ResourceType<T>, object: T): Promise<void> =>
    await expect.poll(() => isThere(type, object), patience).toBe(false);

  describe('a delete', () => {
    it('of an object that does not exist resolves', async () => {
      const namespace = await server().namespace();
      await expect(server().client.delete(kinds.configMaps, { namespace, name: 'nothing' })).resolves.toBeUndefined();
    });

    it('with the uid of the object succeeds', async () => {
      const namespace = await server().namespace();
      const settings = await server().client.create(kinds.configMaps, configMap(namespace, 'settings'));
      const preconditions = { uid: settings.metadata?.uid ?? '' };
      await server().client.delete(kinds.configMaps, { namespace, name: 'settings' }, { preconditions });
      expect(await isThere(kinds.configMaps, settings)).toBe(false);
    });

    it('with the uid of a predecessor is a conflict and deletes nothing', async () => {
      const namespace = await server().namespace();
      const ref = { namespace, name: 'settings' };
      const first = await server().client.create(kinds.configMaps, configMap(namespace, 'settings'));
      await server().client.delete(kinds.configMaps, ref);
      const second = await server().client.create(kinds.configMaps, configMap(namespace, 'settings'));
      const preconditions = { uid: first.metadata?.uid ?? '' };
      expect(await failureKind(server().client.delete(kinds.configMaps, ref, { preconditions }))).toBe('conflict');
      expect(await isThere(kinds.configMaps, second)).toBe(true);
    });

    it('with the current resourceVersion succeeds', async () => {
      const namespace = await server().namespace();
      const settings = await server().client.create(kinds.configMaps, configMap(namespace, 'settings'));
      const preconditions = { resourceVersion: versionOf(settings) };
      await server().client.delete(kinds.configMaps, { namespace, name: 'settings' }, { preconditions });
      expect(await isThere(kinds.configMaps, settings)).toBe(false);
    });

    it('with an old resourceVersion is a conflict and deletes nothing', async () => {
      const namespace = await server().namespace();
      const ref = { namespace, name: 'settings' };
      const old = await server().client.create(kinds.configMaps, configMap(namespace, 'settings'));
      await server().client.patch(kinds.configMaps, ref, { kind: 'merge', body: { data: { a: '2' } } });
      const preconditions = { resourceVersion: versionOf(old) };
      expect(await failureKind(server().client.delete(kinds.configMaps, ref, { preconditions }))).toBe('conflict');
      expect(await isThere(kinds.configMaps, old)).toBe(true);
    });

    it('as a dry run deletes nothing', async () => {
      const namespace = await server().namespace();
      const settings = await server().client.create(kinds.configMaps, configMap(namespace, 'settings'));
      await server().client.delete(kinds.configMaps, { namespace, name: 'settings' }, { dryRun: true });
      expect(await server().client.get(kinds.configMaps, { namespace, name: 'settings' })).toEqual(settings);
    });

    it('of a namespace takes what is in it', async () => {
      const namespace = await server().namespace();
      const settings = await server().client.create(kinds.configMaps, configMap(namespace, 'settings'));
      // Holds the namespace, which could otherwise be gone before anybody looks.
      await held(namespace);
      await server().client.delete(kinds.namespaces, { name: namespace });
      const terminating = await server().client.find(kinds.namespaces, { name: namespace });
      expect(terminating?.status?.phase).toBe('Terminating');
      await server().client.patch(
        kinds.configMaps,
        { namespace, name: 'held' },
        { kind: 'merge', body: { metadata: { finalizers: null } } },
      );
      await expectGone(kinds.configMaps, settings);
      await expectGone(kinds.namespaces, { metadata: { name: namespace } });
    });
  });

  describe('an object with a finalizer', () => {
    it('stays, marked with a deletionTimestamp, until the finalizer is removed', async () => {
      const namespace = await server().namespace();
      const ref = { namespace, name: 'held' };
      const before = await held(namespace);
      await server().client.delete(kinds.configMaps, ref);
      const marked = await server().client.get(kinds.configMaps, ref);
      expect(marked.metadata?.deletionTimestamp).toBeDefined();
      expect(marked.metadata?.uid).toBe(before.metadata?.uid);
      expect(marked.data).toEqual({ a: '1' });
      await server().client.patch(kinds.configMaps, ref, { kind: 'merge', body: { metadata: { finalizers: null } } });
      expect(await server().client.find(kinds.configMaps, ref)).toBeUndefined();
    });

    it('keeps its first deletionTimestamp when it is deleted again', async () => {
      const namespace = await server().namespace();
      const ref = { namespace, name: 'held' };
      await held(namespace);
      await server().client.delete(kinds.configMaps, ref);
      const first = await server().client.get(kinds.configMaps, ref);
      await server().client.delete(kinds.configMaps, ref);
      expect((await server().client.get(kinds.configMaps, ref)).metadata?.deletionTimestamp).toBe(first.metadata?.deletionTimestamp);
    });

    it('takes no further finalizers while it is being deleted', async () => {
      const namespace = await server().namespace();
      const ref = { namespace, name: 'held' };
      await held(namespace);
      await server().client.delete(kinds.configMaps, ref);
      const body = { metadata: { finalizers: [finalizer, 'example.com/late'] } };
      const refused = server().client.patch(kinds.configMaps, ref, { kind: 'merge', body });
      expect(await refusedFields(refused)).toEqual(['metadata.finalizers']);
    });

    it('still takes changes while it is being deleted', async () => {
      const namespace = await server().namespace();
      const ref = { namespace, name: 'held' };
      await held(namespace);
      await server().client.delete(kinds.configMaps, ref);
      const changed = await server().client.patch(kinds.configMaps, ref, { kind: 'merge', body: { data: { a: '2' } } });
      expect(changed.data).toEqual({ a: '2' });
      expect(changed.metadata?.deletionTimestamp).toBeDefined();
    });

    it('blocks its name while it is being deleted', async () => {
      const namespace = await server().namespace();
      await held(namespace);
      await server().client.delete(kinds.configMaps, { namespace, name: 'held' });
      expect(await failureKind(server().client.create(kinds.configMaps, configMap(namespace, 'held')))).toBe('already-exists');
    });

    it('cannot be brought back by clearing its deletionTimestamp', async () => {
      const namespace = await server().namespace();
      const ref = { namespace, name: 'held' };
      await held(namespace);
      await server().client.delete(kinds.configMaps, ref);
      const { metadata, data } = await server().client.get(kinds.configMaps, ref);
      const { deletionTimestamp, ...cleared } = metadata ?? {};
      const replaced = await server().client.replace(kinds.configMaps, { metadata: cleared, ...(data === undefined ? {} : { data }) });
      expect(replaced.metadata?.deletionTimestamp).toBe(deletionTimestamp);
    });
  });

  describe('a pod on a node', () => {
    const placed = async (namespace: string) => {
      const waiting = pod(namespace, 'web');
      return await server().client.create(kinds.pods, {
        ...waiting,
        spec: { containers: [], ...waiting.spec, nodeName: uniqueName('node'), terminationGracePeriodSeconds: 600 },
      });
    };

    it('stays for its grace period', async () => {
      const namespace = await podNamespace(server());
      await placed(namespace);
      await server().client.delete(kinds.pods, { namespace, name: 'web' });
      const { metadata } = await server().client.get(kinds.pods, { namespace, name: 'web' });
      expect(metadata?.deletionGracePeriodSeconds).toBe(600);
      expect(metadata?.deletionTimestamp).toBeDefined();
    });

    it('gets a shorter grace period when the delete asks for it', async () => {
      const namespace = await podNamespace(server());
      await placed(namespace);
      await server().client.delete(kinds.pods, { namespace, name: 'web' }, { gracePeriodSeconds: 300 });
      expect((await server().client.get(kinds.pods, { namespace, name: 'web' })).metadata?.deletionGracePeriodSeconds).toBe(300);
    });

    it('is gone at once with a grace period of 0', async () => {
      const namespace = await podNamespace(server());
      const web = await placed(namespace);
      await server().client.delete(kinds.pods, { namespace, name: 'web' }, { gracePeriodSeconds: 0 });
      expect(await isThere(kinds.pods, web)).toBe(false);
    });
  });

  describe('a delete of a collection', () => {
    it('takes exactly what the selector matches', async () => {
      const namespace = await server().namespace();
      const make = (name: string, tier: string) =>
        server().client.create(kinds.configMaps, { metadata: { namespace, name, labels: { tier } } });
      const [a, b, c] = await Promise.all([make('a', 'front'), make('b', 'front'), make('c', 'back')]);
      await server().client.deleteCollection(kinds.configMaps, { namespace, labelSelector: 'tier=front' });
      expect(await Promise.all([a, b, c].map((object) => isThere(kinds.configMaps, object)))).toEqual([false, false, true]);
    });

    it('leaves other namespaces alone', async () => {
      const [one, two] = [await server().namespace(), await server().namespace()];
      const labels = { tier: 'front' };
      await server().client.create(kinds.configMaps, { metadata: { namespace: one, name: 'a', labels } });
      const other = await server().client.create(kinds.configMaps, { metadata: { namespace: two, name: 'a', labels } });
      await server().client.deleteCollection(kinds.configMaps, { namespace: one, labelSelector: 'tier=front' });
      expect(await isThere(kinds.configMaps, other)).toBe(true);
    });

    it('as a dry run deletes nothing', async () => {
      const namespace = await server().namespace();
      const a = await server().client.create(kinds.configMaps, configMap(namespace, 'a'));
      await server().client.deleteCollection(kinds.configMaps, { namespace }, { dryRun: true });
      expect(await isThere(kinds.configMaps, a)).toBe(true);
    });
  });

  describe('the dependents of a deleted object', () => {
    const dependent = async (owner: ConfigMap, name: string, extra: { readonly blockOwnerDeletion?: boolean } = {}) => {
      const { namespace = '', name: ownerName = '', uid = '' } = owner.metadata ?? {};
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: ownerName, uid, ...extra }];
      return await server().client.create(kinds.configMaps, { metadata: { namespace, name, ownerReferences } });
    };

    it('are collected after it', async () => {
      const namespace = await server().namespace();
      const owner = await server().client.create(kinds.configMaps, configMap(namespace, 'owner'));
      const child = await dependent(owner, 'child');
      await server().client.delete(kinds.configMaps, { namespace, name: 'owner' }, { propagation: 'Background' });
      expect(await isThere(kinds.configMaps, owner)).toBe(false);
      await expectGone(kinds.configMaps, child);
    });

    it('are orphaned when asked for: they stay and lose the reference', async () => {
      const namespace = await server().namespace();
      const owner = await server().client.create(kinds.configMaps, configMap(namespace, 'owner'));
      await dependent(owner, 'child');
      await server().client.delete(kinds.configMaps, { namespace, name: 'owner' }, { propagation: 'Orphan' });
      await expectGone(kinds.configMaps, owner);
      const child = await server().client.get(kinds.configMaps, { namespace, name: 'child' });
      expect(child.metadata?.ownerReferences).toBeUndefined();
    });

    it('go first in the foreground', async () => {
      const namespace = await server().namespace();
      const owner = await server().client.create(kinds.configMaps, configMap(namespace, 'owner'));
      const child = await dependent(owner, 'child', { blockOwnerDeletion: true });
      const hold = { kind: 'merge', body: { metadata: { finalizers: [finalizer] } } } as const;
      await server().client.patch(kinds.configMaps, { namespace, name: 'child' }, hold);
      await server().client.delete(kinds.configMaps, { namespace, name: 'owner' }, { propagation: 'Foreground' });
      const waiting = await server().client.get(kinds.configMaps, { namespace, name: 'owner' });
      expect(waiting.metadata?.finalizers).toEqual(['foregroundDeletion']);
      const deletionOfChild = async () =>
        (await server().client.get(kinds.configMaps, { namespace, name: 'child' })).metadata?.deletionTimestamp;
      await expect.poll(deletionOfChild, patience).toBeDefined();
      expect(await isThere(kinds.configMaps, owner)).toBe(true);
      await server().client.patch(
        kinds.configMaps,
        { namespace, name: 'child' },
        { kind: 'merge', body: { metadata: { finalizers: null } } },
      );
      await expectGone(kinds.configMaps, child);
      await expectGone(kinds.configMaps, owner);
    });

    it("of a deployment are its replica set and that one's pods", async () => {
      const namespace = await podNamespace(server());
      await server().client.create(kinds.deployments, deployment(namespace, 'web', 2));
      const count = async <T extends KubeObject>(type: ResourceType<T>) => (await server().client.list(type, { namespace })).items.length;
      await expect.poll(() => count(kinds.pods), patience).toBe(2);
      const [set] = (await server().client.list(kinds.replicaSets, { namespace })).items;
      expect(set?.metadata?.ownerReferences).toEqual([expect.objectContaining({ kind: 'Deployment', name: 'web', controller: true })]);
      await server().client.delete(kinds.deployments, { namespace, name: 'web' }, { propagation: 'Foreground' });
      await expect.poll(() => count(kinds.deployments), patience).toBe(0);
      expect([await count(kinds.replicaSets), await count(kinds.pods)]).toEqual([0, 0]);
    });
  });
}
