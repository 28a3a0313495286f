import type { JsonObject } from '@bufbuild/protobuf';
import { startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPublishedClient, type PublishedClient } from './published-client.ts';
import { publishedTypes } from './published-wire.ts';
import { objects, part } from './released-cli.ts';

let service: TestFulfillment;
/** A user of the public API, and an administrator: both know nothing but the published types. */
let client: PublishedClient;
let admin: PublishedClient;
let tokens: { readonly client: string; readonly admin: string };

beforeAll(async () => {
  service = await startTestFulfillment();
  const types = publishedTypes();
  tokens = {
    client: await service.token({ name: 'client', role: 'tenant', groups: ['innabox'] }),
    admin: await service.token({ name: 'administrator', role: 'admin' }),
  };
  client = openPublishedClient(service.grpcAddress, types, tokens.client);
  admin = openPublishedClient(service.grpcAddress, types, tokens.admin);
  for (const id of ['acme', 'hal']) await admin.call('private.v1.HostClasses', 'Create', { object: { id, title: id.toUpperCase() } });
  await admin.call('private.v1.ClusterTemplates', 'Create', {
    object: {
      id: 'two-sets',
      title: 'Two sets',
      parameters: [
        { name: 'my', type: stringType, default: { '@type': stringType, value: 'default' } },
        { name: 'your', type: stringType, default: { '@type': stringType, value: 'default' } },
      ],
      node_sets: { compute: { host_class: 'acme', size: 3 }, gpu: { host_class: 'hal', size: 1 } },
    },
  });
});

afterAll(async () => {
  client.close();
  admin.close();
  await service.stop();
});

const stringType = 'type.googleapis.com/google.protobuf.StringValue';
const object = async (answer: Promise<JsonObject>): Promise<JsonObject> => part((await answer)['object']);
const metadata = (of: JsonObject): JsonObject => part(of['metadata']);
const newCluster = (more: JsonObject = {}): Promise<JsonObject> =>
  object(client.call('fulfillment.v1.Clusters', 'Create', { object: { spec: { template: 'two-sets' }, ...more } }));

describe.each([
  { name: 'private host classes', type: 'private.v1.HostClasses', sample: { title: 'My title', description: 'My description.' } },
  {
    name: 'private cluster templates',
    type: 'private.v1.ClusterTemplates',
    sample: { title: 'My title', description: 'My description.', node_sets: { mine: { host_class: 'acme', size: 1 } } },
  },
])('$name', ({ type, sample }) => {
  it('are created with the id that the caller gives', async () => {
    const id = `my_${type}`;
    expect(await object(admin.call(type, 'Create', { object: { id, ...sample } }))).toMatchObject({ id, ...sample });
  });

  it('are got', async () => {
    const made = await object(admin.call(type, 'Create', { object: sample }));
    expect(await object(admin.call(type, 'Get', { id: String(made['id']) }))).toEqual(made);
    expect(metadata(made)['creation_timestamp']).toMatch(/^20/);
    expect(metadata(made)['deletion_timestamp']).toBeUndefined();
  });

  it('are listed', async () => {
    const made = await Promise.all([1, 2, 3].map(() => object(admin.call(type, 'Create', { object: sample }))));
    const answer = await admin.call(type, 'List', {});
    const ids = objects(answer['items']).map(({ id }) => id);
    for (const { id } of made) expect(ids).toContain(id);
    expect([answer['size'], answer['total']]).toEqual([ids.length, ids.length]);
  });

  it('are updated', async () => {
    const { id = '' } = await object(admin.call(type, 'Create', { object: sample }));
    const answer = admin.call(type, 'Update', { object: { id, title: 'Your title' }, update_mask: 'title' });
    expect(await object(answer)).toMatchObject({ ...sample, id, title: 'Your title' });
    expect(await object(admin.call(type, 'Get', { id }))).toMatchObject({ ...sample, title: 'Your title' });
  });

  it('stay with a deletion timestamp while they have a finalizer', async () => {
    const { id = '' } = await object(admin.call(type, 'Create', { object: { ...sample, metadata: { finalizers: ['a'] } } }));
    expect(await admin.call(type, 'Delete', { id })).toEqual({});
    expect(metadata(await object(admin.call(type, 'Get', { id })))).toMatchObject({
      finalizers: ['a'],
      deletion_timestamp: expect.stringMatching(/^20/),
    });
    const mask = { object: { id }, update_mask: 'metadata.finalizers' };
    await admin.call(type, 'Update', mask);
    await expect(admin.call(type, 'Get', { id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('public cluster templates', () => {
  it('are listed', async () => {
    const { items } = await client.call('fulfillment.v1.ClusterTemplates', 'List', {});
    expect(objects(items).map(({ id }) => id)).toContain('two-sets');
  });

  it('are got', async () => {
    const template = await object(client.call('fulfillment.v1.ClusterTemplates', 'Get', { id: 'two-sets' }));
    expect(template).toMatchObject({ id: 'two-sets', title: 'Two sets', node_sets: { compute: { host_class: 'acme', size: 3 } } });
    expect(objects(template['parameters']).map(({ name }) => name)).toEqual(['my', 'your']);
  });
});

describe('public clusters', () => {
  it('are created with the node sets of their template', async () => {
    expect(await newCluster()).toMatchObject({
      spec: {
        template: 'two-sets',
        node_sets: { compute: { host_class: 'acme', size: 3 }, gpu: { host_class: 'hal', size: 1 } },
      },
    });
  });

  it('are created with parameters of their own and the defaults of the others', async () => {
    const cluster = await newCluster({
      spec: { template: 'two-sets', template_parameters: { my: { '@type': stringType, value: 'mine' } } },
    });
    expect(part(cluster['spec'])['template_parameters']).toEqual({
      my: { '@type': stringType, value: 'mine' },
      your: { '@type': stringType, value: 'default' },
    });
  });

  it('are listed', async () => {
    const { id } = await newCluster();
    const { items } = await client.call('fulfillment.v1.Clusters', 'List', {});
    expect(objects(items).map((each) => each['id'])).toContain(id);
  });

  it('are listed by filter', async () => {
    const { id = '' } = await newCluster({ metadata: { name: 'filtered' } });
    await newCluster();
    const { items, size, total } = await client.call('fulfillment.v1.Clusters', 'List', { filter: 'this.metadata.name == "filtered"' });
    expect([objects(items).map((each) => each['id']), size, total]).toEqual([[id], 1, 1]);
  });

  it('are got', async () => {
    const made = await newCluster();
    expect(await object(client.call('fulfillment.v1.Clusters', 'Get', { id: String(made['id']) }))).toEqual(made);
  });

  it('are updated by a mask through a map', async () => {
    const { id = '' } = await newCluster();
    const updated = await object(
      client.call('fulfillment.v1.Clusters', 'Update', {
        object: { id, spec: { node_sets: { compute: { size: 4 } } } },
        update_mask: 'spec.nodeSets.compute.size',
      }),
    );
    expect(part(updated['spec'])['node_sets']).toEqual({
      compute: { host_class: 'acme', size: 4 },
      gpu: { host_class: 'hal', size: 1 },
    });
  });

  it('are deleted', async () => {
    const { id = '' } = await newCluster();
    expect(await client.call('fulfillment.v1.Clusters', 'Delete', { id })).toEqual({});
    await expect(client.call('fulfillment.v1.Clusters', 'Get', { id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each(['Get', 'Delete', 'GetKubeconfig', 'GetPassword'])('that are not there are not found by %s', async (method) => {
    await expect(client.call('fulfillment.v1.Clusters', method, { id: 'does-not-exist' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('does-not-exist'),
    });
  });

  it('that are not there are not found by Update', async () => {
    const update = { object: { id: 'does-not-exist', metadata: { name: 'x' } }, update_mask: 'metadata.name' };
    await expect(client.call('fulfillment.v1.Clusters', 'Update', update)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('name who created them', async () => {
    expect(metadata(await newCluster())['creators']).toEqual(['client']);
  });

  it('lose one node set and keep the other', async () => {
    const { id = '' } = await newCluster();
    const updated = await object(
      client.call('fulfillment.v1.Clusters', 'Update', {
        object: { id, spec: { node_sets: { compute: { host_class: 'acme', size: 3 } } } },
        update_mask: 'spec.nodeSets',
      }),
    );
    expect(part(updated['spec'])['node_sets']).toEqual({ compute: { host_class: 'acme', size: 3 } });
    const read = await object(client.call('fulfillment.v1.Clusters', 'Get', { id }));
    expect(part(read['spec'])['node_sets']).toEqual({ compute: { host_class: 'acme', size: 3 } });
  });

  it('do not lose their last node set', async () => {
    const { id = '' } = await newCluster();
    const update = { object: { id }, update_mask: 'spec.nodeSets' };
    await expect(client.call('fulfillment.v1.Clusters', 'Update', update)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

describe('REST', () => {
  const get = async (path: string, token: string): Promise<JsonObject> => {
    const answer = await fetch(`${service.restUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
    return (await answer.json()) as JsonObject;
  };

  it('uses the names of the fields in the contract', async () => {
    const { id } = await newCluster();
    const shown = await get(`/api/fulfillment/v1/clusters/${String(id)}`, tokens.client);
    expect(part(shown['spec'])).toHaveProperty('node_sets');
    expect(part(shown['spec'])).not.toHaveProperty('nodeSets');
  });

  it('serves the private API, too', async () => {
    expect(await get('/api/private/v1/host_classes/acme', tokens.admin)).toMatchObject({ id: 'acme', title: 'ACME' });
    const { items } = await get('/api/private/v1/cluster_templates', tokens.admin);
    expect(objects(items).map(({ id }) => id)).toContain('two-sets');
  });
});

describe('the conventions of the API', () => {
  const classes = 'private.v1.HostClasses';

  it.each([
    ['Get', { id: '' }],
    ['Signal', { id: '' }],
    ['Delete', { id: '' }],
    ['Update', { object: { id: '' } }],
    ['Update', {}],
    ['Create', {}],
    ['List', { filter: 'this.nothing == 1' }],
    ['List', { filter: 'this.id ==' }],
    ['List', { filter: 'this.id == 1' }],
    ['List', { filter: 'this.id' }],
    ['List', { limit: -1 }],
    ['Create', { object: { metadata: { name: 'Upper' } } }],
    ['Create', { object: { metadata: { name: 'x'.repeat(64) } } }],
    ['Create', { object: { metadata: { name: '-x' } } }],
  ])('refuse %s of %j with INVALID_ARGUMENT', async (method, request) => {
    await expect(admin.call(classes, method, request)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('refuse a second object of an id with ALREADY_EXISTS, and a reference to nothing with NOT_FOUND', async () => {
    await expect(admin.call(classes, 'Create', { object: { id: 'acme' } })).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    await expect(newCluster({ spec: { template: 'nothing' } })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('give ids that are UUIDs in the order of time', async () => {
    const first = await object(admin.call(classes, 'Create', { object: {} }));
    const second = await object(admin.call(classes, 'Create', { object: {} }));
    expect(String(first['id'])).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
    expect(String(first['id']) < String(second['id'])).toBe(true);
  });

  it('give a hundred objects unless asked for more, and a thousand at most', async () => {
    await Promise.all(Array.from({ length: 105 }, () => admin.call(classes, 'Create', { object: {} })));
    const counted = async (request: JsonObject) => (await admin.call(classes, 'List', request))['size'];
    expect(await counted({})).toBe(100);
    expect(await counted({ limit: 5000 })).toBeGreaterThan(104);
    expect(await counted({ limit: 0 })).toBe(0);
  });

  it('clear what a mask names and the object lacks, and replace everything without one', async () => {
    const { id = '' } = await object(admin.call(classes, 'Create', { object: { title: 'T', description: 'D' } }));
    expect(await object(admin.call(classes, 'Update', { object: { id }, update_mask: 'title' }))).toMatchObject({ description: 'D' });
    const replaced = await object(admin.call(classes, 'Update', { object: { id, title: 'U' } }));
    expect([replaced['title'], replaced['description']]).toEqual(['U', undefined]);
  });

  it('let finalizers be a set', async () => {
    const made = await object(admin.call(classes, 'Create', { object: { metadata: { finalizers: ['b', 'a', 'b'] } } }));
    expect(metadata(made)['finalizers']).toEqual(['a', 'b']);
  });

  it('refuse a tenant that the caller does not have, and show it no others', async () => {
    await expect(newCluster({ metadata: { tenants: ['elsewhere'] } })).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    await expect(newCluster({ metadata: { tenants: ['shared'] } })).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(metadata(await newCluster())['tenants']).toEqual(['innabox']);
  });

  it('refuse callers without a token and users of the private API', async () => {
    const nobody = openPublishedClient(service.grpcAddress, admin.types);
    await expect(nobody.call(classes, 'List', {})).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    nobody.close();
    await expect(client.call(classes, 'List', {})).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });
});
