import { Agent, request as send } from 'node:http';
import type { DescService } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import * as pub from '@quartermaster/api/fulfillment';
import * as extras from '@quartermaster/api/fulfillment-extras';
import * as priv from '@quartermaster/api/private';
import { provisionable, startTestFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { silentLog } from '@quartermaster/kernel';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { times } from '../support/soak.ts';
import { type HostileCall, type HostileRestCall, hostileCalls, hostileRestCalls } from './hostile-requests.ts';
import { isServiceError } from './published-client.ts';

/** In names, labels and titles of what another tenant has. No request has it, so that an answer with it has it from there. */
const canary = 'canaryglobex';
const patienceMs = 30_000;
const atOnce = 25;

const isService = (value: unknown): value is DescService =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'service';
const servicesIn = (module: object): DescService[] => Object.values(module).filter(isService);
const everything = [...servicesIn(pub), ...servicesIn(priv), ...servicesIn(extras)];
/** A tenant mostly asks for what it may call. */
const mostlyPublic = [...everything, ...Array.from({ length: 10 }, () => [pub.Clusters, pub.HostPools, pub.Hosts, pub.Events]).flat()];

let service: TestFulfillment;
let grpc: Client;
const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
const faults: unknown[] = [];

beforeAll(async () => {
  service = await startTestFulfillment({ log: { ...silentLog, error: (message, fields) => void faults.push([message, fields]) } });
  grpc = new Client(service.grpcAddress, credentials.createInsecure(), { 'grpc.max_receive_message_length': 64 * 1024 * 1024 });
  const { admin } = service;
  // Finalizers keep them there, whoever deletes them.
  const finalizers = ['f'];
  await admin.client(priv.HostClasses).create({ object: { id: 'c', metadata: { finalizers } } });
  await admin
    .client(priv.ClusterTemplates)
    .create({ object: { id: 't', metadata: { finalizers }, nodeSets: { w: { hostClass: 'c', size: 1 } } } });
  await admin.client(priv.Hubs).create({ object: { id: 'hub', namespace: 'n', metadata: { name: canary, finalizers } } });
  for (const [tenant, cluster, host, name] of [
    ['acme', 'a1', 'h-a', 'mine'],
    ['globex', 'b1', 'h-b', canary],
    ['acme', 'a2', '', 'mine'],
    ['globex', 'b2', '', canary],
  ] as const) {
    const metadata = { name, labels: { k: name }, annotations: { k: name }, finalizers };
    const tenants = [tenant];
    const sets = { s: { hostClass: 'c', size: 1 } };
    await admin.client(priv.Clusters).create({ object: { id: cluster, metadata: { ...metadata, tenants }, spec: { template: 't' } } });
    await admin.client(priv.HostPools).create({ object: { id: cluster, metadata: { ...metadata, tenants }, spec: { hostSets: sets } } });
    if (host === '') continue;
    await admin.client(priv.Hosts).create({
      object: { id: host, metadata, spec: { class: 'c', title: name, description: name, ...provisionable(host === 'h-a' ? 1 : 2) } },
    });
    await admin.client(extras.HostAssignments).claimHosts({ cluster, nodeSet: 'w', count: 1 });
  }
});

// A connection that the server closes at the moment of its next use would look like a hostile request that broke it.
beforeEach(() => agent.destroy());

afterAll(async () => {
  agent.destroy();
  grpc.close();
  await service.stop();
});

interface Outcome {
  readonly code: string;
  readonly text: string;
}

/** A watch of which nothing may come says with a bookmark that it has begun: field 101 as protobuf has it. It stands at both ends, since bytes that break off would take in what follows. */
const withBookmarks = Buffer.from([0xa8, 0x06, 0x01]);

function call({ method, path, bytes }: HostileCall, token: string): Promise<Outcome> {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  const options = { deadline: Date.now() + patienceMs };
  return new Promise((resolve) => {
    const ended = (error: { code: number; details: string; metadata: Metadata } | null, answer?: Buffer): void => {
      if (error === null) resolve({ code: 'OK', text: answer?.toString('latin1') ?? '' });
      else resolve({ code: status[error.code] ?? '', text: error.details + JSON.stringify(error.metadata.toJSON()) });
    };
    if (method.methodKind === 'unary') {
      grpc.makeUnaryRequest(path, Buffer.from, Buffer.from, Buffer.from(bytes), metadata, options, ended);
      return;
    }
    const asking = method.input.fields.some(({ name }) => name === 'bookmarks')
      ? Buffer.concat([withBookmarks, bytes, withBookmarks])
      : Buffer.from(bytes);
    const stream = grpc.makeServerStreamRequest<Buffer, Buffer>(path, Buffer.from, Buffer.from, asking, metadata, options);
    stream.on('data', (answer: Buffer) => {
      ended(null, answer);
      stream.cancel();
    });
    stream.on('end', () => ended(null));
    stream.on('error', (error) => ended(isServiceError(error) ? error : { code: status.UNKNOWN, details: error.message, metadata }));
  });
}

function ask({ verb, url, body, isStream }: HostileRestCall, token: string): Promise<Outcome> {
  const { port } = new URL(service.restUrl);
  const own = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const headers = { authorization: `Bearer ${token}`, ...own };
  return new Promise((resolve, reject) => {
    const path = isStream ? `${url}${url.includes('?') ? '&' : '?'}bookmarks=true` : url;
    const sent = send({ host: '127.0.0.1', port, method: verb, path, headers, agent, timeout: patienceMs }, (answer) => {
      let text = '';
      const end = () => resolve({ code: String(answer.statusCode), text });
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (!isStream) return;
        end();
        sent.destroy();
      });
      answer.on('end', end);
    });
    sent.on('timeout', () => reject(new Error(`no answer to ${verb} ${url}`)));
    // What comes after the answer is of no interest: the end of a stream that was left.
    sent.on('error', reject);
    sent.end(body);
  });
}

const grpcCodes = [
  'OK',
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'RESOURCE_EXHAUSTED',
];
const restCodes = ['200', '400', '403', '404', '409', '412', '413', '414', '431'];

/** Runs so many requests, several at a time, and gives back how often each code was answered. */
async function fuzz<T>(requests: fc.Arbitrary<T>, count: number, run: (request: T) => Promise<Outcome>, check: (outcome: Outcome) => void) {
  const codes = new Map<string, number>(); // code -> answers
  const batches = fc.array(requests, { minLength: atOnce, maxLength: atOnce });
  const property = fc.asyncProperty(batches, async (batch) => {
    await Promise.all(
      batch.map(async (request) => {
        const outcome = await run(request);
        codes.set(outcome.code, (codes.get(outcome.code) ?? 0) + 1);
        check(outcome);
      }),
    );
  });
  await fc.assert(property, { numRuns: count / atOnce, endOnFailure: true });
  return codes;
}

function expectAnswer(allowed: readonly string[], { code, text }: Outcome): void {
  if (!allowed.includes(code)) throw new Error(`answered ${code}: ${text.slice(0, 1000)}`);
}

function expectOwnOnly({ text }: Outcome): void {
  const at = text.indexOf(canary);
  if (at >= 0) throw new Error(`what another tenant has was told: ${text.slice(Math.max(0, at - 300), at + 100)}`);
}

const tenantToken = () => service.token({ name: 'ann', role: 'tenant', groups: ['acme'] });
const others = async () =>
  (await service.tenant('globex').client(pub.Clusters).list({ filter: 'this.id in ["b1", "b2"]' })).items.map(({ id, metadata }) => [
    id,
    metadata?.version,
  ]);

describe('hostile requests', { timeout: times(120_000, 1_200_000) }, () => {
  const callsOfTenant = times(1200, 30_000);
  it(`${callsOfTenant} of a tenant over gRPC are answered or refused, tell nothing of another tenant and change nothing there`, async () => {
    const token = await tenantToken();
    const before = await others();
    const codes = await fuzz(
      hostileCalls(mostlyPublic),
      callsOfTenant,
      (request) => call(request, token),
      (outcome) => {
        expectAnswer(grpcCodes, outcome);
        expectOwnOnly(outcome);
      },
    );
    expect(codes.get('OK')).toBeGreaterThan(5);
    expect(await others()).toEqual(before);
    expect(faults).toEqual([]);
  });

  const requestsOfTenant = times(1000, 25_000);
  it(`${requestsOfTenant} of a tenant over REST are answered or refused, tell nothing of another tenant and change nothing there`, async () => {
    const token = await tenantToken();
    const before = await others();
    const codes = await fuzz(
      hostileRestCalls(mostlyPublic),
      requestsOfTenant,
      (request) => ask(request, token),
      (outcome) => {
        expectAnswer(restCodes, outcome);
        expectOwnOnly(outcome);
      },
    );
    expect(codes.get('200')).toBeGreaterThan(5);
    expect(await others()).toEqual(before);
    expect(faults).toEqual([]);
  });

  const callsOfProvider = times(1000, 25_000);
  it(`${callsOfProvider} of a provider over gRPC are answered or refused`, async () => {
    const token = await service.token({ name: 'provider', role: 'provider' });
    const codes = await fuzz(
      hostileCalls(everything),
      callsOfProvider,
      (request) => call(request, token),
      (outcome) => expectAnswer(grpcCodes, outcome),
    );
    expect(codes.get('OK')).toBeGreaterThan(40);
    expect(faults).toEqual([]);
  });

  const requestsOfProvider = times(800, 20_000);
  it(`${requestsOfProvider} of a provider over REST are answered or refused`, async () => {
    const token = await service.token({ name: 'provider', role: 'provider' });
    const codes = await fuzz(
      hostileRestCalls(everything),
      requestsOfProvider,
      (request) => ask(request, token),
      (outcome) => expectAnswer(restCodes, outcome),
    );
    expect(codes.get('200')).toBeGreaterThan(40);
    expect(faults).toEqual([]);
  });

  it('leave a service that works', async () => {
    await service.admin.client(priv.HostClasses).create({ object: { id: 'after' } });
    expect((await service.admin.client(priv.HostClasses).get({ id: 'after' })).object?.id).toBe('after');
    expect((await fetch(`${service.restUrl}/readyz`)).status).toBe(200);
    const headers = { authorization: `Bearer ${await service.token({ name: 'reader', role: 'admin' })}` };
    for (const kind of ['hosts', 'host_classes', 'cluster_templates', 'clusters', 'hubs', 'host_pools']) {
      const answer = await fetch(`${service.restUrl}/api/private/v1/${kind}?limit=1000`, { headers });
      expect([kind, answer.status]).toEqual([kind, 200]);
    }
  });
});
