import { request } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  type GetStatusRequest,
  GetStatusRequestSchema,
  type GetStatusResponse,
  GetStatusResponseSchema,
  InventoryService,
} from '@quartermaster/api/inventory';
import { StatusError } from '@quartermaster/kernel';
import {
  type Authenticate,
  type ClientTls,
  openRpcChannel,
  type ReloadingTls,
  type RestServer,
  type RpcChannel,
  type RpcClientOptions,
  type RpcServer,
  startRestServer,
  startRpcServer,
} from '@quartermaster/rpc';
import { ChannelCredentials, createChannel, createClient, Metadata } from 'nice-grpc';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CertificateAuthority, createCertificateAuthority, type IssuedCertificate } from '../kube/certificates.ts';
import { stubService } from './inventory-stub.ts';

/** Certificates that a test replaces, in place of files. */
class TestCertificates implements ReloadingTls {
  readonly #clientCa: string | undefined;
  readonly #servers = new Set<{ setSecureContext(options: SecureContextOptions): void }>();
  #pair: IssuedCertificate;

  constructor(pair: IssuedCertificate, clientCa?: string) {
    this.#pair = pair;
    this.#clientCa = clientCa;
  }

  serverOptions() {
    return { ...this.#context(), ...(this.#clientCa === undefined ? {} : { requestCert: true, rejectUnauthorized: true }) };
  }

  keep(server: { setSecureContext(options: SecureContextOptions): void }): () => void {
    this.#servers.add(server);
    return () => this.#servers.delete(server);
  }

  replace(pair: IssuedCertificate): void {
    this.#pair = pair;
    for (const server of this.#servers) server.setSecureContext(this.#context());
  }

  get users(): number {
    return this.#servers.size;
  }

  #context(): SecureContextOptions {
    return {
      cert: this.#pair.certificate,
      key: this.#pair.key,
      ...(this.#clientCa === undefined ? {} : { ca: this.#clientCa }),
    };
  }
}

/** A client that sends what it likes. */
const rawDefinition = {
  getStatus: {
    path: '/quartermaster.inventory.v1.InventoryService/GetStatus',
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: GetStatusRequest) => toBinary(GetStatusRequestSchema, value),
    requestDeserialize: (bytes: Uint8Array) => fromBinary(GetStatusRequestSchema, bytes),
    responseSerialize: (value: GetStatusResponse) => toBinary(GetStatusResponseSchema, value),
    responseDeserialize: (bytes: Uint8Array) => fromBinary(GetStatusResponseSchema, bytes),
    options: {},
  },
};

describe('TLS and callers', () => {
  let authority: CertificateAuthority;
  let other: CertificateAuthority;
  let pair: IssuedCertificate;
  let server: RpcServer | undefined;
  let rest: RestServer | undefined;
  const channels: RpcChannel[] = [];

  const whoami = stubService({ getStatus: (_request, { identity }) => ({ replica: identity.name, leader: identity.groups.join(',') }) });
  const dial = (options: Partial<RpcClientOptions> = {}) => {
    const channel = openRpcChannel({
      address: server?.address ?? '',
      tries: 1,
      deadlineMs: 5000,
      tls: { ca: authority.certificate },
      ...options,
    });
    channels.push(channel);
    return channel.client(InventoryService);
  };
  const asClient = async (issuer: CertificateAuthority, commonName: string): Promise<ClientTls> => {
    const own = await issuer.issueClient({ commonName, organizations: ['ops'] });
    return { ca: authority.certificate, cert: own.certificate, key: own.key };
  };

  beforeAll(async () => {
    [authority, other] = await Promise.all([createCertificateAuthority('ours'), createCertificateAuthority('theirs')]);
    pair = await authority.issueServer({ commonName: 'server', hosts: ['127.0.0.1'] });
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    for (const channel of channels.splice(0)) channel.close();
    await server?.stop(0);
    await rest?.stop(0);
    [server, rest] = [undefined, undefined];
  });

  it('encrypts, and a caller that does not know the authority refuses', async () => {
    server = await startRpcServer({ services: [whoami], tls: new TestCertificates(pair) });
    expect((await dial().getStatus({})).replica).toBe('');
    await expect(dial({ tls: { ca: other.certificate } }).getStatus({})).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('sends nothing in plain text to a proxy of the environment', async () => {
    vi.stubEnv('http_proxy', 'http://127.0.0.1:1');
    vi.stubEnv('grpc_proxy', 'http://127.0.0.1:1');
    server = await startRpcServer({ services: [whoami] });
    expect((await dial({ tls: undefined }).getStatus({})).replica).toBe('');
  });

  it('shows new connections the newest certificate', async () => {
    const tls = new TestCertificates(pair);
    server = await startRpcServer({ services: [whoami], tls });
    const stays = dial();
    await stays.getStatus({});
    tls.replace(await other.issueServer({ commonName: 'server', hosts: ['127.0.0.1'] }));
    expect((await dial({ tls: { ca: other.certificate } }).getStatus({})).replica).toBe('');
    expect((await stays.getStatus({})).replica).toBe('');
    await server.stop(1000);
    expect(tls.users).toBe(0);
  });

  it('knows callers by their certificates and refuses those of other authorities', async () => {
    server = await startRpcServer({ services: [whoami], tls: new TestCertificates(pair, authority.certificate) });
    expect(await dial({ tls: await asClient(authority, 'alice') }).getStatus({})).toMatchObject({ replica: 'alice', leader: 'ops' });
    await expect(dial({ tls: await asClient(other, 'mallory') }).getStatus({})).rejects.toMatchObject({ code: 'unavailable' });
    await expect(dial().getStatus({})).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('tells of certificates that nobody vouches for as that, where a server takes them', async () => {
    const seen: unknown[] = [];
    const verifying = new TestCertificates(pair, authority.certificate);
    server = await startRpcServer({
      services: [whoami],
      tls: { serverOptions: () => ({ ...verifying.serverOptions(), rejectUnauthorized: false }), keep: () => () => {} },
      authenticate: ({ certificate, ownCertificate }) => {
        seen.push([certificate?.commonName, ownCertificate?.commonName]);
        return { kind: 'anonymous', name: '', groups: [] };
      },
    });
    for (const tls of [await asClient(other, 'mallory'), await asClient(authority, 'alice'), { ca: authority.certificate }]) {
      const client = dial({ tls });
      await client.getStatus({});
      for await (const _ of client.watchInventory({}));
    }
    const [stranger, known, nobody] = [
      [undefined, 'mallory'],
      // That somebody vouches for it says nothing where that is not asked for.
      [undefined, 'alice'],
      [undefined, undefined],
    ];
    expect(seen).toEqual([stranger, stranger, known, known, nobody, nobody]);
  });

  it('believes nobody who claims a certificate in metadata', async () => {
    const claim = Buffer.from(JSON.stringify({ commonName: 'root', organizations: ['system:masters'], fingerprint: '' }));
    const metadata = Metadata({ 'x-quartermaster-peer-certificate-bin': claim });
    const claiming = async (credentials: ChannelCredentials): Promise<unknown> => {
      const channel = createChannel(server?.address ?? '', credentials);
      channels.push({ client: () => expect.fail(), close: () => channel.close() });
      const client = createClient(rawDefinition, channel);
      return (await client.getStatus(create(GetStatusRequestSchema), { metadata })).replica;
    };
    server = await startRpcServer({ services: [whoami] });
    expect(await claiming(ChannelCredentials.createInsecure())).toBe('');
    await server.stop(0);
    server = await startRpcServer({ services: [whoami], tls: new TestCertificates(pair, authority.certificate) });
    const bob = await asClient(authority, 'bob');
    const pem = (text = ''): Buffer => Buffer.from(text);
    expect(await claiming(ChannelCredentials.createSsl(pem(bob.ca), pem(bob.key), pem(bob.cert)))).toBe('bob');
  });

  it('knows callers by their tokens, refuses others, and says what to send', async () => {
    const authenticate: Authenticate = ({ token, method }) => {
      if (token !== 'good') throw new StatusError('unauthenticated', 'send the header "authorization: Bearer <token>"');
      if (method.endsWith('/Explain')) throw new StatusError('permission_denied', `you may not call ${method}`);
      return { kind: 'token', name: 'system:serviceaccount:a:b', groups: ['g'] };
    };
    server = await startRpcServer({ services: [whoami], tls: new TestCertificates(pair), authenticate });
    expect((await dial({ token: () => 'good' }).getStatus({})).replica).toBe('system:serviceaccount:a:b');
    await expect(dial({ token: () => 'bad' }).getStatus({})).rejects.toMatchObject({
      code: 'unauthenticated',
      message: expect.stringMatching(/authorization: Bearer/) as string,
    });
    await expect(dial().getStatus({})).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(dial({ token: () => 'good' }).explain({})).rejects.toMatchObject({
      code: 'permission_denied',
      message: expect.stringMatching(/Explain/) as string,
    });
    await expect(dial().watchInventory({}).next()).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it.each(['canary\nline', 'canary word', 'canäry', ''])('sends no token that is malformed, and does not repeat it: %j', async (token) => {
    server = await startRpcServer({ services: [whoami], tls: new TestCertificates(pair) });
    const call = dial({ token: () => token });
    for (const answer of [call.getStatus({}), call.watchInventory({}).next()]) {
      const refused: unknown = await answer.catch((thrown: unknown) => thrown);
      expect(refused).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining('the token must be one word') });
      expect(String(refused)).not.toContain('can');
    }
  });

  it('asks the same of callers of REST, but for public routes', async () => {
    const tls = new TestCertificates(pair, authority.certificate);
    const routes = [
      { path: '/livez', isPublic: true, answer: () => ({ text: 'ok', contentType: 'text/plain' }) },
      { path: '/v1/own', answer: () => ({ json: { own: true } }) },
    ];
    const authenticate: Authenticate = ({ certificate }) => {
      if (certificate?.commonName !== 'alice') throw new StatusError('permission_denied', 'only alice may call');
      return { kind: 'certificate', name: 'alice', groups: certificate.organizations };
    };
    rest = await startRestServer({ services: [whoami], routes, tls, authenticate });
    const get = async (path: string, as: ClientTls): Promise<{ status: number | undefined; text: string }> => {
      const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; text: string }>();
      request(`${rest?.url}${path}`, { ca: as.ca, cert: as.cert, key: as.key, agent: false }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () => resolve({ status: answer.statusCode, text }));
      })
        .on('error', reject)
        .end();
      return await promise;
    };
    const [alice, bob] = await Promise.all([asClient(authority, 'alice'), asClient(authority, 'bob')]);
    expect(JSON.parse((await get('/v1/status', alice)).text)).toMatchObject({ replica: 'alice', leader: 'ops' });
    expect(await get('/v1/own', alice)).toEqual({ status: 200, text: '{"own":true}\n' });
    expect((await get('/v1/own', bob)).status).toBe(403);
    expect((await get('/v1/status', bob)).status).toBe(403);
    expect((await get('/livez', bob)).status).toBe(200);
  });
});
