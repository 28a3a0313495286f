import { type JsonPatchOperation, kinds, type Patch } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { configMap, deployment, failureKind, refusedFields, statefulSet, versionOf } from './client-fixtures.ts';
import type { ContractServer } from './contract-server.ts';

/** The three patch formats. Server-side apply has a suite of its own. */
export function describePatches(server: () => ContractServer): void {
  /** A config map with these data, patched; answers the data it then has. */
  const patched = async (data: Record<string, string>, patch: Patch): Promise<Record<string, string> | undefined> => {
    const namespace = await server().namespace();
    await server().client.create(kinds.configMaps, configMap(namespace, 'settings', data));
    const answered = await server().client.patch(kinds.configMaps, { namespace, name: 'settings' }, patch);
    const stored = await server().client.get(kinds.configMaps, { namespace, name: 'settings' });
    expect(stored).toEqual(answered);
    return stored.data;
  };
  const json = (...operations: readonly JsonPatchOperation[]): Patch => ({ kind: 'json', operations });
  const merge = (body: object): Patch => ({ kind: 'merge', body });
  const strategic = (body: object): Patch => ({ kind: 'strategic', body });

  describe('a JSON patch', () => {
    it('adds a field', async () => {
      expect(await patched({ a: '1' }, json({ op: 'add', path: '/data/b', value: '2' }))).toEqual({ a: '1', b: '2' });
    });

    it('replaces a field', async () => {
      expect(await patched({ a: '1' }, json({ op: 'replace', path: '/data/a', value: '2' }))).toEqual({ a: '2' });
    });

    it('removes a field', async () => {
      expect(await patched({ a: '1', b: '2' }, json({ op: 'remove', path: '/data/a' }))).toEqual({ b: '2' });
    });

    it('moves a field', async () => {
      expect(await patched({ a: '1' }, json({ op: 'move', from: '/data/a', path: '/data/b' }))).toEqual({ b: '1' });
    });

    it('copies a field', async () => {
      expect(await patched({ a: '1' }, json({ op: 'copy', from: '/data/a', path: '/data/b' }))).toEqual({ a: '1', b: '1' });
    });

    it('goes on when its test holds', async () => {
      const operations = json({ op: 'test', path: '/data/a', value: '1' }, { op: 'replace', path: '/data/a', value: '2' });
      expect(await patched({ a: '1' }, operations)).toEqual({ a: '2' });
    });

    it('writes ~1 for a slash in a key', async () => {
      const namespace = await server().namespace();
      const annotations = { 'example.com/note': 'old' };
      await server().client.create(kinds.configMaps, { metadata: { namespace, name: 'settings', annotations } });
      const path = '/metadata/annotations/example.com~1note';
      const after = await server().client.patch(
        kinds.configMaps,
        { namespace, name: 'settings' },
        json({ op: 'replace', path, value: 'new' }),
      );
      expect(after.metadata?.annotations).toEqual({ 'example.com/note': 'new' });
    });

    it('is refused as invalid when its test fails', async () => {
      expect(await failureKind(patched({ a: '1' }, json({ op: 'test', path: '/data/a', value: '9' })))).toBe('invalid');
    });

    it('is refused as invalid when it removes what is not there', async () => {
      expect(await failureKind(patched({ a: '1' }, json({ op: 'remove', path: '/data/z' })))).toBe('invalid');
    });

    it('changes nothing when a later operation fails', async () => {
      const namespace = await server().namespace();
      const ref = { namespace, name: 'settings' };
      const before = await server().client.create(kinds.configMaps, configMap(namespace, 'settings', { a: '1' }));
      const broken = json({ op: 'replace', path: '/data/a', value: '2' }, { op: 'test', path: '/data/b', value: 'there' });
      expect(await failureKind(server().client.patch(kinds.configMaps, ref, broken))).toBe('invalid');
      expect(await server().client.get(kinds.configMaps, ref)).toEqual(before);
    });

    it('can insist on a resourceVersion with a test', async () => {
      const namespace = await server().namespace();
      const ref = { namespace, name: 'settings' };
      const before = await server().client.create(kinds.configMaps, configMap(namespace, 'settings', { a: '1' }));
      const claim = (value: string): Patch =>
        json({ op: 'test', path: '/metadata/resourceVersion', value: versionOf(before) }, { op: 'replace', path: '/data/a', value });
      await server().client.patch(kinds.configMaps, ref, claim('first'));
      expect(['invalid', 'conflict']).toContain(await failureKind(server().client.patch(kinds.configMaps, ref, claim('second'))));
      expect((await server().client.get(kinds.configMaps, ref)).data).toEqual({ a: 'first' });
    });
  });

  describe('a merge patch', () => {
    it('sets fields and leaves the others', async () => {
      expect(await patched({ a: '1', b: '2' }, merge({ data: { b: '3', c: '4' } }))).toEqual({ a: '1', b: '3', c: '4' });
    });

    it('deletes a field with null', async () => {
      expect(await patched({ a: '1', b: '2' }, merge({ data: { a: null } }))).toEqual({ b: '2' });
    });

    it('replaces a list as a whole', async () => {
      const namespace = await server().namespace();
      await server().client.create(kinds.statefulSets, statefulSet(namespace, 'store'));
      const containers = [{ name: 'other', image: 'registry.example/other' }];
      const after = await server().client.patch(
        kinds.statefulSets,
        { namespace, name: 'store' },
        merge({ spec: { template: { spec: { containers } } } }),
      );
      expect(after.spec?.template.spec?.containers.map(({ name }) => name)).toEqual(['other']);
    });

    it('that changes nothing leaves the resourceVersion', async () => {
      const namespace = await server().namespace();
      const before = await server().client.create(kinds.configMaps, configMap(namespace, 'settings', { a: '1' }));
      const after = await server().client.patch(kinds.configMaps, { namespace, name: 'settings' }, merge({ data: { a: '1' } }));
      expect(versionOf(after)).toBe(versionOf(before));
    });

    it('with an old resourceVersion in its body is a conflict', async () => {
      const namespace = await server().namespace();
      const ref = { namespace, name: 'settings' };
      const old = await server().client.create(kinds.configMaps, configMap(namespace, 'settings', { a: '1' }));
      const body = { metadata: { resourceVersion: versionOf(old) }, data: { a: '2' } };
      await server().client.patch(kinds.configMaps, ref, merge(body));
      const again = server().client.patch(kinds.configMaps, ref, merge({ ...body, data: { a: '3' } }));
      expect(await failureKind(again)).toBe('conflict');
      expect((await server().client.get(kinds.configMaps, ref)).data).toEqual({ a: '2' });
    });

    it('with the uid of another object in its body is refused, naming metadata.uid', async () => {
      const namespace = await server().namespace();
      await server().client.create(kinds.configMaps, configMap(namespace, 'settings'));
      const body = { metadata: { uid: '00000000-0000-0000-0000-000000000001' }, data: { a: '2' } };
      const refused = server().client.patch(kinds.configMaps, { namespace, name: 'settings' }, merge(body));
      expect(await refusedFields(refused)).toEqual(['metadata.uid']);
    });

    it('of an object that does not exist is not-found', async () => {
      const namespace = await server().namespace();
      const missing = server().client.patch(kinds.configMaps, { namespace, name: 'nothing' }, merge({ data: {} }));
      expect(await failureKind(missing)).toBe('not-found');
    });

    it('to an invalid object is refused, naming the field', async () => {
      const namespace = await server().namespace();
      await server().client.create(kinds.statefulSets, statefulSet(namespace, 'store'));
      const negative = server().client.patch(kinds.statefulSets, { namespace, name: 'store' }, merge({ spec: { replicas: -1 } }));
      expect(await refusedFields(negative)).toEqual(['spec.replicas']);
    });

    it('as a dry run answers the result and stores nothing', async () => {
      const namespace = await server().namespace();
      const ref = { namespace, name: 'settings' };
      const before = await server().client.create(kinds.configMaps, configMap(namespace, 'settings', { a: '1' }));
      const answered = await server().client.patch(kinds.configMaps, ref, merge({ data: { a: '2' } }), { dryRun: true });
      expect(answered.data).toEqual({ a: '2' });
      expect(await server().client.get(kinds.configMaps, ref)).toEqual(before);
    });

    it('of the status changes nothing else', async () => {
      const namespace = await server().namespace();
      await server().client.create(kinds.statefulSets, statefulSet(namespace, 'store'));
      const conditions = [{ type: 'Checked', status: 'True' }];
      const after = await server().client.patch(
        kinds.statefulSets,
        { namespace, name: 'store' },
        merge({ spec: { minReadySeconds: 9 }, status: { conditions } }),
        { subresource: 'status' },
      );
      expect(after.status?.conditions).toMatchObject(conditions);
      expect(after.spec?.minReadySeconds).not.toBe(9);
    });
  });

  describe('a strategic patch', () => {
    const containersAfter = async (containers: readonly object[]): Promise<object[] | undefined> => {
      const namespace = await server().namespace();
      const base = deployment(namespace, 'web', 0);
      const main = { name: 'main', image: 'registry.example/main' };
      const side = { name: 'side', image: 'registry.example/side' };
      const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [main, side] } };
      await server().client.create(kinds.deployments, {
        ...base,
        spec: { selector: { matchLabels: { app: 'web' } }, replicas: 0, template },
      });
      const body = { spec: { template: { spec: { containers } } } };
      const after = await server().client.patch(kinds.deployments, { namespace, name: 'web' }, strategic(body));
      return after.spec?.template.spec?.containers.map(({ name, image }) => ({ name, image }));
    };

    it('merges containers by their name', async () => {
      expect(await containersAfter([{ name: 'side', image: 'registry.example/side:2' }])).toEqual([
        { name: 'main', image: 'registry.example/main' },
        { name: 'side', image: 'registry.example/side:2' },
      ]);
    });

    it('deletes a container with a $patch directive', async () => {
      expect(await containersAfter([{ name: 'side', $patch: 'delete' }])).toEqual([{ name: 'main', image: 'registry.example/main' }]);
    });

    it('replaces a list with a $patch directive', async () => {
      const only = { name: 'only', image: 'registry.example/only' };
      expect(await containersAfter([only, { $patch: 'replace' }])).toEqual([only]);
    });
  });
}
