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

  // How deep it can walk depends on the stack that it runs with; the real server takes this one.
  it('takes a patch of 9 000 levels, or refuses it as a bad request, and goes on', async () => {
    const path = '/api/v1/namespaces/default/configmaps/there';
    const body = `{"unknown":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`;
    const answer = await send({ method: 'PATCH', path, headers: { 'content-type': 'application/merge-patch+json' }, body });
    const taken = { kind: 'ConfigMap', data: { a: '1' } };
    expect(JSON.parse(answer.body)).toMatchObject(answer.code === 200 ? taken : { kind: 'Status', code: 400, reason: 'BadRequest' });
    expect(JSON.parse((await send({ method: 'GET', path, headers: {} })).body)).toMatchObject(taken);
    expect(faults).toEqual([]);
  });

  it('says in its version that it is a simulator', async () => {
    const { body } = await send({ method: 'GET', path: '/version', headers: {} });
    expect(JSON.parse(body)).toMatchObject({ gitVersion: 'v1.36.0-quartermaster-simulator' });
  });
});
