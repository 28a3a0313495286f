import { create } from '@bufbuild/protobuf';
import { anyPack, Int32ValueSchema } from '@bufbuild/protobuf/wkt';
import { Clusters as PublicClusters } from '@quartermaster/api/fulfillment';
import { Clusters, type ClustersUpdateRequest, Events, EventType } from '@quartermaster/api/private';
import { FakeClock, invalidFields, StatusError } from '@quartermaster/kernel';
import {
  type CallContext,
  type RestServer,
  type RestServerOptions,
  type ServedService,
  type ServiceHandlers,
  serve,
  startRestServer,
} from '@quartermaster/rpc';
import { afterEach, describe, expect, it } from 'vitest';

const unused = (): never => {
  throw new StatusError('internal', 'not asked for');
};

function clusters(handlers: Partial<ServiceHandlers<typeof Clusters>>): ServedService {
  return serve(Clusters, { list: unused, get: unused, create: unused, update: unused, delete: unused, signal: unused, ...handlers });
}

function publicClusters(handlers: Partial<ServiceHandlers<typeof PublicClusters>>): ServedService {
  const nothing = { list: unused, get: unused, create: unused, update: unused, delete: unused };
  const secrets = { getKubeconfig: unused, getPassword: unused, getKubeconfigViaHttp: unused, getPasswordViaHttp: unused };
  return serve(PublicClusters, { ...nothing, ...secrets, ...handlers });
}

describe('the fulfillment contracts as REST', () => {
  let server: RestServer | undefined;

  const start = async (service: ServedService, options: Partial<RestServerOptions> = {}): Promise<string> => {
    server = await startRestServer({ services: [service], useProtoNames: true, ...options });
    return server.url;
  };

  const send = async (url: string, method: string, body?: unknown, headers: Record<string, string> = {}) => {
    const content = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
    const answer = await fetch(url, { method, headers, ...content });
    return { status: answer.status, json: await answer.json() };
  };

  /** A server that keeps the updates that it is asked for. */
  const startUpdates = async (): Promise<{ url: string; updates: ClustersUpdateRequest[] }> => {
    const updates: ClustersUpdateRequest[] = [];
    const url = await start(
      clusters({
        update: (request) => {
          updates.push(request);
          return { object: request.object };
        },
      }),
    );
    return { url: `${url}/api/private/v1/clusters/c1`, updates };
  };

  afterEach(async () => {
    await server?.stop(0);
    server = undefined;
  });

  it('answers with the names of the contract and takes either spelling', async () => {
    const url = await start(clusters({ create: ({ object }) => ({ object }) }));
    const bodies = [{ spec: { nodeSets: { w: { hostClass: 'h' } } } }, { spec: { node_sets: { w: { host_class: 'h' } } } }];
    for (const body of bodies) {
      const { status, json } = await send(`${url}/api/private/v1/clusters`, 'POST', body);
      expect(status).toBe(200);
      expect(json).toMatchObject({ spec: { node_sets: { w: { host_class: 'h', size: 0 } }, template: '' } });
    }
  });

  it('keeps camelCase where nothing else was asked for', async () => {
    const url = await start(clusters({ get: () => ({ object: { spec: { nodeSets: { w: {} } } } }) }), { useProtoNames: false });
    expect((await send(`${url}/api/private/v1/clusters/c1`, 'GET')).json).toMatchObject({ spec: { nodeSets: { w: { hostClass: '' } } } });
  });

  it('fills the mask of a PATCH from what its body names', async () => {
    const { url, updates } = await startUpdates();
    const body = { id: 'other', metadata: { labels: { 'a.b/c': 'x' }, name: null }, spec: { node_sets: { w: { size: 5 } } } };
    expect((await send(url, 'PATCH', body)).status).toBe(200);
    expect(updates[0]?.object?.id).toBe('c1');
    expect(updates[0]?.updateMask?.paths).toEqual(['metadata.labels.`a.b/c`', 'metadata.name', 'spec.node_sets.w.size']);
  });

  it('takes the mask of the query instead, in either spelling, with lock and dry run', async () => {
    const { url, updates } = await startUpdates();
    await send(`${url}?update_mask=spec.nodeSets,metadata.name&lock=true&dry_run=true`, 'PATCH', { spec: {}, metadata: { version: '7' } });
    await send(`${url}?updateMask=spec.node_sets`, 'PATCH', {});
    expect(updates.map((update) => update.updateMask?.paths)).toEqual([['spec.node_sets', 'metadata.name'], ['spec.node_sets']]);
    expect(updates[0]).toMatchObject({ lock: true, dryRun: true, object: { metadata: { version: 7n } } });
  });

  it.each([
    [undefined, 'body must be a JSON object'],
    [[], 'body must be a JSON object'],
    ['x', 'body must be a JSON object'],
    [{}, 'body has no fields: set what to change, or update_mask'],
    [{ id: 'c1' }, 'body has no fields: set what to change, or update_mask'],
  ])('refuses a PATCH with %j, which would replace everything', async (body, message) => {
    const { url, updates } = await startUpdates();
    expect(await send(url, 'PATCH', body)).toEqual({ status: 400, json: { code: 'invalid_argument', message } });
    expect(updates).toEqual([]);
  });

  it('refuses a field of another form by its path in the object', async () => {
    const { url } = await startUpdates();
    const { status, json } = await send(url, 'PATCH', { spec: { node_sets: { w: { size: 'many' } } } });
    expect(status).toBe(400);
    expect(json).toMatchObject({ details: { fieldViolations: [{ field: "spec.node_sets['w'].size" }] } });
  });

  it('carries the fields that a handler refuses', async () => {
    const violations = [{ field: 'spec.template', description: 'there is no template "x"' }];
    const url = await start(
      clusters({
        create: () => {
          throw invalidFields(violations);
        },
      }),
    );
    const { status, json } = await send(`${url}/api/private/v1/clusters`, 'POST', {});
    expect([status, json]).toEqual([400, expect.objectContaining({ details: { fieldViolations: violations } })]);
  });

  it('takes the header x-dry-run for the field, and refuses it where there is none', async () => {
    const dryRuns: boolean[] = [];
    const url = await start(
      clusters({
        list: () => ({}),
        delete: ({ dryRun }) => {
          dryRuns.push(dryRun);
          return {};
        },
      }),
    );
    const base = `${url}/api/private/v1/clusters`;
    expect((await send(`${base}/c1`, 'DELETE', undefined, { 'x-dry-run': 'True' })).status).toBe(200);
    expect((await send(`${base}/c1`, 'DELETE', undefined, { 'x-dry-run': 'false' })).status).toBe(200);
    expect((await send(base, 'GET', undefined, { 'x-dry-run': 'true' })).status).toBe(200);
    expect(dryRuns).toEqual([true, false]);
    expect((await send(`${base}/c1`, 'DELETE', undefined, { 'x-dry-run': 'maybe' })).json).toMatchObject({
      code: 'invalid_argument',
      message: 'header x-dry-run: must be true or false',
    });
  });

  it('sends what an HttpBody holds as it is, with its type', async () => {
    const data = new TextEncoder().encode('apiVersion: v1\n');
    const url = await start(publicClusters({ getKubeconfigViaHttp: () => ({ contentType: 'application/yaml', data }) }));
    const answer = await fetch(`${url}/api/fulfillment/v1/clusters/c1/kubeconfig`);
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([200, 'application/yaml', 'apiVersion: v1\n']);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('reads and writes parameters of known types, and writes those of others as bytes', async () => {
    const foreign = { typeUrl: 'type.googleapis.com/acme.Thing', value: new Uint8Array([1, 2]) };
    const broken = { typeUrl: 'type.googleapis.com/google.protobuf.Int32Value', value: new Uint8Array([255]) };
    let given: unknown;
    const url = await start(
      clusters({
        create: ({ object }) => {
          given = object?.spec?.templateParameters['size'];
          return { object: { spec: { templateParameters: { ...object?.spec?.templateParameters, foreign, broken } } } };
        },
      }),
    );
    const size = { '@type': 'type.googleapis.com/google.protobuf.Int32Value', value: 3 };
    const { status, json } = await send(`${url}/api/private/v1/clusters`, 'POST', { spec: { template_parameters: { size } } });
    expect(status).toBe(200);
    expect(given).toMatchObject(anyPack(Int32ValueSchema, create(Int32ValueSchema, { value: 3 })));
    const struct = (type_url: string, value: string) => ({
      '@type': 'type.googleapis.com/google.protobuf.Struct',
      value: { type_url, value },
    });
    expect(json).toMatchObject({
      spec: { template_parameters: { size, foreign: struct(foreign.typeUrl, 'AQI='), broken: struct(broken.typeUrl, '/w==') } },
    });
  });

  it.each([
    ['text/plain', 'x', 'body must be JSON: send the header "content-type: application/json"'],
    ['application/json', '{', 'body is not valid JSON'],
    ['application/json', `"${'x'.repeat(2000)}"`, 'body is too large: send less at once'],
  ])('refuses a body of type %s that cannot be read', async (type, body, message) => {
    const url = await start(clusters({}), { maxBodyBytes: 1000 });
    const answer = await fetch(`${url}/api/private/v1/clusters`, { method: 'POST', body, headers: { 'content-type': type } });
    expect([answer.status, await answer.json()]).toEqual([400, { code: 'invalid_argument', message }]);
  });

  it('joins several headers of a name', async () => {
    let seen: string | undefined;
    const url = await start(
      clusters({
        list: (_request, context: CallContext) => {
          seen = context.header('x-note');
          return {};
        },
      }),
    );
    const headers = new Headers([
      ['x-note', 'a'],
      ['x-note', 'b'],
    ]);
    await fetch(`${url}/api/private/v1/clusters`, { headers });
    expect(seen).toBe('a, b');
  });

  it('begins a quiet stream and keeps it alive with comments', async () => {
    const clock = new FakeClock();
    const { promise: goOn, resolve } = Promise.withResolvers<void>();
    const events = serve(Events, {
      async *watch() {
        await goOn;
        yield { event: { id: 'e1', type: EventType.OBJECT_CREATED } };
      },
    });
    const url = await start(events, { clock });
    const pending = fetch(`${url}/api/private/v1/events/watch`, { headers: { accept: 'text/event-stream' } });
    await expect.poll(() => clock.pendingTimers).toBe(1);
    await clock.advance(1_000);
    const answer = await pending;
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect(await reader?.read()).toMatchObject({ value: ': keep-alive\n\n' });
    await expect.poll(() => clock.pendingTimers).toBe(1);
    await clock.advance(15_000);
    expect(await reader?.read()).toMatchObject({ value: ': keep-alive\n\n' });
    resolve();
    const last = await reader?.read();
    expect(last?.value).toMatch(/^data: \{"event":\{"id":"e1","type":"EVENT_TYPE_OBJECT_CREATED"/);
    expect(await reader?.read()).toMatchObject({ done: true });
  });
});
