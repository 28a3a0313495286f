import { StatusError } from '@quartermaster/kernel';
import { FencedWriter, isFailure, type KubeClient, type KubeReader, type KubeWriter, kinds, type Leadership } from '@quartermaster/kube';
import type { ConfigMap } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import type { ContractServer } from './contract-server.ts';

interface TestLeadership extends Omit<Leadership, 'verify'> {
  lose(): void;
}

function leadershipFor(remainingMs: number): TestLeadership {
  const controller = new AbortController();
  let held = true;
  return {
    signal: controller.signal,
    term: 1,
    remainingMs: () => (held ? remainingMs : 0),
    assertHeld: () => {
      if (!held) throw new StatusError('failed_precondition', 'the lease is lost');
    },
    // The signal stays as it is: a paused process has not run its timers when it writes.
    lose: () => {
      held = false;
    },
  };
}

const isConflict = (error: unknown): boolean => isFailure(error, 'conflict');

/** The client, as long as nobody reads. */
function withoutReads(client: KubeClient): KubeReader & KubeWriter {
  const read = async (): Promise<never> => await Promise.reject(new Error('it read'));
  return {
    get: read,
    find: read,
    list: read,
    create: (type, object, options) => client.create(type, object, options),
    replace: (type, object, options) => client.replace(type, object, options),
    patch: (type, ref, patch, options) => client.patch(type, ref, patch, options),
    apply: (type, object, options) => client.apply(type, object, options),
    delete: (type, ref, options) => client.delete(type, ref, options),
  };
}

/** A leader's writes: checked at the last moment, with a precondition each. */
export function describeFencedWriter(server: () => ContractServer): void {
  describe('fenced writer', () => {
    async function setUp(): Promise<{
      writer: FencedWriter;
      leadership: TestLeadership;
      object: ConfigMap;
      ref: { namespace: string; name: string };
    }> {
      const namespace = await server().namespace();
      const ref = { namespace, name: 'a' };
      const object = await server().client.create(kinds.configMaps, { metadata: ref, data: { x: '1' } });
      const leadership = leadershipFor(10_000);
      return { writer: new FencedWriter(server().client, leadership), leadership, object, ref };
    }
    const data = async (ref: { namespace: string; name: string }) => (await server().client.find(kinds.configMaps, ref))?.data;

    it('writes in every way while the lease is held', async () => {
      const { writer, object, ref } = await setUp();
      const replaced = await writer.replace(kinds.configMaps, { ...object, data: { x: '2' } });
      const body = { metadata: { resourceVersion: replaced.metadata?.resourceVersion }, data: { y: '1' } };
      const merged = await writer.patch(kinds.configMaps, ref, { kind: 'merge', body });
      const operations = [
        { op: 'test' as const, path: '/metadata/resourceVersion', value: merged.metadata?.resourceVersion },
        { op: 'add' as const, path: '/data/z', value: '1' },
      ];
      await writer.patch(kinds.configMaps, ref, { kind: 'json', operations });
      await writer.apply(kinds.configMaps, { metadata: ref, data: { w: '1' } }, { fieldManager: 'leader' });
      expect(await data(ref)).toEqual({ x: '2', y: '1', z: '1', w: '1' });
      await writer.create(kinds.configMaps, { metadata: { ...ref, name: 'b' } });
      await writer.delete(kinds.configMaps, { ...ref, name: 'b' }, { preconditions: (await uidOf({ ...ref, name: 'b' })) ?? {} });
      expect(await data({ ...ref, name: 'b' })).toBeUndefined();
    });

    it('sends nothing once the lease is lost, whatever the write', async () => {
      const { writer, leadership, object, ref } = await setUp();
      leadership.lose();
      const preconditions = { uid: object.metadata?.uid ?? '' };
      const body = { metadata: { resourceVersion: object.metadata?.resourceVersion }, data: { x: '2' } };
      const writes = [
        writer.create(kinds.configMaps, { metadata: { ...ref, name: 'b' } }),
        writer.replace(kinds.configMaps, { ...object, data: { x: '2' } }),
        writer.patch(kinds.configMaps, ref, { kind: 'merge', body }),
        writer.apply(kinds.configMaps, { metadata: ref, data: { x: '2' } }, { fieldManager: 'leader', force: true }),
        writer.apply(kinds.configMaps, { metadata: object.metadata ?? {}, data: { x: '2' } }, { fieldManager: 'leader', force: true }),
        writer.delete(kinds.configMaps, ref, { preconditions }),
      ];
      for (const write of await Promise.allSettled(writes))
        expect(write).toMatchObject({ status: 'rejected', reason: { message: 'the lease is lost' } });
      expect(await data(ref)).toEqual({ x: '1' });
      expect(await data({ ...ref, name: 'b' })).toBeUndefined();
    });

    it('refuses a replace or patch without a precondition, and a create without a name', async () => {
      const { writer, ref } = await setUp();
      const merge = { kind: 'merge' as const, body: { data: { x: '2' } } };
      const json = { kind: 'json' as const, operations: [{ op: 'add' as const, path: '/data/x', value: '2' }] };
      await expect(writer.replace(kinds.configMaps, { metadata: ref })).rejects.toThrow('needs metadata.resourceVersion');
      await expect(writer.patch(kinds.configMaps, ref, merge)).rejects.toThrow('needs metadata.resourceVersion');
      await expect(writer.patch(kinds.configMaps, ref, json)).rejects.toThrow('needs a test of /metadata/resourceVersion');
      await expect(writer.delete(kinds.configMaps, ref, { preconditions: {} })).rejects.toThrow('needs preconditions.uid or');
      const unnamed = { metadata: { namespace: ref.namespace, generateName: 'a-' } };
      await expect(writer.create(kinds.configMaps, unnamed)).rejects.toThrow('needs metadata.name');
      expect(await data(ref)).toEqual({ x: '1' });
    });

    it('is refused by the server when the object has moved on since it was read', async () => {
      const { writer, object, ref } = await setUp();
      await server().client.patch(kinds.configMaps, ref, { kind: 'merge', body: { data: { x: 'new leader' } } });
      const resourceVersion = object.metadata?.resourceVersion ?? '';
      const merge = { kind: 'merge' as const, body: { metadata: { resourceVersion }, data: { x: 'old' } } };
      await expect(writer.replace(kinds.configMaps, { ...object, data: { x: 'old' } })).rejects.toSatisfy(isConflict);
      await expect(writer.patch(kinds.configMaps, ref, merge)).rejects.toSatisfy(isConflict);
      const applied = { metadata: { ...ref, resourceVersion, uid: object.metadata?.uid ?? '' }, data: { x: 'old' } };
      await expect(writer.apply(kinds.configMaps, applied, { fieldManager: 'leader', force: true })).rejects.toSatisfy(isConflict);
      const decidedOn = { uid: object.metadata?.uid ?? '', resourceVersion };
      const options = { fieldManager: 'leader', force: true, decidedOn };
      await expect(writer.apply(kinds.configMaps, { metadata: ref, data: { x: 'old' } }, options)).rejects.toSatisfy(isConflict);
      await expect(writer.delete(kinds.configMaps, ref, { preconditions: { resourceVersion } })).rejects.toSatisfy(isConflict);
      expect(await data(ref)).toEqual({ x: 'new leader' });
    });

    it('does not bring back by apply what was deleted since it was read', async () => {
      const { writer, object, ref } = await setUp();
      await server().client.delete(kinds.configMaps, ref);
      const { resourceVersion = '', uid = '' } = object.metadata ?? {};
      const options = { fieldManager: 'leader', force: true };
      await expect(writer.apply(kinds.configMaps, { metadata: { ...ref, resourceVersion, uid }, data: {} }, options)).rejects.toSatisfy(
        isConflict,
      );
      await expect(writer.apply(kinds.configMaps, { metadata: { ...ref, resourceVersion }, data: {} }, options)).rejects.toThrow(
        'is gone: decide again',
      );
      const decided = { ...options, decidedOn: { uid, resourceVersion } };
      await expect(writer.apply(kinds.configMaps, { metadata: ref, data: {} }, decided)).rejects.toSatisfy(isConflict);
      expect(await data(ref)).toBeUndefined();
    });

    it('deletes what is there now, and nothing when nothing is', async () => {
      const { writer, ref } = await setUp();
      await writer.delete(kinds.configMaps, ref);
      expect(await data(ref)).toBeUndefined();
      await expect(writer.delete(kinds.configMaps, ref)).resolves.toBeUndefined();
    });

    it('applies upon what the caller read, or upon nothing, without a read of its own', async () => {
      const { leadership, object, ref } = await setUp();
      const { client } = server();
      const writer = new FencedWriter(withoutReads(client), leadership);
      const { uid = '', resourceVersion = '' } = object.metadata ?? {};
      const options = { fieldManager: 'leader', force: true };
      await writer.apply(kinds.configMaps, { metadata: ref, data: { y: '1' } }, { ...options, decidedOn: { uid, resourceVersion } });
      expect(await data(ref)).toEqual({ x: '1', y: '1' });
      const absent = { ...ref, name: 'absent' };
      await writer.apply(kinds.configMaps, { metadata: absent, data: { x: '1' } }, { ...options, decidedOn: 'absent' });
      expect(await data(absent)).toEqual({ x: '1' });
      await expect(writer.apply(kinds.configMaps, { metadata: ref, data: {} }, options)).rejects.toThrow('it read');
    });

    it('applies an object that does not exist yet', async () => {
      const { writer, ref } = await setUp();
      const made = await writer.apply(
        kinds.configMaps,
        { metadata: { ...ref, name: 'new' }, data: { x: '1' } },
        { fieldManager: 'leader' },
      );
      expect(made.data).toEqual({ x: '1' });
    });

    it('gives a write up when the lease ends meanwhile', async () => {
      const { object } = await setUp();
      const writer = new FencedWriter(server().client, leadershipFor(0));
      // So large that no server answers within the millisecond that is left.
      const large = { ...object, data: { x: 'x'.repeat(900_000) } };
      await expect(writer.replace(kinds.configMaps, large)).rejects.toSatisfy((error: unknown) => isFailure(error, 'timeout'));
    });

    async function uidOf(ref: { namespace: string; name: string }): Promise<{ uid: string } | undefined> {
      const uid = (await server().client.get(kinds.configMaps, ref)).metadata?.uid;
      return uid === undefined ? undefined : { uid };
    }
  });
}
