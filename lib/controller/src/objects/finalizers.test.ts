import { StatusError } from '@quartermaster/kernel';
import { type KubeObject, kinds } from '@quartermaster/kube';
import { beforeEach, describe, expect, it } from 'vitest';
import { conflict, MemoryKube } from '../../test/memory-kube.ts';
import { ensureFinalizer, hasFinalizer, isDeleting, removeFinalizer } from './finalizers.ts';

const ref = { namespace: 'ns', name: 'a' };
const mine = 'example.com/cleanup';
let kube: MemoryKube;

beforeEach(() => {
  kube = new MemoryKube();
});

const put = (metadata: KubeObject['metadata'] = {}) => kube.put(kinds.configMaps, { metadata: { ...metadata, ...ref } });
const stored = () => kube.get(kinds.configMaps, ref);

describe('ensureFinalizer', () => {
  it('stores the finalizer beside those of others and returns the stored object', async () => {
    const result = await ensureFinalizer(kube, kinds.configMaps, put({ finalizers: ['other.org/x'] }), mine);
    expect(result.metadata?.finalizers).toEqual(['other.org/x', mine]);
    expect(result).toEqual(await stored());
  });

  it('writes nothing when the finalizer is there', async () => {
    const object = put({ finalizers: [mine] });
    expect(await ensureFinalizer(kube, kinds.configMaps, object, mine)).toBe(object);
    expect(kube.calls).toEqual([]);
  });

  it('fails with a conflict instead of losing a finalizer that another controller added meanwhile', async () => {
    const old = put();
    put({ finalizers: ['other.org/x'] });
    await expect(ensureFinalizer(kube, kinds.configMaps, old, mine)).rejects.toMatchObject({ details: { kind: 'conflict' } });
    expect((await stored()).metadata?.finalizers).toEqual(['other.org/x']);
  });

  it('refuses an object that is being deleted, as the server would', async () => {
    const object = put({ deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(isDeleting(object)).toBe(true);
    await expect(ensureFinalizer(kube, kinds.configMaps, object, mine)).rejects.toThrow('being deleted');
  });

  it('refuses a name without a domain', async () => {
    await expect(ensureFinalizer(kube, kinds.configMaps, put(), 'cleanup')).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('refuses an object of which the version was projected away', async () => {
    const object = { metadata: ref };
    await expect(ensureFinalizer(kube, kinds.configMaps, object, mine)).rejects.toThrow('metadata.resourceVersion');
  });
});

describe('removeFinalizer', () => {
  it('takes only its own finalizer off', async () => {
    const object = put({ finalizers: ['other.org/x', mine] });
    await removeFinalizer(kube, kinds.configMaps, object, mine);
    const after = await stored();
    expect(after.metadata?.finalizers).toEqual(['other.org/x']);
    expect(hasFinalizer(after, mine)).toBe(false);
  });

  it('writes nothing when it is not there', async () => {
    await removeFinalizer(kube, kinds.configMaps, put(), mine);
    expect(kube.calls).toEqual([]);
  });

  it('is content when the object is already gone', async () => {
    const object = put({ finalizers: [mine] });
    kube.objects.clear();
    await removeFinalizer(kube, kinds.configMaps, object, mine);
    expect(kube.calls).toHaveLength(1);
  });

  it('passes a conflict and every other failure on', async () => {
    const object = put({ finalizers: [mine] });
    kube.failures.push(conflict(), new StatusError('unavailable', 'away'));
    await expect(removeFinalizer(kube, kinds.configMaps, object, mine)).rejects.toMatchObject({ details: { kind: 'conflict' } });
    await expect(removeFinalizer(kube, kinds.configMaps, object, mine)).rejects.toThrow('away');
  });
});
