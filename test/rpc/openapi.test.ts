import type { DescService } from '@bufbuild/protobuf';
import { descriptionOf } from '@quartermaster/api/descriptions';
import * as publicApi from '@quartermaster/api/fulfillment';
import * as extras from '@quartermaster/api/fulfillment-extras';
import { InventoryService } from '@quartermaster/api/inventory';
import * as privateApi from '@quartermaster/api/private';
import { openApiDocument, restBindings, startRestServer } from '@quartermaster/rpc';
import { describe, expect, it } from 'vitest';
import { stubService } from './inventory-stub.ts';
import { openApiProblems } from './openapi-problems.ts';

const isService = (value: unknown): value is DescService =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'service';

const everything: readonly unknown[] = [...Object.values(publicApi), ...Object.values(privateApi), ...Object.values(extras)];
const services = [...everything.filter(isService), InventoryService];

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: object; readonly description?: string }[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties?: Readonly<Record<string, object>>; readonly description?: string }>>;
  };
}

const make = (useProtoNames: boolean): Document => {
  const document: unknown = openApiDocument(services, { title: 'Quartermaster', version: '1', describe: descriptionOf, useProtoNames });
  return document as Document;
};

const document = make(true);
const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })),
);

/** Every object inside, with the path that leads to it. */
function* objectsIn(value: unknown, path = '#'): Generator<[path: string, object: object]> {
  if (typeof value !== 'object' || value === null) return;
  yield [path, value];
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, `${path}/${key}`);
}

describe('openApiDocument', () => {
  it('has an operation for every binding of every method', () => {
    const bindings = services.flatMap((service) => service.methods.flatMap((method) => restBindings(method)));
    expect(operations).toHaveLength(bindings.length);
    expect(bindings.length).toBeGreaterThan(60);
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(bindings.length);
  });

  it('is what the official schema of OpenAPI says', () => {
    expect(openApiProblems(document)).toEqual([]);
    expect(openApiProblems(make(false))).toEqual([]);
    const [broken, misspelt] = [structuredClone(document), structuredClone(document)];
    Object.assign(broken.paths['/api/private/v1/hosts']?.['get'] ?? {}, { parameters: [{ name: 'limit', in: 'nowhere' }] });
    Object.assign(misspelt.components.schemas['private.v1.Host'] ?? {}, { type: 'objekt' });
    expect(openApiProblems(broken).join()).toContain('/paths/~1api~1private~1v1~1hosts/get/parameters/0');
    expect(openApiProblems(misspelt).join()).toContain('/components/schemas/private.v1.Host/type');
  });

  it('has no two paths that differ only in the names of their variables', () => {
    const bare = Object.keys(document.paths).map((path) => path.replaceAll(/\{[^}]*\}/g, '{}'));
    expect(new Set(bare).size).toBe(bare.length);
    expect(Object.keys(document.paths['/api/private/v1/hosts/{id}'] ?? {}).toSorted()).toEqual(['delete', 'get', 'patch']);
  });

  it('declares exactly the variables that a path has, and no parameter twice', () => {
    for (const { path, operation } of operations) {
      const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
      const parameters = operation.parameters ?? [];
      expect(parameters.filter((each) => each.in === 'path').map(({ name }) => name)).toEqual(names);
      expect(new Set(parameters.map((each) => `${each.in} ${each.name}`)).size).toBe(parameters.length);
    }
  });

  it('refers only to what there is', () => {
    const targets = new Set([...objectsIn(document)].map(([path]) => path));
    const references = [...objectsIn(document)].flatMap(([, object]) => ('$ref' in object ? [object.$ref] : []));
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter((reference) => typeof reference !== 'string' || !targets.has(reference))).toEqual([]);
  });

  it('uses only names that OpenAPI allows for components', () => {
    expect(Object.keys(document.components.schemas).filter((name) => !/^[\w.-]+$/.test(name))).toEqual([]);
  });

  it('has the comments of the contracts', () => {
    const host = document.components.schemas['private.v1.HostSpec'];
    expect(host?.properties?.['rack']).toEqual({ type: 'string', description: 'Name of the rack it stands in.' });
    expect(document.components.schemas['private.v1.EventType']?.description).toContain('EVENT_TYPE_OBJECT_SIGNALED: Nothing changed');
    expect(document.paths['/api/private/v1/hosts']?.['get']?.description).toMatch(/^The hosts that the caller may see/);
  });

  it('names properties as the server answers them', () => {
    expect(document.components.schemas['private.v1.ClusterSpec']?.properties).toHaveProperty('node_sets');
    expect(make(false).components.schemas['private.v1.ClusterSpec']?.properties).toHaveProperty('nodeSets');
  });

  it('knows parameters, bodies and answers of an update', () => {
    const update = document.paths['/api/private/v1/clusters/{id}']?.['patch'];
    expect(update?.parameters?.map((each) => each.name)).toEqual(['id', 'update_mask', 'lock', 'dry_run']);
    const schema = { $ref: '#/components/schemas/private.v1.Cluster' };
    expect(update?.requestBody).toMatchObject({ required: true, content: { 'application/json': { schema } } });
    expect(update?.responses['200']?.content).toMatchObject({ 'application/json': { schema } });
  });

  it('knows streams and answers that are no JSON', () => {
    const watch = document.paths['/api/private/v1/events/watch']?.['get'];
    expect(Object.keys(watch?.responses['200']?.content ?? {})).toEqual(['application/x-ndjson', 'text/event-stream']);
    const kubeconfig = document.paths['/api/fulfillment/v1/clusters/{id}/kubeconfig']?.['get'];
    expect(Object.keys(kubeconfig?.responses['200']?.content ?? {})).toEqual(['*/*']);
  });

  it('is served to everybody where that is asked for, and nowhere else', async () => {
    const authenticate = () => {
      throw new Error('nobody should be asked');
    };
    const options = { services: [stubService({})], authenticate };
    const server = await startRestServer({ ...options, openApi: { title: 'Inventory', version: '2' } });
    const silent = await startRestServer(options);
    try {
      const answer = await fetch(`${server.url}/openapi.json`);
      expect(await answer.json()).toMatchObject({ openapi: '3.1.0', info: { title: 'Inventory', version: '2' } });
      expect((await fetch(`${silent.url}/openapi.json`)).status).toBe(404);
    } finally {
      await Promise.all([server.stop(0), silent.stop(0)]);
    }
  });
});
