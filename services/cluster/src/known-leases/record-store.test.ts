import type { TenantLease } from '@quartermaster/api/tenant-lease';
import { FakeClock, StatusError } from '@quartermaster/kernel';
import type { KubeReader, KubeWriter } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { sampleRecord } from '../../test/sample-record.ts';
import { shownObjects } from '../../test/shown-objects.ts';
import { recordObject } from './record-object.ts';
import { RecordStore } from './record-store.ts';

const { name, lease, namespace } = sampleRecord();
const conflict = new StatusError('aborted', 'conflict', { details: { kind: 'conflict', causes: [] } });

/** An API server with one record, which refuses what was decided on another version, and a store that knows the first. */
function world({ stale = [] as readonly string[] } = {}) {
  const made = recordObject(name, lease, namespace);
  let stored: TenantLease | undefined = { ...made, metadata: { ...made.metadata, uid: 'u', resourceVersion: '4' } };
  const server = {
    patches: [] as (string | undefined)[],
    get status() {
      return stored?.status;
    },
    get uid() {
      return stored?.metadata?.uid;
    },
    /** As somebody else does. */
    write: (patch: TenantLease['status']) => {
      if (stored === undefined) return;
      const resourceVersion = String(Number(stored.metadata?.resourceVersion) + 1);
      // A merge patch takes out what is null.
      const status = Object.fromEntries(Object.entries({ ...stored.status, ...patch }).filter(([, value]) => value !== null));
      stored = { ...stored, metadata: { ...stored.metadata, resourceVersion }, status };
    },
    delete: () => {
      stored = undefined;
    },
    /** Under the same name there is another one. */
    replace: (uid: string) => {
      stored = { ...made, metadata: { ...made.metadata, uid, resourceVersion: '9' } };
    },
  };
  const writer = {
    patch: async (_type: unknown, _ref: unknown, { body }: { body: TenantLease }) => {
      const version = body.metadata?.resourceVersion;
      server.patches.push(version);
      if (version !== undefined && version !== stored?.metadata?.resourceVersion) throw conflict;
      server.write(body.status);
      return stored;
    },
    delete: async (_type: unknown, _ref: unknown, { preconditions }: { preconditions?: { uid?: string } } = {}) => {
      if (preconditions?.uid !== undefined && preconditions.uid !== server.uid) throw conflict;
      server.delete();
    },
  } as unknown as Pick<KubeWriter, 'patch' | 'delete'>;
  const reader = { find: async () => stored } as unknown as Pick<KubeReader, 'find'>;
  const caches = shownObjects({ tenantleases: stored === undefined ? [] : [stored] }, stale);
  return { server, writer, store: new RecordStore(caches, reader, new FakeClock()) };
}

describe('the records of leases', () => {
  it('are changed from the version that was looked at, and not at all where nothing differs', async () => {
    const { server, writer, store } = world();
    await store.change(writer, name, (before) => ({ ...before, reason: 'Deploying' }));
    await store.change(writer, name, (before) => ({ ...before, reason: 'Deploying' }));
    await store.change(writer, name, (before) => ({ ...before, reason: 'Running' }));
    expect(server.patches).toEqual(['4', '5']);
    expect(store.of(name)?.reason).toBe('Running');
  });

  it('lose nothing that somebody else wrote meanwhile: the change is decided anew', async () => {
    const { server, writer, store } = world();
    server.write({ closedReason: 'by the tenant' });
    const seen: (string | undefined)[] = [];
    const after = await store.change(writer, name, (before) => {
      seen.push(before.closedReason);
      return { ...before, state: 'Active', reason: 'Closing' };
    });
    expect(seen).toEqual([undefined, 'by the tenant']);
    expect(after).toMatchObject({ state: 'Active', reason: 'Closing', closedReason: 'by the tenant' });
    expect(server.status).toMatchObject({ state: 'Active', closedReason: 'by the tenant' });
  });

  it('are not made again by a change of one that is gone', async () => {
    const { server, writer, store } = world();
    server.delete();
    await expect(store.change(writer, name, (before) => ({ ...before, reason: 'Running' }))).rejects.toThrow('is gone: look again');
  });

  it('are removed by their uid: another one that stands under the name stays', async () => {
    const { server, writer, store } = world();
    server.replace('another');
    await store.remove(writer, { name, uid: 'u' });
    expect(server.uid).toBe('another');
    await store.remove(writer, { name, uid: 'another' });
    expect(server.uid).toBeUndefined();
  });

  it('are a problem while they are not followed', () => {
    expect(world().store.problem()).toBeUndefined();
    expect(world({ stale: ['tenantleases'] }).store.problem()).toBe('tenantleases are not followed');
  });
});
