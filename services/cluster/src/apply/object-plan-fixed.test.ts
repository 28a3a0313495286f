import { type KubeObject, kinds, type ResourceType } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { withHash } from './apply-objects.ts';
import { liveObject } from './live-object.ts';
import { objectPlan } from './object-plan.ts';

const salt = 'salt';
const metadata = { namespace: 'lease-amy-7-1-1', name: 'web' };
const selector = { matchLabels: { app: 'web', tier: 'front' } };
const claim = (name: string, storageClassName: string, storage: string) => ({
  metadata: { name },
  spec: { storageClassName, resources: { requests: { storage } } },
});
const set = { selector, serviceName: 'web', replicas: 1, volumeClaimTemplates: [claim('data', 'beta2', '1Gi')] };
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'web' };

type Fields = Readonly<Record<string, unknown>>;

describe('what a server does not let change', () => {
  it.each<[what: string, isFixed: boolean, type: ResourceType, before: Fields, after: Fields]>([
    ['replicas of a Deployment', false, kinds.deployments, { spec: { selector } }, { spec: { selector, replicas: 2 } }],
    [
      'the selector of a Deployment',
      true,
      kinds.deployments,
      { spec: { selector } },
      { spec: { selector: { matchLabels: { app: 'web' } } } },
    ],
    [
      'the order of labels in a selector',
      false,
      kinds.deployments,
      { spec: { selector } },
      { spec: { selector: { matchLabels: { tier: 'front', app: 'web' } }, replicas: 2 } },
    ],
    ['replicas of a StatefulSet', false, kinds.statefulSets, { spec: set }, { spec: { ...set, replicas: 2 } }],
    ['the selector of a StatefulSet', true, kinds.statefulSets, { spec: set }, { spec: { ...set, selector: { matchLabels: {} } } }],
    ['its Service', true, kinds.statefulSets, { spec: set }, { spec: { ...set, serviceName: 'db' } }],
    ...([claim('logs', 'beta2', '1Gi'), claim('data', 'beta3', '1Gi'), claim('data', 'beta2', '2Gi')] as const).map(
      (each, at): [string, boolean, ResourceType, Fields, Fields] => [
        `the ${['name', 'class', 'size'][at]} of a volume`,
        true,
        kinds.statefulSets,
        { spec: set },
        { spec: { ...set, volumeClaimTemplates: [each] } },
      ],
    ),
    ['how many volumes there are', true, kinds.statefulSets, { spec: set }, { spec: { ...set, volumeClaimTemplates: [] } }],
    ['the role of a binding', true, kinds.roleBindings, { roleRef, subjects: [] }, { roleRef: { ...roleRef, name: 'db' }, subjects: [] }],
    [
      'whom a binding binds',
      false,
      kinds.roleBindings,
      { roleRef, subjects: [] },
      { roleRef, subjects: [{ kind: 'ServiceAccount', name: 'web' }] },
    ],
    ['anything of a ConfigMap', false, kinds.configMaps, { data: { A: '1' } }, { data: { A: '2' } }],
  ])('is made anew, the rest is applied: %s', (_what, isFixed, type, before, after) => {
    const [was, is] = [before, after].map((fields) => ({ type, object: { metadata, ...fields } as KubeObject }));
    if (was === undefined || is === undefined) throw new Error('there are two');
    const live = liveObject(type, {
      ...withHash(was, salt),
      metadata: { ...withHash(was, salt).metadata, uid: 'u', resourceVersion: '5' },
    });
    expect(objectPlan([is], [live], salt).apply.flat()).toMatchObject([{ mustRecreate: isFixed, live: { uid: 'u' } }]);
  });
});
