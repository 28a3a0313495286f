import { request as httpsRequest } from 'node:https';
import { seededRandom } from '@quartermaster/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type SimulatedServer, startSimulatedServer } from '../src/server/simulated-server.ts';
import { type MalformedRequest, malformedRequests } from './malformed-request.ts';

interface Answer {
  readonly code: number;
  readonly body: string;
}

describe('the simulated API server', () => {
  let server: SimulatedServer;
  const faults: string[] = [];

  beforeAll(async () => {
    const complain = (message: string, fields?: Readonly<Record<string, unknown>>): void =>
      void faults.push(`${message}: ${String(fields?.['error'])}`);
    server = await startSimulatedServer({ log: { debug() {}, info() {}, warn: complain, error: complain } });
  });

  afterAll(async () => {
    await server.stop();
  });

  function send({ method, path, headers, body }: Omit<MalformedRequest, 'why'>): Promise<Answer> {
    const { users } = parse(server.kubeconfig) as { users: [{ user: Record<string, string> }] };
    const decode = (field: string) => Buffer.from(users[0].user[field] ?? '', 'base64').toString('utf8');
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    return new Promise((resolve, reject) => {
      const options = {
        method,
        headers: { ...headers, ...length },
        ca: server.certificateAuthority,
        cert: decode('client-certificate-data'),
        key: decode('client-key-data'),
      };
      const call = httpsRequest(`${server.url}${path}`, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ code: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }));
      });
      call.once('error', reject);
      call.end(body);
    });
  }

  const json = { 'content-type': 'application/json' };

  it('answers 1 000 malformed requests with a 4xx Status each, and goes on', { timeout: 60_000 }, async () => {
    const pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image: 'x' }] } };
    const there = { metadata: { name: 'there' }, data: { a: '1' } };
    for (const [plural, object] of [
      ['pods', pod],
      ['configmaps', there],
    ] as const) {
      const made = await send({
        method: 'POST',
        path: `/api/v1/namespaces/default/${plural}`,
        headers: json,
        body: JSON.stringify(object),
      });
      expect(made.code).toBe(201);
    }
    const surprises: string[] = [];
    for (const malformed of malformedRequests(seededRandom(4), 1000)) {
      const { code, body } = await send(malformed).catch((error: unknown) => ({ code: 0, body: String(error) }));
      const status = body.startsWith('{') ? (JSON.parse(body) as { kind?: string; status?: string; code?: number; message?: string }) : {};
      const isRight =
        code >= 400 &&
        code < 500 &&
        status.kind === 'Status' &&
        status.status === 'Failure' &&
        status.code === code &&
        status.message !== '';
      if (!isRight)
        surprises.push(`${malformed.why}: ${malformed.method} ${malformed.path} ${malformed.body ?? ''} -> ${code} ${body.slice(0, 200)}`);
    }
    expect([...new Set(surprises)]).toEqual([]);
    expect(faults).toEqual([]);
    const after = await send({ method: 'GET', path: '/api/v1/namespaces/default/configmaps/there', headers: {} });
    expect(JSON.parse(after.body)).toMatchObject({ data: { a: '1' } });
  });

  const strategic = 'application/strategic-merge-patch+json';
  const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

  // Each answer is the one of the real server.
  it.each([
    [
      'an unknown directive',
      strategic,
      '{"$patch":"nope","data":{"a":"c"}}',
      500,
      'unknown patch type: nope in map: map[$patch:nope data:map[a:c]]',
    ],
    [
      'an unknown directive of a map',
      strategic,
      '{"data":{"$patch":"nope","a":"c"}}',
      500,
      'unknown patch type: nope in map: map[$patch:nope a:c]',
    ],
    ['a directive that is no text', strategic, '{"$patch":5}', 500, 'unknown patch type: %!s(int64=5) in map: map[$patch:5]'],
    [
      'an order that is no list',
      strategic,
      '{"metadata":{"$setElementOrder/finalizers":5}}',
      500,
      'expected a []interface {}, but received a int64',
    ],
    ['keys to retain that are no list', strategic, '{"data":{"$retainKeys":5,"a":"c"}}', 400, 'invalid patch format of retainKeys'],
    [
      'the deletion of everything',
      strategic,
      '{"$patch":"delete"}',
      400,
      'the name of the object (patched based on URL) was undeterminable: name must be provided',
    ],
    [
      'another name',
      'application/merge-patch+json',
      '{"metadata":{"name":"other"}}',
      400,
      'the name of the object (other) does not match the name on the URL (patched)',
    ],
  ])('answers a patch with %s as the real server does', async (_, type, body, code, message) => {
    const path = '/api/v1/namespaces/default/configmaps';
    await send({ method: 'POST', path, headers: json, body: '{"metadata":{"name":"patched"},"data":{"a":"b"}}' });
    const answer = await send({ method: 'PATCH', path: `${path}/patched`, headers: { 'content-type': type }, body });
    expect([answer.code, (JSON.parse(answer.body) as { message?: string }).message]).toEqual([code, message]);
    const after = await send({ method: 'GET', path: `${path}/patched`, headers: {} });
    expect(JSON.parse(after.body)).toMatchObject({ data: { a: 'b' } });
  });

  it('takes bodies of 10 000 levels, as the real server does, and refuses deeper ones', async () => {
    const path = '/api/v1/namespaces/default/configmaps?dryRun=All';
    const post = (levels: number) =>
      send({ method: 'POST', path, headers: json, body: `{"metadata":{"name":"deep"},"unknown":${nested(levels)}}` });
    expect((await post(9_999)).code).toBe(201);
    const refused = await post(10_000);
    expect([refused.code, JSON.parse(refused.body)]).toEqual([400, expect.objectContaining({ reason: 'BadRequest' })]);
    // Brackets of texts open nothing.
    const text = JSON.stringify({ metadata: { name: 'deep' }, data: { a: `\\"${'['.repeat(20_000)}` } });
    expect((await send({ method: 'POST', path, headers: json, body: text })).code).toBe(201);
  });

  it('refuses a patch that is nested deeper than it can walk', async () => {
    const path = '/api/v1/namespaces/default/configmaps/there';
    const body = `{"unknown":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`;
    const { code } = await send({ method: 'PATCH', path, headers: { 'content-type': 'application/merge-patch+json' }, body });
    expect([200, 400]).toContain(code);
    expect(faults).toEqual([]);
  });

  it('says in every answer that it is a simulator', async () => {
    const { body } = await send({ method: 'GET', path: '/version', headers: {} });
    expect(JSON.parse(body)).toMatchObject({ gitVersion: 'v1.36.0-quartermaster-simulator' });
  });
});
