import { discover, discoverKind, kinds, type ResourceType } from '@quartermaster/kube';
import { beforeAll, describe, expect, it } from 'vitest';
import { install, uniqueGroup, type Widget, widgetDefinition, widgetType, widgetVersion } from './client-custom-kind.ts';
import { failureFrom, failureKind, patience, refusedFields, versionOf } from './client-fixtures.ts';
import type { ContractServer } from './contract-server.ts';

/** Kinds that are declared at run time. */
export function describeCustomResources(server: () => ContractServer): void {
  describe('a custom resource', () => {
    let widgets: ResourceType<Widget>;

    beforeAll(async () => {
      const group = uniqueGroup();
      await install(server(), widgetDefinition(group));
      widgets = widgetType(group);
    });

    const create = async (spec: NonNullable<Widget['spec']>, status?: Widget['status']): Promise<Widget> => {
      const namespace = await server().namespace();
      return await server().client.create(widgets, {
        metadata: { namespace, name: 'one' },
        spec,
        ...(status === undefined ? {} : { status }),
      });
    };
    const refOf = ({ metadata }: Widget) => ({ namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' });
    const merge = async (widget: Widget, body: object, subresource?: string): Promise<Widget> =>
      await server().client.patch(widgets, refOf(widget), { kind: 'merge', body }, subresource === undefined ? {} : { subresource });

    it('is stored and read like any other object', async () => {
      const created = await create({ size: 1 });
      expect(created).toMatchObject({ apiVersion: `${widgets.group}/v1`, kind: 'Widget', spec: { size: 1 } });
      expect(await server().client.get(widgets, refOf(created))).toEqual(created);
    });

    it('gets the defaults of its schema', async () => {
      expect((await create({ size: 1 })).spec?.colour).toBe('blue');
    });

    it('loses fields that its schema does not know', async () => {
      expect((await create({ size: 1, unknown: 'field' })).spec).toEqual({ size: 1, colour: 'blue' });
    });

    it('is refused for fields that its schema does not know when validation is Strict', async () => {
      const namespace = await server().namespace();
      const widget = { metadata: { namespace, name: 'one' }, spec: { size: 1, unknown: 'field' } };
      const refused = server().client.create(widgets, widget, { fieldValidation: 'Strict' });
      await expect(refused).rejects.toThrow('unknown');
      expect(await failureKind(refused)).toBe('bad-request');
    });

    it('keeps everything below a field that preserves unknown fields', async () => {
      const free = { anything: { goes: [1, 'two', { three: null }] } };
      expect((await create({ size: 1, free })).spec?.free).toEqual(free);
    });

    it.each([
      ['a missing required field', {}, 'spec.size'],
      ['a number below the minimum', { size: -1 }, 'spec.size'],
      ['a number above the maximum', { size: 11 }, 'spec.size'],
      ['a value that is not of the enumeration', { size: 1, colour: 'green' }, 'spec.colour'],
      ['a text that does not match the pattern', { size: 1, code: 'ABC' }, 'spec.code'],
      ['a repeated item of a set', { size: 1, tags: ['a', 'a'] }, 'spec.tags[1]'],
    ])('is refused for %s, naming the field', async (_, spec, field) => {
      expect(await refusedFields(create(spec))).toContain(field);
    });

    it('is refused for a value of the wrong type, naming the field', async () => {
      const widget = await create({ size: 1 });
      expect(await refusedFields(merge(widget, { spec: { size: 'large' } }))).toContain('spec.size');
    });

    it('is refused by a CEL rule with the message of the rule', async () => {
      const failure = await failureFrom(create({ size: 1, low: 5, high: 3 }));
      expect(failure).toMatchObject({
        kind: 'invalid',
        causes: [{ field: 'spec', message: expect.stringContaining('low must not be above high') }],
      });
    });

    it('has immutable fields through a CEL transition rule', async () => {
      const widget = await create({ size: 1, serial: 'a1' });
      expect(await refusedFields(merge(widget, { spec: { serial: 'b2' } }))).toEqual(['spec.serial']);
      expect((await merge(widget, { spec: { size: 2 } })).spec).toMatchObject({ size: 2, serial: 'a1' });
    });

    it('reports every broken rule at once', async () => {
      const fields = await refusedFields(create({ size: 99, colour: 'green', code: 'ABC' }));
      expect(fields).toEqual(expect.arrayContaining(['spec.size', 'spec.colour', 'spec.code']));
    });

    it('takes no status on create and none on replace', async () => {
      const created = await create({ size: 1 }, { phase: 'Done' });
      expect(created.status).toBeUndefined();
      const replaced = await server().client.replace(widgets, { ...created, status: { phase: 'Done' } });
      expect(replaced.status).toBeUndefined();
    });

    it('takes only the status through its status subresource', async () => {
      const created = await create({ size: 1 });
      const changed = { ...created, spec: { size: 9 }, status: { phase: 'Done' } };
      const replaced = await server().client.replace(widgets, changed, { subresource: 'status' });
      expect(replaced.status).toEqual({ phase: 'Done' });
      expect(replaced.spec?.size).toBe(1);
    });

    it('rises in generation with its spec alone', async () => {
      const created = await create({ size: 1 });
      const labelled = await merge(created, { metadata: { labels: { a: 'b' } } });
      const reported = await merge(created, { status: { phase: 'Done' } }, 'status');
      const resized = await merge(created, { spec: { size: 2 } });
      expect([created, labelled, reported, resized].map(({ metadata }) => metadata?.generation)).toEqual([1, 1, 1, 2]);
      expect(new Set([created, labelled, reported, resized].map(versionOf)).size).toBe(4);
    });

    it('cannot be replaced without a resourceVersion', async () => {
      const created = await create({ size: 1 });
      const blind = { metadata: refOf(created), spec: { size: 2 } };
      expect(await refusedFields(server().client.replace(widgets, blind))).toEqual(['metadata.resourceVersion']);
    });

    it('takes JSON patches', async () => {
      const created = await create({ size: 1, tags: ['a'] });
      const operations = [{ op: 'add', path: '/spec/tags/-', value: 'b' }] as const;
      const after = await server().client.patch(widgets, refOf(created), { kind: 'json', operations });
      expect(after.spec?.tags).toEqual(['a', 'b']);
    });

    it('takes no strategic patches', async () => {
      const created = await create({ size: 1 });
      const refused = server().client.patch(widgets, refOf(created), { kind: 'strategic', body: { spec: { size: 2 } } });
      expect(await failureKind(refused)).toBe('bad-request');
    });

    it('can be applied, merging the items of a set', async () => {
      const namespace = await server().namespace();
      const apply = (fieldManager: string, spec: NonNullable<Widget['spec']>) =>
        server().client.apply(widgets, { metadata: { namespace, name: 'one' }, spec }, { fieldManager });
      await apply('painter', { size: 1, tags: ['a'] });
      const both = await apply('carver', { size: 1, tags: ['b'] });
      expect(both.spec?.tags?.toSorted()).toEqual(['a', 'b']);
      expect((await apply('painter', { size: 1 })).spec?.tags).toEqual(['b']);
    });

    it('reads its scale from the paths of its definition', async () => {
      const created = await create({ size: 3 });
      await merge(created, { status: { replicas: 2, selector: 'app=one' } }, 'status');
      expect(await server().client.scale(widgets, refOf(created))).toMatchObject({
        kind: 'Scale',
        spec: { replicas: 3 },
        status: { replicas: 2, selector: 'app=one' },
      });
    });

    it('is resized through its scale', async () => {
      const created = await create({ size: 3 });
      expect((await server().client.setScale(widgets, refOf(created), 5)).spec?.replicas).toBe(5);
      expect((await server().client.get(widgets, refOf(created))).spec?.size).toBe(5);
    });

    it('is validated when it is resized through its scale', async () => {
      const created = await create({ size: 3 });
      expect(await failureKind(server().client.setScale(widgets, refOf(created), 11))).toBe('invalid');
    });

    it('has its short names in discovery', async () => {
      const found = async () => (await discoverKind(server().client.transport, { group: widgets.group, kind: 'Widget' }))?.shortNames;
      await expect.poll(found, patience).toEqual(['wd']);
    });
  });

  describe('a custom kind', () => {
    it('is missing before it is defined, served while it is and missing after', async () => {
      const group = uniqueGroup();
      const widgets = widgetType(group);
      const { client } = server();
      const namespace = await server().namespace();
      const widget = { metadata: { namespace, name: 'one' }, spec: { size: 1 } };
      expect(await failureKind(client.list(widgets))).toBe('kind-missing');
      expect(await failureKind(client.find(widgets, { namespace, name: 'one' }))).toBe('kind-missing');
      expect(await failureKind(client.create(widgets, widget))).toBe('kind-missing');

      await install(server(), widgetDefinition(group));
      await client.create(widgets, widget);
      expect(await client.find(widgets, { namespace, name: 'other' })).toBeUndefined();

      await client.delete(kinds.customResourceDefinitions, { name: `widgets.${group}` });
      const outcome = () =>
        client.list(widgets).then(
          () => 'served',
          (error: unknown) => failureKind(Promise.reject(error)),
        );
      await expect.poll(outcome, patience).toBe('kind-missing');
    });

    it('takes its objects with it when it is deleted', async () => {
      const group = uniqueGroup();
      const { client } = server();
      const namespace = await server().namespace();
      await install(server(), widgetDefinition(group));
      await client.create(widgetType(group), { metadata: { namespace, name: 'one' }, spec: { size: 1 } });
      await client.delete(kinds.customResourceDefinitions, { name: `widgets.${group}` });
      const definition = () => client.find(kinds.customResourceDefinitions, { name: `widgets.${group}` });
      await expect.poll(definition, patience).toBeUndefined();
      await install(server(), widgetDefinition(group));
      expect((await client.list(widgetType(group), { namespace })).items).toEqual([]);
    });

    it('serves one object in all its versions', async () => {
      const group = uniqueGroup();
      const { client } = server();
      const namespace = await server().namespace();
      await install(server(), widgetDefinition(group, [widgetVersion('v1', true), widgetVersion('v1beta1', false)]));
      const created = await client.create(widgetType(group, 'v1beta1'), { metadata: { namespace, name: 'one' }, spec: { size: 1 } });
      const read = await client.get(widgetType(group, 'v1'), { namespace, name: 'one' });
      expect([created.apiVersion, read.apiVersion]).toEqual([`${group}/v1beta1`, `${group}/v1`]);
      expect(read.metadata?.uid).toBe(created.metadata?.uid);
    });

    it('prefers the more stable and then the higher of its versions', async () => {
      const group = uniqueGroup();
      const versions = [
        widgetVersion('v1beta1', true),
        widgetVersion('v2alpha1', false),
        widgetVersion('v1', false),
        widgetVersion('v2', false),
      ];
      await install(server(), widgetDefinition(group, versions));
      const { transport } = server().client;
      const served = async () => (await discover(transport)).filter((found) => found.group === group).map(({ version }) => version);
      await expect.poll(served, patience).toEqual(['v2', 'v1', 'v1beta1', 'v2alpha1']);
      // Each group has a document of its own, which the server writes by itself.
      await expect
        .poll(() => discoverKind(transport, { group, kind: 'Widget' }), patience)
        .toMatchObject({ version: 'v2', preferred: true });
    });

    it('is refused when its definition breaks the rules, naming the field', async () => {
      const definition = { ...widgetDefinition(uniqueGroup()), metadata: { name: 'gadgets.example.com' } };
      expect(await refusedFields(server().client.create(kinds.customResourceDefinitions, definition))).toContain('metadata.name');
    });
  });
}
