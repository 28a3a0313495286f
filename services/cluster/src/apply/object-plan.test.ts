import { kinds } from '@quartermaster/kube';
import type { ConfigMap, Deployment, Service, StatefulSet } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import type { DesiredObject } from '../objects/desired.ts';
import { withHash } from './apply-objects.ts';
import { liveObject } from './live-object.ts';
import { objectPlan } from './object-plan.ts';

const salt = 'salt';
const metadata = (name: string) => ({ namespace: 'lease-amy-7-1-1', name, labels: { 'akash.network': 'true' } });
const config: DesiredObject<ConfigMap> = { type: kinds.configMaps, object: { metadata: metadata('web-env'), data: { A: 'b' } } };
const service: DesiredObject<Service> = { type: kinds.services, object: { metadata: metadata('web'), spec: { ports: [{ port: 80 }] } } };
const web = (image: string, command: readonly string[] = ['a']): DesiredObject<Deployment> => ({
  type: kinds.deployments,
  object: {
    metadata: metadata('web'),
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { spec: { containers: [{ name: 'web', image, ...(command.length === 0 ? {} : { command }) }] } },
    },
  },
});
const set = (claim: string): DesiredObject<StatefulSet> => ({
  type: kinds.statefulSets,
  object: {
    metadata: metadata('db'),
    spec: {
      selector: { matchLabels: { app: 'db' } },
      serviceName: 'db',
      template: {},
      volumeClaimTemplates: [{ metadata: { name: claim }, spec: {} }],
    },
  },
});
/** As a server has it: with what it fills in. */
const stored = (desired: DesiredObject, filled: object = {}, uid = 'uid') => {
  const applied = withHash(desired, salt);
  return liveObject(desired.type, { ...applied, ...filled, metadata: { ...applied.metadata, uid, resourceVersion: '5' } });
};
const names = (waves: readonly (readonly { readonly desired: DesiredObject }[])[]) =>
  waves.map((wave) => wave.map(({ desired }) => `${desired.type.kind} ${desired.object.metadata?.name}`));

describe('what is done to the objects of a lease', () => {
  it('is all of them at first, what pods refer to before they are made', () => {
    expect(names(objectPlan([web('nginx'), service, config], [], salt).apply)).toEqual([
      ['ConfigMap web-env'],
      ['Service web'],
      ['Deployment web'],
    ]);
  });

  it('is nothing where they are as they should be, whatever the server filled in', () => {
    const filled = {
      spec: { ...service.object.spec, clusterIP: '10.0.0.1', ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }] },
      status: {},
    };
    expect(objectPlan([service, config], [stored(service, filled), stored(config)], salt)).toEqual({ apply: [], remove: [] });
  });

  it('is what somebody has changed by hand, and what we no longer say of it', () => {
    const changed = stored(config, { data: { A: 'other' } });
    expect(names(objectPlan([config], [changed], salt).apply)).toEqual([['ConfigMap web-env']]);
    const shorter = web('nginx', []);
    expect(names(objectPlan([shorter], [stored(web('nginx'))], salt).apply)).toEqual([['Deployment web']]);
  });

  it('is seen of long values without keeping them, and what others have added to them stays', () => {
    const long = (value: string): DesiredObject<ConfigMap> => ({ ...config, object: { ...config.object, data: { A: 'b', LONG: value } } });
    const desired = long('a'.repeat(100_000));
    expect(stored(desired).text.length).toBeLessThan(500);
    const added = stored(desired, { data: { ...desired.object.data, MORE: 'by hand' } });
    expect(objectPlan([desired], [added], salt).apply).toEqual([]);
    const changed = stored(desired, { data: long('b'.repeat(100_000)).object.data });
    expect(names(objectPlan([desired], [changed], salt).apply)).toEqual([['ConfigMap web-env']]);
  });

  it('removes what the lease has no more, workloads first, and nothing that we never applied', () => {
    const foreign = liveObject(kinds.configMaps, {
      metadata: { ...metadata('kube-root-ca.crt'), uid: 'x', resourceVersion: '1' },
      data: {},
    });
    const { remove } = objectPlan([], [stored(config), foreign, stored(service), stored(web('nginx'))], salt);
    expect(remove.map((wave) => wave.map(({ type, name }) => `${type.kind} ${name}`))).toEqual([
      ['Deployment web'],
      ['Service web'],
      ['ConfigMap web-env'],
    ]);
  });

  it('makes anew what may not change', () => {
    const [change] = objectPlan([set('other')], [stored(set('data'))], salt).apply.flat();
    expect(change).toMatchObject({ mustRecreate: true, live: { uid: 'uid' } });
    expect(objectPlan([web('nginx:2')], [stored(web('nginx'))], salt).apply.flat()).toMatchObject([{ mustRecreate: false }]);
  });
});
