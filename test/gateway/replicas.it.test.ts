import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProviderMarket } from '@quartermaster/api/market';
import { systemRandom } from '@quartermaster/kernel';
import { kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenOf } from '../deploy/role-deployment.ts';
import { createCertificateAuthority } from '../kube/certificates.ts';
import { freePorts } from '../kube/free-ports.ts';
import { leaseSdl } from '../leases/lease-sdl.ts';
import { nodeSpec, startSimulatedLeasedCluster } from '../leases/leased-cluster.ts';
import { type Deployed, provider } from '../leases/running-leases.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';
import { bodyOf, GatewayClient } from './gateway-client.ts';
import { GatewaySite, pathOf } from './gateway-site.ts';
import { joinedToken } from './tenant-key.ts';
import { TenantStream } from './tenant-stream.ts';

const hostname = 'www.amy.example.org';
const patience = { timeout: 30_000, interval: 100 };
const account = { namespace: 'quartermaster', name: 'quartermaster-cluster' };

async function startSetting() {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-replicas-'));
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(directory, name), text, { mode: 0o600 });
    return join(directory, name);
  };
  const cluster = await startSimulatedLeasedCluster([nodeSpec('n-1', 1), nodeSpec('n-2', 2)]);
  await cluster.client.create(kinds.serviceAccounts, { metadata: account });
  const token = await tokenOf({ admin: cluster.client, namespace: account.namespace }, account.name);
  const authority = await createCertificateAuthority('gateway');
  const { certificate, key } = await authority.issueServer({ commonName: 'server', hosts: ['127.0.0.1'] });
  let market: RpcProxy | undefined;
  const site = await GatewaySite.start({
    cluster,
    args: [
      `--cluster-peer-token-file=${await file('peer-token', token)}`,
      `--gateway-tls-cert-file=${await file('tls.crt', certificate)}`,
      `--gateway-tls-key-file=${await file('tls.key', key)}`,
      `--gateway-public-ca-file=${await file('ca.crt', authority.certificate)}`,
    ],
    marketThrough: async (address) => {
      market = await RpcProxy.start(address);
      return market.address;
    },
  });
  if (market === undefined) throw new Error('nothing stands before the market');
  const standbyOf = async (args: readonly string[] = []) => {
    const [port = 0] = await freePorts(1, systemRandom);
    const running = await site.leases.startStandby([`--gateway-port=${port}`, ...args]);
    const client = new GatewayClient({ uri: `https://127.0.0.1:${port}`, certificateAuthority: authority.certificate });
    const end = async (): Promise<void> => {
      client.close();
      await running.end();
    };
    return { client, end };
  };
  const unproven = joinedToken({ alg: 'RS256' }, { sub: `system:serviceaccount:${account.namespace}:${account.name}` });
  const badToken = `--cluster-peer-token-file=${await file('bad-token', unproven)}`;
  const standby = await standbyOf();
  const amy = await site.tenant('amy');
  const lease = await site.leases.run('amy', leaseSdl({ web: { count: 2, hosts: [hostname] } }));
  const other = await site.leases.run('amy', leaseSdl({ web: { hosts: [hostname] } }));
  const end = async (): Promise<void> => {
    await standby.end();
    await site.stop();
    await market?.stop();
    await rm(directory, { recursive: true, force: true });
  };
  return {
    site,
    market,
    amy,
    lease,
    other,
    leader: await site.client(lease),
    standby: standby.client,
    startStranger: () => standbyOf([badToken]),
    end,
  };
}

describe('replicas of the gateway', () => {
  let setting: Awaited<ReturnType<typeof startSetting>>;
  let lease: Deployed;

  beforeAll(async () => {
    setting = await startSetting();
    lease = setting.lease;
  });

  afterAll(() => setting?.end());

  const put = async (client: GatewayClient, body: string) => {
    const shown = { token: setting.amy.token() };
    const { status, text } = await client.ask({ method: 'PUT', path: `/deployment/${lease.order.dseq}/manifest`, body, shown });
    return { status, ...bodyOf<{ message?: string; errors?: readonly string[] }>({ text }) };
  };
  /** A new manifest at the market, which the provider cannot read there. */
  async function updated(image: string): Promise<string> {
    const { site, market } = setting;
    market.refused = '/GetManifest';
    lease = await site.leases.update(lease, leaseSdl({ web: { image, count: 2, hosts: [hostname] } }));
    return (await site.leases.market.provider(provider).client(ProviderMarket).getManifest({ order: lease.order })).manifest;
  }

  it('tell the same of a lease, and its logs', async () => {
    const { site, leader, standby, amy } = setting;
    const names = new Set((await site.leases.pods(lease)).map(({ metadata }) => metadata?.name));
    const paths = ['/status', '/service/web/status', '/manifest'].map((rest) => pathOf(lease, rest));
    const shown = { token: amy.token() };
    const told = (client: GatewayClient) => Promise.all(paths.map(async (path) => (await client.ask({ path, shown })).text));
    await expect.poll(() => told(standby), patience).toEqual(await told(leader));
    for (const client of [leader, standby]) {
      const stream = await TenantStream.open(client, pathOf(lease, '/logs'), { token: amy.token() });
      await stream.ended;
      expect(stream.podNames()).toEqual(names);
    }
  });

  it('have the leader do what only it does', async () => {
    const { site, market, standby } = setting;
    const manifest = await updated('nginx:2');
    const status = async () => (await put(standby, manifest)).status;
    // Until the leader has heard of the update it expects what was before.
    await expect.poll(status, patience).toBe(200);
    await site.leases.untilRunning(lease);
    expect((await site.leases.pods(lease)).map(({ spec }) => spec?.containers[0]?.image)).toEqual(['nginx:2', 'nginx:2']);
    market.refused = undefined;
  });

  it('tell what the leader refuses, with all that is wrong', async () => {
    const { leader, standby } = setting;
    const answers = await Promise.all([leader, standby].map((client) => put(client, '[]')));
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[1]).toMatchObject({ status: 422, errors: [expect.stringContaining('group')] });
  });

  it('move hostnames where they are asked to, whichever leads', async () => {
    const { leader, standby, amy, other } = setting;
    const { dseq, gseq } = other.order;
    const body = JSON.stringify({ hostnames_to_migrate: [hostname], destination_dseq: String(dseq), destination_gseq: gseq });
    const shown = { token: amy.token() };
    const ask = () => standby.ask({ method: 'POST', path: '/hostname/migrate', body, shown });
    await expect.poll(async () => (await ask()).status, patience).toBe(200);
    const uris = async (client: GatewayClient) =>
      bodyOf<{ uris: readonly string[] }>(await client.ask({ path: pathOf(other, '/service/web/status'), shown })).uris;
    for (const client of [leader, standby]) await expect.poll(() => uris(client), patience).toContain(hostname);
  });

  it('that are none of the service get nothing done, and say nothing of why', async () => {
    const stranger = await setting.startStranger();
    const answer = await put(stranger.client, '[]');
    await stranger.end();
    expect(answer).toEqual({ status: 503, message: expect.stringContaining('try again') });
    expect(answer.message).not.toMatch(/token|leader|serviceaccount|127\.0\.0\.1/);
  });

  it('go on without the leader, and the next one does it', async () => {
    const { site, standby, amy } = setting;
    const stream = await TenantStream.open(standby, pathOf(lease, '/logs?follow=1'), { token: amy.token() });
    await stream.until(() => stream.podNames().size === 2);
    await site.leases.endService();
    const manifest = await updated('nginx:3');
    await expect.poll(async () => (await put(standby, manifest)).status, { timeout: 60_000, interval: 200 }).toBe(200);
    await site.leases.untilRunning(lease);
    await stream.until(() => stream.podNames().size === 4);
    await stream.drop();
  });
});
