import { kinds } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { configMap, type Deployment, exists, failureKind, refusedFields, versionOf } from './client-fixtures.ts';
import type { ContractServer } from './contract-server.ts';

type Container = Readonly<{ name: string } & Record<string, unknown>>;

/** Only what its applier wants to own. */
function workload(namespace: string, container: Container, replicas?: number): Deployment {
  const labels = { app: 'web' };
  return {
    metadata: { namespace, name: 'web' },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ image: 'registry.example/main', ...container }] } },
    },
  };
}

/** Server-side apply: who owns which field, and what becomes of fields that nobody wants any more. */
export function describeApply(server: () => ContractServer): void {
  const apply = async (namespace: string, fieldManager: string, data: Record<string, string>, options: { force?: boolean } = {}) =>
    await server().client.apply(kinds.configMaps, configMap(namespace, 'settings', data), { fieldManager, ...options });
  const stored = async (namespace: string) => await server().client.get(kinds.configMaps, { namespace, name: 'settings' });

  describe('an apply', () => {
    it('creates what does not exist', async () => {
      const namespace = await server().namespace();
      const applied = await apply(namespace, 'painter', { colour: 'blue' });
      expect(applied.metadata?.uid).toBeDefined();
      expect(await stored(namespace)).toEqual(applied);
    });

    it('that is repeated leaves the resourceVersion', async () => {
      const namespace = await server().namespace();
      const first = await apply(namespace, 'painter', { colour: 'blue' });
      const second = await apply(namespace, 'painter', { colour: 'blue' });
      expect(versionOf(second)).toBe(versionOf(first));
    });

    it('records its manager as the owner of exactly its fields', async () => {
      const namespace = await server().namespace();
      const { metadata } = await apply(namespace, 'painter', { colour: 'blue' });
      expect(metadata?.managedFields).toEqual([
        expect.objectContaining({
          manager: 'painter',
          operation: 'Apply',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { 'f:colour': {} } },
        }),
      ]);
    });

    it('adds to what others own and leaves theirs', async () => {
      const namespace = await server().namespace();
      await apply(namespace, 'painter', { colour: 'blue' });
      const both = await apply(namespace, 'carver', { shape: 'round' });
      expect(both.data).toEqual({ colour: 'blue', shape: 'round' });
    });

    it('deletes a field that it no longer names and nobody else owns', async () => {
      const namespace = await server().namespace();
      await apply(namespace, 'painter', { colour: 'blue', finish: 'matt' });
      expect((await apply(namespace, 'painter', { colour: 'blue' })).data).toEqual({ colour: 'blue' });
    });

    it('keeps a field that it no longer names while another owns it too', async () => {
      const namespace = await server().namespace();
      await apply(namespace, 'painter', { colour: 'blue', finish: 'matt' });
      await apply(namespace, 'carver', { finish: 'matt' });
      expect((await apply(namespace, 'painter', { colour: 'blue' })).data).toEqual({ colour: 'blue', finish: 'matt' });
    });

    it('with the same value as another owner shares the field', async () => {
      const namespace = await server().namespace();
      await apply(namespace, 'painter', { colour: 'blue' });
      const shared = await apply(namespace, 'carver', { colour: 'blue' });
      expect(shared.metadata?.managedFields?.map(({ manager }) => manager).sort()).toEqual(['carver', 'painter']);
    });

    it("over another manager's field is a conflict that names the field and the manager", async () => {
      const namespace = await server().namespace();
      await apply(namespace, 'painter', { colour: 'blue' });
      const refused = apply(namespace, 'carver', { colour: 'red' });
      expect(await refusedFields(refused)).toEqual(['.data.colour']);
      await expect(refused).rejects.toThrow('painter');
      expect((await stored(namespace)).data).toEqual({ colour: 'blue' });
    });

    it('with force takes the field over', async () => {
      const namespace = await server().namespace();
      await apply(namespace, 'painter', { colour: 'blue' });
      const taken = await apply(namespace, 'carver', { colour: 'red' }, { force: true });
      expect(taken.data).toEqual({ colour: 'red' });
      expect(taken.metadata?.managedFields?.map(({ manager }) => manager)).toEqual(['carver']);
    });

    it('conflicts with a field that was last written by an update', async () => {
      const namespace = await server().namespace();
      const created = await server().client.create(kinds.configMaps, configMap(namespace, 'settings', { colour: 'blue' }), {
        fieldManager: 'hand',
      });
      expect(await refusedFields(apply(namespace, 'painter', { colour: 'red' }))).toEqual(['.data.colour']);
      expect(await stored(namespace)).toEqual(created);
    });

    it('loses a field to an update of another manager', async () => {
      const namespace = await server().namespace();
      await apply(namespace, 'painter', { colour: 'blue' });
      const patch = { kind: 'merge', body: { data: { colour: 'red' } } } as const;
      await server().client.patch(kinds.configMaps, { namespace, name: 'settings' }, patch, { fieldManager: 'hand' });
      expect(await refusedFields(apply(namespace, 'painter', { colour: 'blue' }))).toEqual(['.data.colour']);
    });

    it('needs a field manager', async () => {
      const namespace = await server().namespace();
      expect(['bad-request', 'invalid']).toContain(await failureKind(apply(namespace, '', { colour: 'blue' })));
    });

    it('with an old resourceVersion is a conflict', async () => {
      const namespace = await server().namespace();
      const old = await apply(namespace, 'painter', { colour: 'blue' });
      await apply(namespace, 'painter', { colour: 'red' });
      const settings = configMap(namespace, 'settings', { colour: 'green' });
      const late = { ...settings, metadata: { ...settings.metadata, resourceVersion: versionOf(old) } };
      expect(await failureKind(server().client.apply(kinds.configMaps, late, { fieldManager: 'painter' }))).toBe('conflict');
      expect((await stored(namespace)).data).toEqual({ colour: 'red' });
    });

    it('with the uid of an object that is gone is a conflict and creates nothing', async () => {
      const namespace = await server().namespace();
      const first = await apply(namespace, 'painter', { colour: 'blue' });
      await server().client.delete(kinds.configMaps, { namespace, name: 'settings' });
      const settings = configMap(namespace, 'settings', { colour: 'blue' });
      const late = { ...settings, metadata: { ...settings.metadata, uid: first.metadata?.uid ?? '' } };
      expect(await failureKind(server().client.apply(kinds.configMaps, late, { fieldManager: 'painter' }))).toBe('conflict');
      expect(await exists(server().client, kinds.configMaps, settings)).toBe(false);
    });

    it('may not carry managedFields', async () => {
      const namespace = await server().namespace();
      const first = await apply(namespace, 'painter', { colour: 'blue' });
      expect(first.metadata?.managedFields).toHaveLength(1);
      expect(await failureKind(server().client.apply(kinds.configMaps, first, { fieldManager: 'painter' }))).toBe('bad-request');
    });

    it('as a dry run answers the result and stores nothing', async () => {
      const namespace = await server().namespace();
      const settings = configMap(namespace, 'settings', { colour: 'blue' });
      const answered = await server().client.apply(kinds.configMaps, settings, { fieldManager: 'painter', dryRun: true });
      expect(answered.data).toEqual({ colour: 'blue' });
      expect(await exists(server().client, kinds.configMaps, settings)).toBe(false);
    });

    it('of an invalid object is refused, naming the field', async () => {
      const namespace = await server().namespace();
      const refused = server().client.apply(kinds.deployments, workload(namespace, { name: 'main' }, -1), { fieldManager: 'painter' });
      expect(await refusedFields(refused)).toEqual(['spec.replicas']);
    });

    it('of an unknown field is refused when validation is Strict', async () => {
      const namespace = await server().namespace();
      const misspelt = workload(namespace, { name: 'main', imagge: 'x' }, 0);
      const refused = server().client.apply(kinds.deployments, misspelt, { fieldManager: 'painter', fieldValidation: 'Strict' });
      await expect(refused).rejects.toThrow('imagge');
    });
  });

  describe('an apply to a list of keyed items', () => {
    const containerAfter = async (namespace: string, fieldManager: string, container: Container, replicas?: number) => {
      const applied = await server().client.apply(kinds.deployments, workload(namespace, container, replicas), { fieldManager });
      return applied.spec?.template.spec?.containers[0];
    };

    it('merges environment variables of two managers by name', async () => {
      const namespace = await server().namespace();
      await containerAfter(namespace, 'painter', { name: 'main', env: [{ name: 'A', value: '1' }] }, 0);
      const container = await containerAfter(namespace, 'carver', { name: 'main', env: [{ name: 'B', value: '2' }] });
      expect(container?.env).toEqual([
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ]);
    });

    it('merges ports by number and protocol', async () => {
      const namespace = await server().namespace();
      await containerAfter(namespace, 'painter', { name: 'main', ports: [{ containerPort: 80, protocol: 'TCP' }] }, 0);
      const container = await containerAfter(namespace, 'carver', {
        name: 'main',
        ports: [
          { containerPort: 80, protocol: 'TCP', name: 'web' },
          { containerPort: 53, protocol: 'UDP' },
        ],
      });
      expect(container?.ports).toEqual([
        { containerPort: 80, protocol: 'TCP', name: 'web' },
        { containerPort: 53, protocol: 'UDP' },
      ]);
    });

    it('removes only the items that its manager owned alone', async () => {
      const namespace = await server().namespace();
      await containerAfter(
        namespace,
        'painter',
        {
          name: 'main',
          env: [
            { name: 'A', value: '1' },
            { name: 'B', value: '2' },
          ],
        },
        0,
      );
      await containerAfter(namespace, 'carver', { name: 'main', env: [{ name: 'B', value: '2' }] });
      const container = await containerAfter(namespace, 'painter', { name: 'main' }, 0);
      expect(container?.env).toEqual([{ name: 'B', value: '2' }]);
    });

    it('names the key of the item in a conflict', async () => {
      const namespace = await server().namespace();
      await containerAfter(namespace, 'painter', { name: 'main', env: [{ name: 'A', value: '1' }] }, 0);
      const refused = containerAfter(namespace, 'carver', { name: 'main', env: [{ name: 'A', value: '2' }] });
      expect(await refusedFields(refused)).toEqual(['.spec.template.spec.containers[name="main"].env[name="A"].value']);
    });
  });

  describe('an apply of the status', () => {
    it('belongs to its own manager and leaves the spec to others', async () => {
      const namespace = await server().namespace();
      await server().client.apply(kinds.deployments, workload(namespace, { name: 'main' }, 0), { fieldManager: 'painter' });
      const conditions = [{ type: 'Checked', status: 'True' }];
      const applied = await server().client.apply(
        kinds.deployments,
        { metadata: { namespace, name: 'web' }, status: { conditions } },
        { fieldManager: 'inspector', subresource: 'status' },
      );
      expect(applied.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Checked', status: 'True' }));
      expect(applied.spec?.replicas).toBe(0);
      expect(applied.metadata?.managedFields).toContainEqual(
        expect.objectContaining({ manager: 'inspector', operation: 'Apply', subresource: 'status' }),
      );
    });

    it('of an object that does not exist is not-found', async () => {
      const namespace = await server().namespace();
      const missing = server().client.apply(
        kinds.deployments,
        { metadata: { namespace, name: 'nothing' }, status: { replicas: 1 } },
        { fieldManager: 'inspector', subresource: 'status' },
      );
      expect(await failureKind(missing)).toBe('not-found');
    });
  });
}
