import { startTestFulfillment, type TestCaller, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApiProblems } from '../rpc/openapi-problems.ts';

let service: TestFulfillment;

beforeAll(async () => {
  service = await startTestFulfillment();
});

afterAll(async () => {
  await service.stop();
});

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const admin: TestCaller = { name: 'admin', role: 'admin' };

async function call(verb: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const response = await fetch(`${service.restUrl}${path}`, {
    method: verb,
    headers: {
      authorization: `Bearer ${await service.token(admin)}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

describe('REST', () => {
  it('serves objects by the names of the contract', async () => {
    expect(await call('POST', '/api/private/v1/host_classes', { id: 'c', title: 'Class' })).toMatchObject({
      status: 200,
      body: { id: 'c' },
    });
    const made = await call('POST', '/api/private/v1/cluster_templates', { id: 't', node_sets: { workers: { host_class: 'c', size: 2 } } });
    expect(made).toMatchObject({ status: 200, body: { id: 't', node_sets: { workers: { host_class: 'c', size: 2 } } } });
    const listed = await call('GET', `/api/fulfillment/v1/cluster_templates?filter=${encodeURIComponent('this.id == "t"')}&limit=5`);
    expect(listed).toMatchObject({ status: 200, body: { size: 1, total: 1, items: [{ id: 't', metadata: { creators: ['admin'] } }] } });
  });

  it('changes what a PATCH holds and leaves the rest alone', async () => {
    await call('POST', '/api/private/v1/hosts', { id: 'h', metadata: { name: 'first' }, spec: { rack: 'r1', class: 'c', title: 'T' } });
    expect(await call('PATCH', '/api/private/v1/hosts/h', { spec: { rack: 'r2' } })).toMatchObject({
      status: 200,
      body: { spec: { rack: 'r2', class: 'c', title: 'T' }, metadata: { name: 'first', version: '1' } },
    });
    await call('PATCH', '/api/private/v1/hosts/h?update_mask=spec.title', { spec: { rack: 'r3' } });
    expect((await call('GET', '/api/private/v1/hosts/h')).body).toMatchObject({ spec: { rack: 'r2', class: 'c', title: '' } });
  });

  it('does nothing with the header of a dry run', async () => {
    const dry = await call('POST', '/api/private/v1/hosts', { id: 'dry' }, { 'x-dry-run': 'true' });
    expect(dry).toMatchObject({ status: 200, body: { id: 'dry' } });
    expect((await call('GET', '/api/private/v1/hosts/dry')).status).toBe(404);
    expect((await call('DELETE', '/api/private/v1/hosts/h', undefined, { 'x-dry-run': 'true' })).status).toBe(200);
    expect((await call('GET', '/api/private/v1/hosts/h')).status).toBe(200);
  });

  it('does not mind a content type where there is no content', async () => {
    const json = { 'content-type': 'application/json' };
    expect((await call('GET', '/api/private/v1/hosts/h', undefined, json)).status).toBe(200);
    expect((await call('DELETE', '/api/private/v1/hosts/h', undefined, { ...json, 'x-dry-run': 'true' })).status).toBe(200);
    expect(await call('POST', '/api/private/v1/hosts', undefined, json)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('field "object": must be given') },
    });
  });

  it('tells errors by status, code and field', async () => {
    const violations = (field: string) => ({ fieldViolations: [{ field, description: expect.stringMatching(/.{10}/) }] });
    expect(await call('POST', '/api/private/v1/hosts', { metadata: { name: 'No Name' } })).toMatchObject({
      status: 400,
      body: { code: 'invalid_argument', details: violations('metadata.name') },
    });
    expect(await call('POST', '/api/private/v1/hosts', { id: 'h' })).toMatchObject({
      status: 409,
      body: { code: 'already_exists', details: violations('id') },
    });
    expect(await call('POST', '/api/private/v1/hosts', { spec: { class: 'nothing' } })).toMatchObject({
      status: 404,
      body: { code: 'not_found', details: violations('spec.class') },
    });
    expect(await call('PATCH', '/api/private/v1/hosts/h?lock=true', { metadata: { version: '99' } })).toMatchObject({
      status: 409,
      body: { code: 'aborted', details: violations('metadata.version') },
    });
    expect(await call('DELETE', '/api/private/v1/host_classes/c')).toMatchObject({
      status: 412,
      body: { code: 'failed_precondition', details: { reason: 'IN_USE', kind: 'hosts', ids: ['h'] } },
    });
    const tenant = { authorization: `Bearer ${await service.token({ name: 'x', role: 'tenant', groups: ['acme'] })}` };
    expect(await call('GET', '/api/private/v1/hosts', undefined, tenant)).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    });
    expect((await call('GET', '/api/private/v1/hosts?filter=nonsense')).status).toBe(400);
    expect((await call('GET', '/api/private/v1/hosts?limit=many')).status).toBe(400);
    expect((await fetch(`${service.restUrl}/api/private/v1/hosts`)).status).toBe(401);
  });

  it('describes itself, and says whether it is alive and ready', async () => {
    const document = (await (await fetch(`${service.restUrl}/openapi.json`)).json()) as {
      readonly openapi: string;
      readonly paths: Readonly<Record<string, { readonly get?: { readonly description?: string } }>>;
    };
    expect(document.openapi).toMatch(/^3\.1/);
    expect(openApiProblems(document)).toEqual([]);
    expect(Object.keys(document.paths)).toContain('/api/fulfillment/v1/clusters/{id}/kubeconfig');
    expect(document.paths['/api/private/v1/hosts']?.get?.description).toMatch(/^The hosts that the caller may see/);
    expect((await fetch(`${service.restUrl}/livez`)).status).toBe(200);
    expect((await fetch(`${service.restUrl}/readyz`)).status).toBe(200);
  });

  it('streams events as they happen', async () => {
    const ending = new AbortController();
    const response = await fetch(
      `${service.restUrl}/api/private/v1/events/watch?bookmarks=true&filter=${encodeURIComponent('has(event.host)')}`,
      {
        headers: { authorization: `Bearer ${await service.token(admin)}`, accept: 'application/x-ndjson' },
        signal: ending.signal,
      },
    );
    const lines = linesOf(response);
    expect(await lines.next()).toMatchObject({ value: { bookmark: true } });
    await call('POST', '/api/private/v1/hosts', { id: 'streamed' });
    expect(await lines.next()).toMatchObject({ value: { event: { type: 'EVENT_TYPE_OBJECT_CREATED', host: { id: 'streamed' } } } });
    ending.abort();
  });
});

async function* linesOf(response: Response): AsyncGenerator<unknown, void, undefined> {
  let rest = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line);
  }
}
