import { StatusError } from '@quartermaster/kernel';
import { type KubeWriter, kinds } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import type { DesiredObject } from '../objects/desired.ts';
import { applyObjects, removeObject } from './apply-objects.ts';
import { liveObject } from './live-object.ts';
import type { ObjectChange } from './object-plan.ts';

const signal = new AbortController().signal;
const failure = (kind: string) => new StatusError('aborted', kind, { details: { kind, causes: [] } });
const metadata = (name: string) => ({ namespace: 'lease-amy-7-1-1', name });
const desired = (name: string): DesiredObject => ({ type: kinds.configMaps, object: { metadata: metadata(name) } });
const live = (name: string) => liveObject(kinds.configMaps, { metadata: { ...metadata(name), uid: `uid-${name}`, resourceVersion: '5' } });
const change = (name: string, changed: Partial<ObjectChange> = {}): ObjectChange => ({
  ...{ desired: desired(name), live: undefined, mustRecreate: false },
  ...changed,
});

/** A server that notes what it is told, and fails what it is told to. */
function server(fails: Readonly<Record<string, string>> = {}) {
  const requests: string[] = [];
  const asked = (what: string): void => {
    requests.push(what);
    const kind = fails[what];
    if (kind !== undefined) throw failure(kind);
  };
  const options: { name: string; options: object }[] = [];
  const writer = {
    apply: async (_type: unknown, object: DesiredObject['object'], given: object) => {
      const { name = '' } = object.metadata ?? {};
      options.push({ name, options: given });
      asked(`apply ${name}`);
      return object;
    },
    delete: async (_type: unknown, ref: { name: string }, given: object) => {
      options.push({ name: ref.name, options: given });
      asked(`delete ${ref.name}`);
    },
  } as unknown as KubeWriter;
  const seen: string[] = [];
  const told = {
    applied: (kind: string) => void seen.push(`applied ${kind}`),
    removed: ({ name }: { name: string }) => void seen.push(`removed ${name}`),
  };
  return { requests, options, seen, with: { writer, salt: 'salt', signal, seen: told } };
}

describe('objects of a lease that are written', () => {
  it('are applied to what was looked at alone', async () => {
    const to = server();
    await applyObjects({ apply: [[change('new'), change('old', { live: live('old') })]], remove: [] }, to.with);
    expect(to.options).toMatchObject([
      { name: 'new', options: { decidedOn: 'absent', force: true } },
      { name: 'old', options: { decidedOn: { uid: 'uid-old', resourceVersion: '5' }, force: true } },
    ]);
    expect(to.seen).toEqual(['applied ConfigMap', 'applied ConfigMap']);
  });

  it.each([
    [kinds.deployments, 'Foreground'],
    [kinds.statefulSets, 'Foreground'],
    [kinds.services, 'Background'],
    [kinds.namespaces, 'Background'],
  ])('go with their pods before them where there are any: $0.kind', async (type, propagation) => {
    const to = server();
    await removeObject({ ...live('gone'), type }, to.with);
    expect(to.options).toMatchObject([{ options: { propagation } }]);
  });

  it('go by their uid, and one that has its name since stays', async () => {
    for (const kind of [undefined, 'conflict', 'not-found']) {
      const to = server(kind === undefined ? {} : { 'delete gone': kind });
      await removeObject(live('gone'), to.with);
      expect(to.options).toEqual([{ name: 'gone', options: { preconditions: { uid: 'uid-gone' }, propagation: 'Background', signal } }]);
      expect(to.seen).toEqual(['removed gone']);
    }
    await expect(removeObject(live('gone'), server({ 'delete gone': 'forbidden' }).with)).rejects.toThrow('forbidden');
  });

  it('go only in the version that was looked at where that is asked for, and are there still where it is another', async () => {
    const to = server();
    await removeObject(live('gone'), { ...to.with, isExact: true });
    expect(to.options).toMatchObject([{ options: { preconditions: { uid: 'uid-gone', resourceVersion: '5' } } }]);
    const other = server({ 'delete gone': 'conflict' });
    await expect(removeObject(live('gone'), { ...other.with, isExact: true })).rejects.toThrow('conflict');
    expect(other.seen).toEqual([]);
  });

  it('come wave by wave, and what is to go after them', async () => {
    const to = server();
    const plan = { apply: [[change('a')], [change('b')]], remove: [[live('c')], [live('d')]] };
    expect(await applyObjects(plan, to.with)).toBe(true);
    expect(to.requests).toEqual(['apply a', 'apply b', 'delete c', 'delete d']);
  });

  it('wait for what must be gone before it is made anew: neither the next wave nor the removals begin', async () => {
    const to = server();
    const plan = { apply: [[change('a', { live: live('a'), mustRecreate: true }), change('b')], [change('c')]], remove: [[live('d')]] };
    expect(await applyObjects(plan, to.with)).toBe(false);
    expect(to.requests).toEqual(['delete a', 'apply b']);
  });

  it.each(['forbidden', 'conflict'])('take nothing away where one of them is refused: %s', async (kind) => {
    const to = server({ 'apply a': kind });
    await expect(applyObjects({ apply: [[change('a')], [change('b')]], remove: [[live('c')]] }, to.with)).rejects.toThrow(kind);
    expect(to.requests).toEqual(['apply a']);
  });
});
