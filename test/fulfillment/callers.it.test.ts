import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sessions } from '@quartermaster/api/fulfillment-extras';
import { sessionHandlers } from '@quartermaster/auth';
import { accessShape, openAccess } from '@quartermaster/fulfillment';
import { StatusError, silentLog, systemClock } from '@quartermaster/kernel';
import { KubeClient, type ReviewToken, tokenReviewer } from '@quartermaster/kube';
import { type ClientTls, openRpcChannel, type RpcClientOptions, type RpcServer, serve, startRpcServer } from '@quartermaster/rpc';
import { defineConfig, type TlsCertificates, watchTls } from '@quartermaster/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CertificateAuthority, createCertificateAuthority } from '../kube/certificates.ts';
import { sharedControlPlane, type TemporaryNamespace, temporaryNamespace } from '../kube/shared.ts';

const ends: (() => unknown)[] = [];

afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

async function serving(
  values: object,
  options: { readonly tls?: TlsCertificates; readonly reviewToken?: ReviewToken } = {},
): Promise<RpcServer> {
  const { reviewToken, ...served } = options;
  const settings = defineConfig(accessShape).schema.parse(values);
  const given = { settings, clock: systemClock, log: silentLog };
  const { authenticate, table } = await openAccess(reviewToken === undefined ? given : { ...given, reviewToken });
  const server = await startRpcServer({ services: [serve(Sessions, sessionHandlers({ version: '1', table }))], authenticate, ...served });
  ends.push(() => server.stop(1_000));
  return server;
}

async function session(options: RpcClientOptions) {
  const channel = openRpcChannel({ tries: 1, ...options });
  try {
    const { name, role, source, tenants } = await channel.client(Sessions).get({});
    return { name, role, source, tenants };
  } finally {
    channel.close();
  }
}

describe('client certificates', () => {
  let authority: CertificateAuthority;
  let address: string;

  beforeAll(async () => {
    authority = await createCertificateAuthority('clients');
    const directory = await mkdtemp(join(tmpdir(), 'callers-'));
    ends.push(() => rm(directory, { recursive: true, force: true }));
    const pair = await authority.issueServer({ commonName: 'fulfillment', hosts: ['127.0.0.1'] });
    const file = async (name: string, text: string): Promise<string> => {
      await writeFile(join(directory, name), text);
      return join(directory, name);
    };
    const tls = await watchTls({
      certFile: await file('tls.crt', pair.certificate),
      keyFile: await file('tls.key', pair.key),
      clientCaFile: await file('ca.crt', authority.certificate),
    });
    ends.push(() => tls.close());
    const settings = {
      'fulfillment-sources': ['certificate:sync-bcm=bcm'],
      'fulfillment-admins': ['organization:controllers'],
      'fulfillment-providers': ['certificate:console'],
    };
    ({ address } = await serving(settings, { tls }));
  });

  async function clientOf(issuer: CertificateAuthority, commonName: string, ...organizations: string[]): Promise<ClientTls> {
    const { certificate, key } = await issuer.issueClient({ commonName, organizations });
    return { ca: authority.certificate, cert: certificate, key };
  }

  it('make synchronizers and controllers known', async () => {
    const as = async (commonName: string, ...organizations: string[]) =>
      session({ address, tls: await clientOf(authority, commonName, ...organizations) });
    expect(await as('sync-bcm')).toEqual({ name: 'sync-bcm', role: 'sync', source: 'bcm', tenants: ['*'] });
    expect(await as('hub-controller', 'controllers')).toMatchObject({ name: 'hub-controller', role: 'admin' });
    expect(await as('console', 'other')).toMatchObject({ role: 'provider' });
  });

  it('without a role open nothing', async () => {
    const tls = await clientOf(authority, 'stranger', 'blue');
    await expect(session({ address, tls })).rejects.toMatchObject({
      code: 'permission_denied',
      message: expect.stringContaining('certificate:stranger'),
    });
  });

  it('of another authority do not even connect, and neither does a caller without one', async () => {
    const other = await createCertificateAuthority('others');
    for (const tls of [await clientOf(other, 'sync-bcm'), { ca: authority.certificate }]) {
      await expect(session({ address, tls })).rejects.toMatchObject({ code: 'unavailable' });
    }
  });
});

describe('service accounts', () => {
  let namespace: TemporaryNamespace;
  let client: KubeClient;

  beforeAll(async () => {
    namespace = await temporaryNamespace('callers');
    client = await KubeClient.connect({ kubeconfig: sharedControlPlane().kubeconfig });
    ends.push(() => namespace.remove());
    ends.push(() => client.close());
    for (const name of ['sync', 'operator', 'pod']) await kubectl('create', 'serviceaccount', name, '--namespace', namespace.name);
  });

  async function kubectl(...args: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await sharedControlPlane().kubectl(args);
    if (exitCode !== 0) throw new StatusError('unavailable', stderr);
    return stdout.trim();
  }

  const tokenOf = (name: string, ...args: string[]): Promise<string> =>
    kubectl('create', 'token', name, '--namespace', namespace.name, ...args);

  it('are known by a real API server, with the roles of the settings and their namespace as tenant', async () => {
    const { address } = await serving(
      {
        'fulfillment-admins': [`serviceaccount:${namespace.name}/operator`],
        'fulfillment-sources': [`serviceaccount:${namespace.name}/sync=netbox`],
      },
      { reviewToken: tokenReviewer(client, systemClock) },
    );
    const as = async (name: string) => session({ address, token: await tokenOf(name).then((token) => () => token) });
    const full = (name: string): string => `system:serviceaccount:${namespace.name}:${name}`;
    expect(await as('operator')).toMatchObject({ name: full('operator'), role: 'admin' });
    expect(await as('sync')).toMatchObject({ name: full('sync'), role: 'sync', source: 'netbox' });
    expect(await as('pod')).toEqual({ name: full('pod'), role: 'tenant', source: '', tenants: [namespace.name, 'shared'] });
    await expect(session({ address, token: () => 'made-up' })).rejects.toMatchObject({
      code: 'unauthenticated',
      message: expect.stringContaining('service account'),
    });
  });

  it('must show a token that is made for the service where the settings say so', async () => {
    const reviewToken = tokenReviewer(client, systemClock, { audiences: ['quartermaster'] });
    const { address } = await serving({}, { reviewToken });
    const ours = await tokenOf('pod', '--audience', 'quartermaster');
    expect(await session({ address, token: () => ours })).toMatchObject({ role: 'tenant' });
    for (const token of [await tokenOf('pod'), await tokenOf('pod', '--audience', 'shop')]) {
      await expect(session({ address, token: () => token })).rejects.toMatchObject({ code: 'unauthenticated' });
    }
  });
});
