import { type JsonPatchOperation, type KubeObject, kinds } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { failureFrom, failureKind, type Pod, podNamespace, refusedFields, versionOf } from './client-fixtures.ts';
import type { ContractServer } from './contract-server.ts';

type PodSpec = NonNullable<Pod['spec']>;

const gate = 'quartermaster.dev/placement';
const terms = '/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms';
const termsField = terms.slice(1).replaceAll('/', '.');
const inZone = { key: 'zone', operator: 'In', values: ['north'] };
const onNode = { key: 'metadata.name', operator: 'In', values: ['node-7'] };

const requiring = (...nodeSelectorTerms: object[]): PodSpec['affinity'] => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
});

/** Pods that no scheduler looks at until their gates are lifted: what an update may do with them, before and after. */
export function describeGatedPods(server: () => ContractServer): void {
  const gated = async (spec: Partial<PodSpec> = {}): Promise<Pod> =>
    await server().client.create(kinds.pods, {
      metadata: { namespace: await podNamespace(server()), name: 'web' },
      spec: {
        schedulingGates: [{ name: gate }],
        affinity: requiring({ matchExpressions: [inZone] }),
        containers: [{ name: 'main', image: 'registry.example/main' }],
        ...spec,
      },
    });
  const change = async ({ metadata }: Pod, ...operations: JsonPatchOperation[]): Promise<Pod> => {
    const ref = { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' };
    return await server().client.patch(kinds.pods, ref, { kind: 'json', operations });
  };
  const pin = (version: string): JsonPatchOperation[] => [
    { op: 'test', path: '/metadata/resourceVersion', value: version },
    { op: 'add', path: `${terms}/0/matchFields`, value: [onNode] },
    { op: 'replace', path: '/spec/schedulingGates', value: [] },
  ];

  describe('a gated pod', () => {
    it('says in its status that it waits for its gates', async () => {
      const { status } = await gated();
      expect(status?.phase).toBe('Pending');
      expect(status?.conditions).toEqual([
        expect.objectContaining({
          type: 'PodScheduled',
          status: 'False',
          reason: 'SchedulingGated',
          lastTransitionTime: expect.any(String),
        }),
      ]);
    });

    it('is given its node and let go in one request', async () => {
      const pod = await gated();
      const { spec } = await change(pod, ...pin(versionOf(pod)));
      expect(spec?.schedulingGates).toBeUndefined();
      expect(spec?.affinity).toEqual(requiring({ matchExpressions: [inZone], matchFields: [onNode] }));
    });

    it('stays as it is when it has changed since', async () => {
      const pod = await gated();
      const { metadata } = await change(pod, { op: 'add', path: '/metadata/labels', value: { changed: 'yes' } });
      expect(await failureKind(change(pod, ...pin(versionOf(pod))))).toBe('invalid');
      const { namespace, name = '' } = metadata ?? {};
      expect((await server().client.get(kinds.pods, { namespace, name })).spec?.schedulingGates).toEqual([{ name: gate }]);
    });

    it('takes further labels of nodes, and wishes that are not required', async () => {
      const pod = await gated({ nodeSelector: { disk: 'fast' } });
      const preferred = [{ weight: 1, preference: { matchFields: [onNode] } }];
      const { spec } = await change(
        pod,
        { op: 'add', path: '/spec/nodeSelector/rack', value: '7' },
        { op: 'add', path: '/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution', value: preferred },
      );
      expect(spec?.nodeSelector).toEqual({ disk: 'fast', rack: '7' });
      expect(spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution).toEqual(preferred);
    });

    it('takes any terms where it had none', async () => {
      const pod = await gated({ affinity: undefined });
      const affinity = requiring({ matchFields: [onNode] }, { matchExpressions: [inZone] });
      expect((await change(pod, { op: 'add', path: '/spec/affinity', value: affinity })).spec?.affinity).toEqual(affinity);
    });

    it.each<[string, JsonPatchOperation, string]>([
      ['a requirement less', { op: 'replace', path: `${terms}/0/matchExpressions`, value: [] }, `${termsField}[0]`],
      [
        'a wider requirement',
        { op: 'replace', path: `${terms}/0/matchExpressions/0/values`, value: ['north', 'south'] },
        `${termsField}[0]`,
      ],
      [
        'another requirement before',
        { op: 'add', path: `${terms}/0/matchExpressions/0`, value: { key: 'a', operator: 'Exists' } },
        `${termsField}[0]`,
      ],
      ['one more term', { op: 'add', path: `${terms}/-`, value: { matchFields: [onNode] } }, termsField],
      ['no affinity at all', { op: 'remove', path: '/spec/affinity' }, termsField],
      ['another value of a label', { op: 'replace', path: '/spec/nodeSelector/disk', value: 'slow' }, 'spec.nodeSelector'],
      ['a label less', { op: 'remove', path: '/spec/nodeSelector' }, 'spec.nodeSelector'],
      ['another gate', { op: 'add', path: '/spec/schedulingGates/-', value: { name: 'example.com/more' } }, 'spec.schedulingGates[1].name'],
      [
        'rules between pods',
        {
          op: 'add',
          path: '/spec/affinity/podAntiAffinity',
          value: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'rack', labelSelector: {} }] },
        },
        'spec',
      ],
    ])('is refused %s', async (_, operation, field) => {
      const pod = await gated({ nodeSelector: { disk: 'fast' } });
      expect(await refusedFields(change(pod, operation))).toEqual([field]);
    });

    it('is refused what it may not have together with what it may', async () => {
      const pod = await gated();
      const lifted = { op: 'replace', path: '/spec/schedulingGates', value: [] } as const;
      const widened = { op: 'replace', path: `${terms}/0/matchExpressions/0/values`, value: ['south'] } as const;
      expect(await refusedFields(change(pod, lifted, widened))).toEqual([`${termsField}[0]`]);
    });

    it('is bound to no node, and not made on one', async () => {
      const pod = await gated();
      const { namespace = '', name = '' } = pod.metadata ?? {};
      const target = { apiVersion: 'v1', kind: 'Node', name: 'node-7' };
      const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { namespace, name }, target } as KubeObject;
      expect(await failureKind(server().client.createSubresource(kinds.pods, { namespace, name }, 'binding', binding))).toBe('conflict');
      expect(await refusedFields(gated({ nodeName: 'node-7' }))).toEqual(['spec.nodeName']);
    });
  });

  describe('a pod whose gates are gone', () => {
    it('keeps its node, and takes no gate again', async () => {
      const pod = await gated();
      await change(pod, ...pin(versionOf(pod)));
      expect(await refusedFields(change(pod, { op: 'add', path: `${terms}/0/matchFields/-`, value: onNode }))).toEqual(['spec']);
      expect(await refusedFields(change(pod, { op: 'add', path: '/spec/nodeSelector', value: { disk: 'fast' } }))).toEqual(['spec']);
      const again = change(pod, { op: 'add', path: '/spec/schedulingGates', value: [{ name: gate }] });
      expect(await refusedFields(again)).toEqual(['spec.schedulingGates[0].name']);
    });
  });

  describe('a required field of nodes', () => {
    it.each<[string, object, string]>([
      ['other than the name', { ...onNode, key: 'metadata.uid' }, 'key'],
      ['with two values', { ...onNode, values: ['a', 'b'] }, 'values'],
    ])('%s is refused', async (_, requirement, field) => {
      const failure = await failureFrom(gated({ affinity: requiring({ matchFields: [requirement] }) }));
      expect(failure).toMatchObject({ kind: 'invalid', causes: [{ field: `${termsField}[0].matchFields[0].${field}` }] });
    });
  });
}
