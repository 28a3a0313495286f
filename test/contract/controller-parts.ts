import {
  type DryRunWrite,
  DryRunWriter,
  EventRecorder,
  ensureFinalizer,
  removeFinalizer,
  withOwner,
  writeStatus,
} from '@quartermaster/controller';
import { isFailure, kinds } from '@quartermaster/kube';
import type { ConfigMap } from '@quartermaster/kube/shapes';
import { describe, expect, it, vi } from 'vitest';
import type { ContractServer } from './contract-server.ts';

const soon = { timeout: 40_000, interval: 50 };
const isConflict = (error: unknown): boolean => isFailure(error, 'conflict');

/** Finalizers, status, events, owners and dry runs as the server takes them. */
export function describeControllerParts(server: () => ContractServer): void {
  describe('parts of a controller', () => {
    async function configMap(metadata: ConfigMap['metadata'] = {}): Promise<ConfigMap> {
      const namespace = await server().namespace();
      return await server().client.create(kinds.configMaps, { metadata: { ...metadata, namespace, name: 'a' }, data: { x: '1' } });
    }
    const reread = (object: ConfigMap) =>
      server().client.find(kinds.configMaps, { namespace: object.metadata?.namespace ?? '', name: 'a' });

    it('adds a finalizer once and removes it, leaving those of others', async () => {
      const object = await configMap({ finalizers: ['other.example.com/x'] });
      const { client } = server();
      const once = await ensureFinalizer(client, kinds.configMaps, object, 'example.com/mine');
      const twice = await ensureFinalizer(client, kinds.configMaps, once, 'example.com/mine');
      expect(twice.metadata?.finalizers).toEqual(['other.example.com/x', 'example.com/mine']);
      expect(twice.metadata?.resourceVersion).toBe(once.metadata?.resourceVersion);
      await removeFinalizer(client, kinds.configMaps, twice, 'example.com/mine');
      expect((await reread(object))?.metadata?.finalizers).toEqual(['other.example.com/x']);
    });

    it('does not lose a finalizer that somebody else added meanwhile', async () => {
      const object = await configMap();
      const { client } = server();
      await ensureFinalizer(client, kinds.configMaps, object, 'example.com/theirs');
      await expect(ensureFinalizer(client, kinds.configMaps, object, 'example.com/mine')).rejects.toSatisfy(isConflict);
      expect((await reread(object))?.metadata?.finalizers).toEqual(['example.com/theirs']);
    });

    it('takes the removal of a finalizer from an object that is gone as done', async () => {
      const object = await ensureFinalizer(server().client, kinds.configMaps, await configMap(), 'example.com/mine');
      await server().client.delete(kinds.configMaps, { namespace: object.metadata?.namespace ?? '', name: 'a' });
      const deleting = await reread(object);
      await removeFinalizer(server().client, kinds.configMaps, deleting ?? object, 'example.com/mine');
      await removeFinalizer(server().client, kinds.configMaps, deleting ?? object, 'example.com/mine');
      expect(await reread(object)).toBeUndefined();
    });

    it('writes a status only when it changed, and not over a newer object', async () => {
      const { client } = server();
      const namespace = await server().namespace();
      const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'none' };
      const claim = await client.create(kinds.persistentVolumeClaims, { metadata: { namespace, name: 'a' }, spec });
      const first = await writeStatus(client, kinds.persistentVolumeClaims, claim, { ...claim.status, phase: 'Lost' });
      expect(first.status?.phase).toBe('Lost');
      const second = await writeStatus(client, kinds.persistentVolumeClaims, first, { ...first.status });
      expect(second.metadata?.resourceVersion).toBe(first.metadata?.resourceVersion);
      await expect(writeStatus(client, kinds.persistentVolumeClaims, claim, { phase: 'Bound' })).rejects.toSatisfy(isConflict);
    });

    it('lets the server collect what an owner owned', async () => {
      const owner = await configMap();
      const { client } = server();
      const namespace = owner.metadata?.namespace ?? '';
      const owned = withOwner({ metadata: { namespace, name: 'owned' } }, kinds.configMaps, owner);
      await client.create(kinds.configMaps, owned);
      await client.delete(kinds.configMaps, { namespace, name: 'a' });
      await vi.waitFor(async () => expect(await client.find(kinds.configMaps, { namespace, name: 'owned' })).toBeUndefined(), soon);
    });

    it('refuses an owner in another namespace before the server would collect the object by mistake', async () => {
      const owner = await configMap();
      expect(() => withOwner({ metadata: { namespace: 'elsewhere', name: 'x' } }, kinds.configMaps, owner)).toThrow('namespace');
    });

    it('counts repeats of an event in one Event and stores the note within the server’s limit', async () => {
      const object = await configMap();
      const { client } = server();
      const recorder = new EventRecorder({ writer: client, controller: 'example.com/suite', instance: 'suite-0' });
      const notice = { reason: 'Repeated', action: 'Test', note: 'ä'.repeat(2_000) };
      recorder.warning(kinds.configMaps, object, notice);
      await recorder.flush();
      recorder.warning(kinds.configMaps, object, notice);
      recorder.warning(kinds.configMaps, object, notice);
      await recorder.flush();
      const { items } = await client.list(kinds.events, { namespace: object.metadata?.namespace ?? '' });
      expect(items).toHaveLength(1);
      expect(items[0]).toMatchObject({
        type: 'Warning',
        reason: 'Repeated',
        series: { count: 3 },
        regarding: { name: 'a', kind: 'ConfigMap' },
      });
      expect(Buffer.byteLength(items[0]?.note ?? '')).toBeLessThanOrEqual(1024);
      expect(recorder.counters()).toMatchObject({ created: 1, failed: 0 });
    });

    it('puts the events of a cluster-scoped object into the default namespace', async () => {
      const name = await server().namespace();
      const { client } = server();
      const object = await client.get(kinds.namespaces, { name });
      const recorder = new EventRecorder({ writer: client, controller: 'example.com/suite', instance: 'suite-0' });
      recorder.normal(kinds.namespaces, object, { reason: 'Seen', action: 'Test', note: 'there it is' });
      await recorder.flush();
      const { items } = await client.list(kinds.events, { namespace: 'default' });
      expect(items.find(({ regarding }) => regarding?.name === name)).toMatchObject({ reason: 'Seen', note: 'there it is' });
    });

    it('reports each kind of write in a dry run, with what the server would have made of it, and stores none', async () => {
      const object = await configMap();
      const namespace = object.metadata?.namespace ?? '';
      const ref = { namespace, name: 'a' };
      const writes: DryRunWrite[] = [];
      const writer = new DryRunWriter({ server: server().client, report: (write) => writes.push(write) });
      await writer.create(kinds.configMaps, { metadata: { namespace, name: 'b' }, data: { y: '1' } });
      await writer.replace(kinds.configMaps, { ...object, data: { x: '2' } });
      await writer.patch(kinds.configMaps, ref, { kind: 'merge', body: { data: { z: '1' } } });
      await writer.apply(kinds.configMaps, { metadata: ref, data: { w: '1' } }, { fieldManager: 'suite' });
      await writer.delete(kinds.configMaps, ref);
      expect(writes.map(({ verb }) => verb)).toEqual(['create', 'replace', 'patch', 'apply', 'delete']);
      expect(await reread(object)).toMatchObject({ data: { x: '1' } });
      expect(await server().client.find(kinds.configMaps, { namespace, name: 'b' })).toBeUndefined();
    });

    it('fails in a dry run where the real write would fail', async () => {
      const object = await configMap();
      const writer = new DryRunWriter({ server: server().client, report: () => undefined });
      const namespace = object.metadata?.namespace ?? '';
      await expect(writer.create(kinds.configMaps, { metadata: { namespace, name: 'Not Valid' } })).rejects.toSatisfy((error: unknown) =>
        isFailure(error, 'invalid'),
      );
      const stale = { ...object, metadata: { ...object.metadata, resourceVersion: '1' } };
      await expect(writer.replace(kinds.configMaps, stale)).rejects.toSatisfy(isConflict);
    });

    it('hides the values of a Secret in a dry run', async () => {
      const namespace = await server().namespace();
      const writes: DryRunWrite[] = [];
      const writer = new DryRunWriter({ server: server().client, report: (write) => writes.push(write) });
      await writer.create(kinds.secrets, { metadata: { namespace, name: 'a' }, stringData: { password: 'hunter2' } });
      const text = JSON.stringify(writes);
      expect(text).toContain('password');
      expect(text).not.toContain('hunter2');
      expect(text).not.toContain(Buffer.from('hunter2').toString('base64'));
    });
  });
}
