import { Agent, request as send } from 'node:http';
import { connect } from 'node:net';
import { Clusters, Hosts } from '@quartermaster/api/private';
import { type RestServer, serve, startRestServer } from '@quartermaster/rpc';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const names = [
  'object',
  'id',
  'spec',
  'metadata',
  'node_sets',
  'nodeSets',
  'template_parameters',
  'size',
  'labels',
  'bmc',
  'password',
  'nics',
  'w',
  '@type',
];
const scalars = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('1e400', '-0', '\ud800', '\u0000', '__proto__', '9'.repeat(30), 'type.googleapis.com/google.protobuf.Struct'),
);
const bodies = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 4 })), tie('value'), { maxKeys: 4 }),
  ),
})).value;
const queries = fc.dictionary(
  fc.oneof(
    fc.constantFrom(
      'filter',
      'limit',
      'order',
      'update_mask',
      'updateMask',
      'lock',
      'dry_run',
      'cursor',
      'object.id',
      'object.spec.rack',
      'pretty',
    ),
    fc.string({ maxLength: 6 }),
  ),
  fc.oneof(scalars.map(String), fc.constantFrom('spec.`a', 'spec["x"]', 'true', ',,', 'spec.nodeSets.w.size')),
  { maxKeys: 3 },
);
const segments = fc.oneof(
  fc.constantFrom('clusters', 'hosts', 'c1', '%', '%zz', '%00', '%F0%9F%98%80', '..', '', 'x'.repeat(3000)),
  fc.string({ maxLength: 6 }).map(encodedOrNot),
);

function encodedOrNot(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

describe('requests over REST, whatever they are', () => {
  const agent = new Agent({ keepAlive: true });
  let server: RestServer;

  beforeAll(async () => {
    const echo = <T>({ object }: { readonly object?: T }) => (object === undefined ? {} : { object });
    const nothing = () => ({});
    const clusters = serve(Clusters, { list: nothing, get: nothing, create: echo, update: echo, delete: nothing, signal: nothing });
    const hosts = serve(Hosts, { list: nothing, get: nothing, create: echo, update: echo, delete: nothing, signal: nothing });
    server = await startRestServer({ services: [clusters, hosts], useProtoNames: true, openApi: { title: 'x', version: '1' } });
  });
  afterAll(async () => {
    agent.destroy();
    await server.stop(0);
  });

  /** Sends a path as it is: fetch would tidy it. */
  const ask = (method: string, path: string, body: unknown): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      const request = send({ host: '127.0.0.1', port: server.port, method, path, headers, agent }, (answer) => {
        let received = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          received += chunk;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: received }));
      });
      request.once('error', reject).end(text);
    });

  it('are refused in the same form when they are no HTTP or too long', async () => {
    const long = await ask('GET', `/${'x'.repeat(20_000)}`, undefined);
    expect(long.status).toBe(431);
    expect(JSON.parse(long.text)).toMatchObject({ code: 'invalid_argument' });
    const { promise, resolve } = Promise.withResolvers<string>();
    const socket = connect(server.port, '127.0.0.1', () => socket.write('nonsense\r\n\r\n'));
    socket.once('data', (bytes) => resolve(bytes.toString()));
    expect(await promise).toMatch(/^HTTP\/1.1 400 .*"malformed HTTP request"/s);
    socket.destroy();
  });

  it('are answered, refused or not found, and never fail the server', async () => {
    const verbs = fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'PUT');
    const paths = fc.array(segments, { minLength: 1, maxLength: 3 }).map((parts) => `/api/private/v1/${parts.join('/')}`);
    const plain = fc.constantFrom(
      '/api/private/v1/clusters',
      '/api/private/v1/clusters/c1',
      '/api/private/v1/hosts/h1',
      '/api/private/v1/hosts',
    );
    await fc.assert(
      fc.asyncProperty(verbs, fc.oneof(plain, paths), queries, fc.option(bodies, { nil: undefined }), async (verb, path, query, body) => {
        const parameters = Object.entries(query).map(([name, value]) => `${encodedOrNot(name)}=${encodedOrNot(value)}`);
        const url = parameters.length === 0 ? path : `${path}?${parameters.join('&')}`;
        const { status, text } = await ask(verb, url, verb === 'GET' ? undefined : body);
        expect([200, 400, 404]).toContain(status);
        const answer: unknown = JSON.parse(text);
        if (status !== 200)
          expect(answer).toMatchObject({ code: status === 400 ? 'invalid_argument' : 'not_found', message: expect.stringMatching(/./) });
      }),
      { numRuns: 500 },
    );
  }, 60_000);
});
