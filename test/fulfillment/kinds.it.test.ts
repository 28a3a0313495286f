import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import { anyPack, BoolValueSchema, StringValueSchema } from '@bufbuild/protobuf/wkt';
import * as pub from '@quartermaster/api/fulfillment';
import * as priv from '@quartermaster/api/private';
import { startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { fieldViolationsOf, messageOf, StatusError } from '@quartermaster/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnyClient } from './any-client.ts';

let service: TestFulfillment;

beforeAll(async () => {
  service = await startTestFulfillment();
  await service.admin.client(priv.HostClasses).create({ object: { id: 'class', metadata: { name: 'class-name' }, title: 'A class' } });
  await service.admin.client(priv.ClusterTemplates).create({
    object: { id: 'template', metadata: { name: 'template-name' }, nodeSets: { workers: { hostClass: 'class', size: 2 } } },
  });
});

afterAll(async () => {
  await service.stop();
});

interface KindCase {
  readonly kind: string;
  readonly client: () => AnyClient;
  /** A valid object of the kind. */
  readonly object: object;
  readonly isPrivate: boolean;
}

const host = { spec: { class: 'class', rack: 'r1' } };
const cluster = { spec: { template: 'template' } };
const pool = { spec: { hostSets: { a: { hostClass: 'class', size: 1 } } } };
const template = { nodeSets: { workers: { hostClass: 'class', size: 1 } } };

const cases: readonly KindCase[] = [
  { kind: 'private hosts', client: () => service.admin.client(priv.Hosts), object: host, isPrivate: true },
  { kind: 'private host classes', client: () => service.admin.client(priv.HostClasses), object: { title: 'x' }, isPrivate: true },
  { kind: 'private cluster templates', client: () => service.admin.client(priv.ClusterTemplates), object: template, isPrivate: true },
  { kind: 'private clusters', client: () => service.admin.client(priv.Clusters), object: cluster, isPrivate: true },
  { kind: 'private hubs', client: () => service.admin.client(priv.Hubs), object: { namespace: 'ns' }, isPrivate: true },
  { kind: 'private host pools', client: () => service.admin.client(priv.HostPools), object: pool, isPrivate: true },
  { kind: 'public hosts', client: () => service.admin.client(pub.Hosts), object: { spec: { title: 'x' } }, isPrivate: false },
  { kind: 'public host classes', client: () => service.admin.client(pub.HostClasses), object: { title: 'x' }, isPrivate: false },
  { kind: 'public cluster templates', client: () => service.admin.client(pub.ClusterTemplates), object: template, isPrivate: false },
  { kind: 'public clusters', client: () => service.admin.client(pub.Clusters), object: cluster, isPrivate: false },
  { kind: 'public host pools', client: () => service.admin.client(pub.HostPools), object: pool, isPrivate: false },
];

describe.each(cases)('$kind', ({ kind, client, object, isPrivate }) => {
  const named = (name: string) => ({ ...object, metadata: { name } });
  const slug = kind.replaceAll(' ', '-');

  it('are created with an id, a creator, tenants and version 0, and read back', async () => {
    const { object: made } = await client().create({ object: named('first') });
    expect(made?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(made?.metadata).toMatchObject({ name: 'first', version: 0n, creators: ['admin'] });
    expect(made?.metadata?.creationTimestamp?.seconds).toBeGreaterThan(1_700_000_000n);
    expect((await client().get({ id: made?.id ?? '' })).object).toEqual(made);
  });

  it('keep an id that the client gives, and refuse a second one of it', async () => {
    const id = `${slug}-own`;
    await client().create({ object: { ...object, id } });
    await expect(client().create({ object: { ...object, id } })).rejects.toMatchObject({ code: 'already_exists' });
    await expect(client().create({ object: { ...object, id }, dryRun: true })).rejects.toMatchObject({ code: 'already_exists' });
  });

  it.each(['a\0b', 'a b', 'x'.repeat(254), 'a/b'])('refuse the id %j', async (id) => {
    await expect(client().create({ object: { ...object, id } })).rejects.toSatisfy((thrown) =>
      fieldViolationsOf(thrown).some(({ field }) => field === 'id'),
    );
  });

  it('count the versions of real changes only, and refuse a stale one with lock', async () => {
    const { object: made } = await client().create({ object: named('versions') });
    const id = made?.id ?? '';
    const rename = (name: string, version?: bigint) =>
      client().update({
        object: { id, metadata: { name, ...(version === undefined ? {} : { version }) } },
        updateMask: { paths: ['metadata.name'] },
        lock: version !== undefined,
      });
    expect((await rename('versions')).object?.metadata?.version).toBe(0n);
    expect((await rename('changed')).object?.metadata?.version).toBe(1n);
    await expect(rename('again', 0n)).rejects.toMatchObject({ code: 'aborted' });
    expect((await rename('again', 1n)).object?.metadata).toMatchObject({ name: 'again', version: 2n });
  });

  it('do nothing in a dry run', async () => {
    const { object: dry } = await client().create({ object: named('dry'), dryRun: true });
    await expect(client().get({ id: dry?.id ?? '' })).rejects.toMatchObject({ code: 'not_found' });
    const { object: made } = await client().create({ object: named('wet') });
    const id = made?.id ?? '';
    const update = { object: { id, metadata: { name: 'drier' } }, updateMask: { paths: ['metadata.name'] }, dryRun: true };
    expect((await client().update(update)).object?.metadata?.name).toBe('drier');
    await client().delete({ id, dryRun: true });
    expect((await client().get({ id })).object).toEqual(made);
  });

  it('are deleted in the version that the caller knows', async () => {
    const { object: made } = await client().create({ object: named('gone') });
    const id = made?.id ?? '';
    await client().update({ object: { id, metadata: { name: 'gone-2' } }, updateMask: { paths: ['metadata.name'] } });
    await expect(client().delete({ id, version: 5n })).rejects.toMatchObject({ code: 'aborted' });
    await client().delete({ id, version: 1n });
    await expect(client().get({ id })).rejects.toMatchObject({ code: 'not_found' });
    await expect(client().delete({ id })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('refuse requests without an id or an object', async () => {
    await expect(client().get({ id: '' })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(client().get({ id: 'a\0b' })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(client().delete({ id: '' })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(client().update({ object: { id: '' } })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(client().update({})).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(client().create({})).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(client().update({ object: { id: 'nobody' } })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('refuse bad names, filters, orders and masks in the words of the field', async () => {
    await expect(client().create({ object: named('Not_A_Name') })).rejects.toMatchObject({ code: 'invalid_argument' });
    for (const filter of ['this.nothing == 1', 'this.id ==', 'this.id + "x"', 'this.id == 1']) {
      await expect(client().list({ filter })).rejects.toMatchObject({ code: 'invalid_argument' });
    }
    await expect(client().list({ order: 'nothing' })).rejects.toMatchObject({ code: 'invalid_argument' });
    const { object: made } = await client().create({ object: named('masks') });
    const update = { object: { id: made?.id ?? '' }, updateMask: { paths: ['metadata.nothing'] } };
    await expect(client().update(update)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('take limits from 0 to 1000 and refuse negative ones', async () => {
    const { items, total } = await client().list({ limit: 0 });
    expect(items).toEqual([]);
    expect(total).toBeGreaterThan(0);
    expect((await client().list({ limit: 1 })).items).toHaveLength(1);
    await expect(client().list({ limit: -1 })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(client().list({ offset: -1 })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  // Only the private API knows finalizers.
  if (!isPrivate) return;
  it('stay while they have finalizers, and go with the last of them', async () => {
    const { object: made } = await client().create({ object: { ...object, metadata: { finalizers: ['b', 'a', 'b'] } } });
    const id = made?.id ?? '';
    expect(made?.metadata?.finalizers).toEqual(['a', 'b']);
    await client().delete({ id });
    const { object: marked } = await client().get({ id });
    expect(marked?.metadata?.deletionTimestamp).toBeDefined();
    await client().delete({ id });
    expect((await client().get({ id })).object).toEqual(marked);
    const drop = (finalizers: string[]) =>
      client().update({ object: { id, metadata: { finalizers } }, updateMask: { paths: ['metadata.finalizers'] } });
    await drop(['a']);
    expect((await client().get({ id })).object?.metadata?.finalizers).toEqual(['a']);
    await drop([]);
    await expect(client().get({ id })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('references', () => {
  it('are found by name and stored as ids; those that lead nowhere are refused', async () => {
    const hosts = service.admin.client(priv.Hosts);
    expect((await hosts.create({ object: { spec: { class: 'class-name' } } })).object?.spec?.class).toBe('class');
    await expect(hosts.create({ object: { spec: { class: 'nobody' } } })).rejects.toMatchObject({ code: 'not_found' });
    const classes = service.admin.client(priv.HostClasses);
    for (const id of ['twin-1', 'twin-2']) await classes.create({ object: { id, metadata: { name: 'twin' } } });
    await expect(hosts.create({ object: { spec: { class: 'twin' } } })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('"twin-1", "twin-2"'),
    });
  });

  it('lead to the one that the caller sees, however many others have the same name', async () => {
    const templates = service.admin.client(priv.ClusterTemplates);
    for (let i = 10; i < 35; i += 1) {
      const metadata = { name: 'of-everybody', tenants: [`many-${i}`] };
      await templates.create({ object: { id: `everybody-${i}`, metadata, nodeSets: { workers: { hostClass: 'class', size: 1 } } } });
    }
    const { object } = await service
      .tenant('many-34')
      .client(pub.Clusters)
      .create({ object: { spec: { template: 'of-everybody' } } });
    expect(object?.spec?.template).toBe('everybody-34');
    const ambiguous = service.admin.client(priv.Clusters).create({ object: { spec: { template: 'of-everybody' } } });
    await expect(ambiguous).rejects.toThrow(/several have the name/);
  });

  it('lead to an id before they lead to a name', async () => {
    const classes = service.admin.client(priv.HostClasses);
    for (let i = 10; i < 35; i += 1) await classes.create({ object: { id: `a-${i}`, metadata: { name: 'id-and-name' } } });
    await classes.create({ object: { id: 'id-and-name' } });
    const { object } = await service.admin.client(priv.Hosts).create({ object: { spec: { class: 'id-and-name' } } });
    expect(object?.spec?.class).toBe('id-and-name');
  });

  it('keep what they lead to from being deleted', async () => {
    await expect(service.admin.client(priv.HostClasses).delete({ id: 'class' })).rejects.toMatchObject({ code: 'failed_precondition' });
    await expect(service.admin.client(priv.ClusterTemplates).delete({ id: 'template' })).rejects.toMatchObject({
      code: 'failed_precondition',
    });
  });

  it('are told to those who may see where they come from', async () => {
    const acme = service.tenant('acme');
    const { object: made } = await acme.client(pub.HostPools).create({ object: pool });
    const id = made?.id ?? '';
    await service.admin.client(priv.Hosts).create({ object: { id: 'unseen', ...host, status: { hostPool: id } } });
    const refusal = async (client: AnyClient): Promise<string> => {
      const thrown: unknown = await client.delete({ id }).catch((each: unknown) => each);
      expect(thrown).toMatchObject({ code: 'failed_precondition', details: { reason: 'IN_USE', kind: 'hosts' } });
      return `${messageOf(thrown)} ${JSON.stringify(thrown instanceof StatusError ? thrown.details : undefined)}`;
    };
    expect(await refusal(acme.client(pub.HostPools))).toMatch(/is in use: a host refers to it in status\.host_pool; /);
    expect(await refusal(acme.client(pub.HostPools))).not.toContain('unseen');
    expect(await refusal(service.admin.client(priv.HostPools))).toContain('host "unseen" refers to it');
  });

  it('never lead to what a concurrent delete took away', async () => {
    const classes = service.admin.client(priv.HostClasses);
    const hosts = service.admin.client(priv.Hosts);
    for (let round = 0; round < 20; round += 1) {
      const id = `contested-${round}`;
      await classes.create({ object: { id } });
      const [made, gone] = await Promise.allSettled([hosts.create({ object: { spec: { class: id } } }), classes.delete({ id })]);
      expect([made.status, gone.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    }
  });
});

describe('clusters', () => {
  it('take node sets and defaults of parameters from their template', async () => {
    await service.admin.client(priv.ClusterTemplates).create({
      object: create(priv.ClusterTemplateSchema, {
        id: 'with-parameters',
        parameters: [
          { name: 'colour', type: 'type.googleapis.com/google.protobuf.StringValue', default: pack(StringValueSchema, { value: 'red' }) },
          { name: 'fast', type: 'type.googleapis.com/google.protobuf.BoolValue', required: true },
        ],
        nodeSets: { workers: { hostClass: 'class', size: 3 } },
      }),
    });
    const clusters = service.tenant('acme').client(pub.Clusters);
    const order = { spec: { template: 'with-parameters', templateParameters: { fast: pack(BoolValueSchema, { value: true }) } } };
    const { object: made } = await clusters.create({ object: order });
    expect(made?.spec?.nodeSets).toMatchObject({ workers: { hostClass: 'class', size: 3 } });
    expect(Object.keys(made?.spec?.templateParameters ?? {}).toSorted()).toEqual(['colour', 'fast']);
    expect(made?.metadata).toMatchObject({ tenants: ['acme'], creators: ['user of acme'] });
    await expect(clusters.create({ object: { spec: { template: 'with-parameters' } } })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  it('keep the host class of a node set when a mask changes its size', async () => {
    const clusters = service.tenant('acme').client(pub.Clusters);
    const { object: made } = await clusters.create({ object: cluster });
    const { object: after } = await clusters.update({
      object: { id: made?.id ?? '', spec: { nodeSets: { workers: { size: 7 } } } },
      updateMask: { paths: ['spec.node_sets.workers.size'] },
    });
    expect(after?.spec?.nodeSets['workers']).toMatchObject({ size: 7, hostClass: 'class' });
  });

  it('have an alias, and a port at their hub, of their own', async () => {
    const clusters = service.admin.client(priv.Clusters);
    await service.admin.client(priv.Hubs).create({ object: { id: 'hub', namespace: 'x' } });
    const [one, two] = await Promise.all([clusters.create({ object: cluster }), clusters.create({ object: cluster })]);
    const put = (id: string | undefined, status: { alias?: string; port?: number; hub?: string }) =>
      clusters.update({ object: { id: id ?? '', status }, updateMask: { paths: Object.keys(status).map((name) => `status.${name}`) } });
    await put(one.object?.id, { alias: 'east', port: 30_001, hub: 'hub' });
    await expect(put(two.object?.id, { alias: 'east' })).rejects.toMatchObject({
      code: 'already_exists',
      message: expect.stringContaining('status.alias'),
    });
    await expect(put(two.object?.id, { port: 30_001, hub: 'hub' })).rejects.toMatchObject({ code: 'already_exists' });
    await put(two.object?.id, { alias: 'west', port: 30_002, hub: 'hub' });
  });
});

function pack<T extends Parameters<typeof anyPack>[1]>(schema: GenMessage<T>, value: MessageInitShape<GenMessage<T>>) {
  return anyPack(schema, create(schema, value));
}
