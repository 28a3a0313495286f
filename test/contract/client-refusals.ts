import { StatusError } from '@quartermaster/kernel';
import { kinds, resourceType } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { configMap, deployment, failureFrom, failureKind, pod, podNamespace, refusedFields, versionOf } from './client-fixtures.ts';
import type { ContractServer } from './contract-server.ts';

/** Which writes are refused, as what, and with which fields named. */
export function describeRefusals(server: () => ContractServer): void {
  describe('a create is refused', () => {
    it('when the name is taken, as already-exists', async () => {
      const namespace = await server().namespace();
      await server().client.create(kinds.configMaps, configMap(namespace, 'settings'));
      expect(await failureKind(server().client.create(kinds.configMaps, configMap(namespace, 'settings')))).toBe('already-exists');
    });

    it('when it has a resourceVersion', async () => {
      const namespace = await server().namespace();
      const refused = server().client.create(kinds.configMaps, { metadata: { namespace, name: 'settings', resourceVersion: '1' } });
      await expect(refused).rejects.toThrow('resourceVersion');
      expect(await server().client.find(kinds.configMaps, { namespace, name: 'settings' })).toBeUndefined();
    });

    it('when the name breaks the rules, naming metadata.name', async () => {
      const namespace = await server().namespace();
      expect(await refusedFields(server().client.create(kinds.configMaps, configMap(namespace, 'Not_A_Name')))).toEqual(['metadata.name']);
    });

    it('when it has neither name nor generateName, naming metadata.name', async () => {
      const namespace = await server().namespace();
      expect(await refusedFields(server().client.create(kinds.configMaps, { metadata: { namespace } }))).toEqual(['metadata.name']);
    });

    it('when a label value breaks the rules, naming metadata.labels', async () => {
      const namespace = await server().namespace();
      const refused = server().client.create(kinds.configMaps, { metadata: { namespace, name: 'settings', labels: { a: 'not a label' } } });
      expect(await refusedFields(refused)).toEqual(['metadata.labels']);
    });

    it('when required fields are missing, naming each', async () => {
      const namespace = await podNamespace(server());
      const refused = server().client.create(kinds.pods, {
        metadata: { namespace, name: 'web' },
        spec: { containers: [{ name: '', image: '' }] },
      });
      expect(await refusedFields(refused)).toEqual(expect.arrayContaining(['spec.containers[0].name', 'spec.containers[0].image']));
    });

    it('when a field has the wrong type, as bad-request', async () => {
      const namespace = await server().namespace();
      const wrong = { metadata: { namespace, name: 'settings' }, data: ['not', 'a', 'map'] };
      const untyped = resourceType<typeof wrong>(kinds.configMaps);
      expect(await failureKind(server().client.create(untyped, wrong))).toBe('bad-request');
    });

    it('when the namespace does not exist, as not-found', async () => {
      expect(await failureKind(server().client.create(kinds.configMaps, configMap('no-such-namespace', 'settings')))).toBe('not-found');
    });

    it('when the namespace is being deleted, as forbidden with that cause', async () => {
      const namespace = await server().namespace();
      const { client } = server();
      await client.create(kinds.configMaps, { metadata: { namespace, name: 'last', finalizers: ['example.com/hold'] } });
      await client.delete(kinds.namespaces, { name: namespace });
      const failure = await failureFrom(client.create(kinds.configMaps, configMap(namespace, 'late')));
      expect(failure).toEqual({
        kind: 'forbidden',
        causes: [expect.objectContaining({ reason: 'NamespaceTerminating', field: 'metadata.namespace' })],
      });
      const release = { kind: 'merge', body: { metadata: { finalizers: null } } } as const;
      await client.patch(kinds.configMaps, { namespace, name: 'last' }, release);
    });

    it('when a field is unknown and validation is Strict', async () => {
      const namespace = await server().namespace();
      const misspelt = { metadata: { namespace, name: 'settings' }, dataa: { colour: 'blue' } };
      const untyped = resourceType<typeof misspelt>(kinds.configMaps);
      const refused = server().client.create(untyped, misspelt, { fieldValidation: 'Strict' });
      await expect(refused).rejects.toThrow('dataa');
      expect(await failureKind(refused)).toBe('bad-request');
      expect(await server().client.find(kinds.configMaps, { namespace, name: 'settings' })).toBeUndefined();
    });

    it('but not for an unknown field when validation is Ignore: the field is dropped', async () => {
      const namespace = await server().namespace();
      const misspelt = { metadata: { namespace, name: 'settings' }, dataa: { colour: 'blue' } };
      const untyped = resourceType<typeof misspelt>(kinds.configMaps);
      expect(await server().client.create(untyped, misspelt, { fieldValidation: 'Ignore' })).not.toHaveProperty('dataa');
    });
  });

  describe('a replace is refused', () => {
    it('when its resourceVersion is old, as a conflict, and changes nothing', async () => {
      const namespace = await server().namespace();
      const { client } = server();
      const old = await client.create(kinds.configMaps, configMap(namespace, 'settings', { colour: 'blue' }));
      const current = await client.replace(kinds.configMaps, { ...old, data: { colour: 'red' } });
      expect(await failureKind(client.replace(kinds.configMaps, { ...old, data: { colour: 'green' } }))).toBe('conflict');
      expect(await client.get(kinds.configMaps, { namespace, name: 'settings' })).toEqual(current);
    });

    it('but not without a resourceVersion: the last writer wins', async () => {
      const namespace = await server().namespace();
      const { client } = server();
      await client.create(kinds.configMaps, configMap(namespace, 'settings', { colour: 'blue' }));
      const replaced = await client.replace(kinds.configMaps, configMap(namespace, 'settings', { shape: 'round' }));
      expect(replaced.data).toEqual({ shape: 'round' });
    });

    it('when its uid is of another object, as a conflict', async () => {
      const namespace = await server().namespace();
      await server().client.create(kinds.configMaps, configMap(namespace, 'settings'));
      const other = { metadata: { namespace, name: 'settings', uid: '00000000-0000-0000-0000-000000000001' } };
      expect(await failureKind(server().client.replace(kinds.configMaps, other))).toBe('conflict');
    });

    it('when the object does not exist, as not-found', async () => {
      const namespace = await server().namespace();
      expect(await failureKind(server().client.replace(kinds.configMaps, configMap(namespace, 'nothing')))).toBe('not-found');
    });

    it('when it changes an immutable field, naming the field', async () => {
      const namespace = await server().namespace();
      const created = await server().client.create(kinds.deployments, deployment(namespace, 'web', 0));
      const labels = { app: 'other' };
      const { resourceVersion: _, ...metadata } = created.metadata ?? {};
      const spec = {
        selector: { matchLabels: labels },
        template: { ...deployment(namespace, 'web').spec?.template, metadata: { labels } },
      };
      expect(await refusedFields(server().client.replace(kinds.deployments, { metadata, spec }))).toContain('spec.selector');
    });

    it('when it changes what a pod runs on, naming spec', async () => {
      const namespace = await podNamespace(server());
      const created = await server().client.create(kinds.pods, pod(namespace, 'web'));
      const { spec } = created;
      const moved = { ...created, spec: { containers: [], ...spec, hostNetwork: true } };
      expect(await refusedFields(server().client.replace(kinds.pods, moved))).toContain('spec');
    });

    it('when the object is marked immutable, naming the field', async () => {
      const namespace = await server().namespace();
      const sealed = await server().client.create(kinds.configMaps, { ...configMap(namespace, 'sealed', { a: '1' }), immutable: true });
      expect(await refusedFields(server().client.replace(kinds.configMaps, { ...sealed, data: { a: '2' } }))).toEqual(['data']);
    });

    it('for all but one of many writers of the same version', async () => {
      const namespace = await server().namespace();
      const { client } = server();
      const base = await client.create(kinds.configMaps, configMap(namespace, 'counter', { writer: 'none' }));
      const writers = ['a', 'b', 'c', 'd', 'e', 'f'];
      const results = await Promise.allSettled(writers.map((writer) => client.replace(kinds.configMaps, { ...base, data: { writer } })));
      const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      expect(won).toHaveLength(1);
      const stored = await client.get(kinds.configMaps, { namespace, name: 'counter' });
      expect([stored.data, versionOf(stored)]).toEqual([won[0]?.data, won[0]?.metadata?.resourceVersion]);
    });
  });

  describe('a request is refused before it is sent', () => {
    const invalid = expect.objectContaining({ name: 'StatusError', code: 'invalid_argument', details: undefined });

    it('when a namespaced kind gets no namespace', async () => {
      const { client } = server();
      await expect(client.get(kinds.configMaps, { name: 'settings' })).rejects.toThrow('metadata.namespace must be set');
      await expect(client.create(kinds.configMaps, { metadata: { name: 'settings' } })).rejects.toEqual(invalid);
      await expect(client.replace(kinds.configMaps, { metadata: { name: 'settings' } })).rejects.toEqual(invalid);
      await expect(client.delete(kinds.configMaps, { name: 'settings' })).rejects.toEqual(invalid);
      await expect(client.deleteCollection(kinds.configMaps, {})).rejects.toEqual(invalid);
    });

    it.each(['', '.', '..', 'a/b', 'a%2fb'])('when the name is "%s", which no object can have', async (name) => {
      const { client } = server();
      await expect(client.get(kinds.configMaps, { namespace: 'default', name })).rejects.toEqual(invalid);
      await expect(client.delete(kinds.configMaps, { namespace: 'default', name })).rejects.toThrow(StatusError);
    });

    it('when an object to replace or to apply has no name', async () => {
      const { client } = server();
      const nameless = { metadata: { namespace: 'default' } };
      await expect(client.replace(kinds.configMaps, nameless)).rejects.toThrow('metadata.name must not be empty');
      await expect(client.apply(kinds.configMaps, nameless, { fieldManager: 'painter' })).rejects.toEqual(invalid);
    });
  });
}
