import { kinds } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { configMap, deployment, exists, failureKind, statefulSet, uniqueName, versionOf } from './client-fixtures.ts';
import type { ContractServer } from './contract-server.ts';

/** What the server stamps on an object and which writes move which stamp. */
export function describeObjects(server: () => ContractServer): void {
  describe('an object', () => {
    it('comes back from create as it was sent', async () => {
      const namespace = await server().namespace();
      const created = await server().client.create(kinds.configMaps, configMap(namespace, 'settings', { colour: 'blue' }));
      expect(created).toMatchObject({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace, name: 'settings' },
        data: { colour: 'blue' },
      });
    });

    it('gets a uid, a resourceVersion and a creationTimestamp from the server', async () => {
      const namespace = await server().namespace();
      const { metadata } = await server().client.create(kinds.configMaps, configMap(namespace, 'settings'));
      expect(metadata?.uid).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(metadata?.resourceVersion).toMatch(/^[1-9][0-9]*$/);
      expect(metadata?.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    });

    it('keeps no uid and no creationTimestamp that its creator made up', async () => {
      const namespace = await server().namespace();
      const uid = '00000000-0000-0000-0000-000000000001';
      const { metadata } = await server().client.create(kinds.configMaps, {
        metadata: { namespace, name: 'settings', uid, creationTimestamp: '2001-01-01T00:00:00Z' },
      });
      expect(metadata?.uid).not.toBe(uid);
      expect(metadata?.creationTimestamp).not.toContain('2001');
    });

    it('reads as it was written', async () => {
      const namespace = await server().namespace();
      const created = await server().client.create(kinds.configMaps, configMap(namespace, 'settings', { colour: 'blue' }));
      expect(await server().client.get(kinds.configMaps, { namespace, name: 'settings' })).toEqual(created);
    });

    it('gets a new resourceVersion and keeps uid and creationTimestamp when it is replaced', async () => {
      const namespace = await server().namespace();
      const before = await server().client.create(kinds.configMaps, configMap(namespace, 'settings', { colour: 'blue' }));
      const after = await server().client.replace(kinds.configMaps, { ...before, data: { colour: 'red' } });
      expect(after.data).toEqual({ colour: 'red' });
      expect(after.metadata?.uid).toBe(before.metadata?.uid);
      expect(after.metadata?.creationTimestamp).toBe(before.metadata?.creationTimestamp);
      expect(versionOf(after)).not.toBe(versionOf(before));
    });

    it('has another uid when it is made again under the same name', async () => {
      const namespace = await server().namespace();
      const first = await server().client.create(kinds.configMaps, configMap(namespace, 'settings'));
      await server().client.delete(kinds.configMaps, { namespace, name: 'settings' });
      const second = await server().client.create(kinds.configMaps, configMap(namespace, 'settings'));
      expect(second.metadata?.uid).not.toBe(first.metadata?.uid);
    });

    it('gets a name that starts with generateName', async () => {
      const namespace = await server().namespace();
      const make = () => server().client.create(kinds.configMaps, { metadata: { namespace, generateName: 'part-' } });
      const names = await Promise.all([make(), make()].map(async (made) => (await made).metadata?.name));
      expect(names[0]).toMatch(/^part-[a-z0-9]{5}$/);
      expect(names[1]).toMatch(/^part-[a-z0-9]{5}$/);
      expect(names[0]).not.toBe(names[1]);
    });

    it('is gone after delete', async () => {
      const namespace = await server().namespace();
      const settings = await server().client.create(kinds.configMaps, configMap(namespace, 'settings'));
      await server().client.delete(kinds.configMaps, { namespace, name: 'settings' });
      expect(await exists(server().client, kinds.configMaps, settings)).toBe(false);
    });

    it('that does not exist is a not-found failure for get and undefined for find', async () => {
      const namespace = await server().namespace();
      const ref = { namespace, name: 'nothing' };
      expect(await failureKind(server().client.get(kinds.configMaps, ref))).toBe('not-found');
      expect(await server().client.find(kinds.configMaps, ref)).toBeUndefined();
    });

    it('can be cluster-scoped', async () => {
      const name = uniqueName('fast');
      const created = await server().client.create(kinds.storageClasses, { metadata: { name }, provisioner: 'example.com/none' });
      expect(created.metadata?.namespace).toBeUndefined();
      expect(await server().client.get(kinds.storageClasses, { name })).toEqual(created);
      await server().client.delete(kinds.storageClasses, { name });
      expect(await server().client.find(kinds.storageClasses, { name })).toBeUndefined();
    });

    it('can have a name that a URL must encode', async () => {
      const name = `${uniqueName('team')}:read pods?#ü`;
      const created = await server().client.create(kinds.clusterRoles, { metadata: { name }, rules: [] });
      expect(await server().client.get(kinds.clusterRoles, { name })).toEqual(created);
      const relabelled = { ...created, metadata: { ...created.metadata, labels: { team: 'one' } } };
      expect((await server().client.replace(kinds.clusterRoles, relabelled)).metadata?.name).toBe(name);
      await server().client.delete(kinds.clusterRoles, { name });
      expect(await server().client.find(kinds.clusterRoles, { name })).toBeUndefined();
    });

    it('keeps text of any script and control characters in its values', async () => {
      const namespace = await server().namespace();
      const data = { text: 'żółw 亀 🐢 "quoted" \\ \t\n \u2028 end' };
      await server().client.create(kinds.configMaps, configMap(namespace, 'settings', data));
      expect((await server().client.get(kinds.configMaps, { namespace, name: 'settings' })).data).toEqual(data);
    });
  });

  describe('the generation of an object', () => {
    it('starts at 1 and rises with the spec', async () => {
      const namespace = await server().namespace();
      const before = await server().client.create(kinds.deployments, deployment(namespace, 'web', 0));
      expect(before.metadata?.generation).toBe(1);
      const ref = { namespace, name: 'web' };
      const after = await server().client.patch(kinds.deployments, ref, { kind: 'merge', body: { spec: { minReadySeconds: 5 } } });
      expect(after.metadata?.generation).toBe(2);
    });

    it('does not rise with labels or annotations, though the resourceVersion does', async () => {
      const namespace = await server().namespace();
      const before = await server().client.create(kinds.statefulSets, statefulSet(namespace, 'store'));
      const body = { metadata: { labels: { tier: 'back' }, annotations: { note: 'seen' } } };
      const after = await server().client.patch(kinds.statefulSets, { namespace, name: 'store' }, { kind: 'merge', body });
      expect([before.metadata?.generation, after.metadata?.generation]).toEqual([1, 1]);
      expect(versionOf(after)).not.toBe(versionOf(before));
    });

    it('does not rise with the status', async () => {
      const namespace = await server().namespace();
      const before = await server().client.create(kinds.statefulSets, statefulSet(namespace, 'store'));
      const conditions = [{ type: 'Checked', status: 'True' }];
      const after = await server().client.patch(
        kinds.statefulSets,
        { namespace, name: 'store' },
        { kind: 'merge', body: { status: { conditions } } },
        { subresource: 'status' },
      );
      expect(after.status?.conditions).toMatchObject(conditions);
      expect([before.metadata?.generation, after.metadata?.generation]).toEqual([1, 1]);
    });
  });

  describe('a write', () => {
    it('that changes nothing leaves the resourceVersion', async () => {
      const namespace = await server().namespace();
      const before = await server().client.create(kinds.configMaps, configMap(namespace, 'settings', { colour: 'blue' }));
      const after = await server().client.replace(kinds.configMaps, before);
      expect(versionOf(after)).toBe(versionOf(before));
    });

    it('does not set the status of a kind that has it as a subresource', async () => {
      const namespace = await server().namespace();
      const created = await server().client.create(kinds.deployments, {
        ...deployment(namespace, 'web', 0),
        status: { replicas: 7, readyReplicas: 7 },
      });
      expect(created.status?.readyReplicas).toBeUndefined();
      const current = await server().client.get(kinds.deployments, { namespace, name: 'web' });
      const { resourceVersion: _, ...metadata } = current.metadata ?? {};
      const replaced = await server().client.replace(kinds.deployments, { ...current, metadata, status: { readyReplicas: 7 } });
      expect(replaced.status?.readyReplicas).toBeUndefined();
    });

    it('is shown under its field manager', async () => {
      const namespace = await server().namespace();
      const created = await server().client.create(kinds.configMaps, configMap(namespace, 'settings', { colour: 'blue' }), {
        fieldManager: 'painter',
      });
      expect(created.metadata?.managedFields).toEqual([expect.objectContaining({ manager: 'painter', operation: 'Update' })]);
    });

    it('as a dry run answers as if it were done and stores nothing', async () => {
      const namespace = await server().namespace();
      const { client } = server();
      const settings = configMap(namespace, 'settings', { colour: 'blue' });
      const answered = await client.create(kinds.configMaps, settings, { dryRun: true });
      expect(answered.metadata?.uid).toBeDefined();
      expect(await exists(client, kinds.configMaps, settings)).toBe(false);

      const stored = await client.create(kinds.configMaps, settings);
      const changed = await client.replace(kinds.configMaps, { ...stored, data: { colour: 'red' } }, { dryRun: true });
      expect(changed.data).toEqual({ colour: 'red' });
      expect(await client.get(kinds.configMaps, { namespace, name: 'settings' })).toEqual(stored);
    });

    it('as a dry run is validated like any other', async () => {
      const namespace = await server().namespace();
      const refused = server().client.create(kinds.configMaps, configMap(namespace, 'Not A Name'), { dryRun: true });
      expect(await failureKind(refused)).toBe('invalid');
    });
  });

  describe('a secret', () => {
    it('takes stringData and gives it back as data', async () => {
      const namespace = await server().namespace();
      const created = await server().client.create(kinds.secrets, {
        metadata: { namespace, name: 'key' },
        stringData: { password: 'påss' },
      });
      expect(created.stringData).toBeUndefined();
      expect(Buffer.from(created.data?.['password'] ?? '', 'base64').toString('utf8')).toBe('påss');
    });

    it('prefers stringData over data of the same key', async () => {
      const namespace = await server().namespace();
      const created = await server().client.create(kinds.secrets, {
        metadata: { namespace, name: 'key' },
        data: { password: Buffer.from('old').toString('base64'), user: Buffer.from('me').toString('base64') },
        stringData: { password: 'new' },
      });
      expect(created.data).toEqual({
        password: Buffer.from('new').toString('base64'),
        user: Buffer.from('me').toString('base64'),
      });
    });
  });
}
