import { present } from '@quartermaster/kernel';
import { type KubeObject, resourceType } from '@quartermaster/kube';
import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryKube } from '../../test/memory-kube.ts';
import { writeStatus } from './status-writer.ts';

interface Widget extends KubeObject {
  readonly spec?: { readonly size: number };
  readonly status?: { readonly phase?: string; readonly ready?: number; readonly nodes?: readonly string[] };
}

const widgets = resourceType<Widget>({ group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true });
let kube: MemoryKube;

beforeEach(() => {
  kube = new MemoryKube();
});

const put = (status?: Widget['status']) =>
  kube.put(widgets, { metadata: { namespace: 'ns', name: 'a' }, spec: { size: 1 }, ...present({ status }) });

describe('writeStatus', () => {
  it('writes nothing when the status is already so, whatever the order of its fields', async () => {
    const object = put({ phase: 'Ready', ready: 1 });
    expect(await writeStatus(kube, widgets, object, { ready: 1, phase: 'Ready' })).toBe(object);
    expect(kube.calls).toEqual([]);
  });

  it('makes the stored status equal to the given one, removing what is no longer in it', async () => {
    const object = put({ phase: 'Pending', ready: 0, nodes: ['n1', 'n2'] });
    const after = await writeStatus(kube, widgets, object, { phase: 'Ready', nodes: ['n2'] }, { fieldManager: 'me' });
    expect(after.status).toEqual({ phase: 'Ready', nodes: ['n2'] });
    expect(after.spec).toEqual({ size: 1 });
    expect(kube.calls).toMatchObject([{ verb: 'patch', options: { subresource: 'status', fieldManager: 'me' } }]);
  });

  it('writes a first status', async () => {
    expect((await writeStatus(kube, widgets, put(), { phase: 'New' })).status).toEqual({ phase: 'New' });
  });

  it('fails with a conflict when the object moved on since it was read', async () => {
    const old = put({ phase: 'Pending' });
    put({ phase: 'Failed' });
    await expect(writeStatus(kube, widgets, old, { phase: 'Ready' })).rejects.toMatchObject({ details: { kind: 'conflict' } });
  });

  it('refuses an object of which the version was projected away', async () => {
    await expect(writeStatus(kube, widgets, { metadata: { name: 'a' } }, { phase: 'x' })).rejects.toThrow('metadata.resourceVersion');
  });
});
