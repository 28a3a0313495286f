import { OwnerKeys } from '@quartermaster/api/market';
import { akashClient } from '@quartermaster/market/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaseSdl } from '../leases/lease-sdl.ts';
import { provider } from '../leases/running-leases.ts';
import { GatewaySite, pathOf } from './gateway-site.ts';
import { libraryClient } from './library-client.ts';
import { SpokenImage } from './spoken-image.ts';
import { TenantKey } from './tenant-key.ts';
import { TenantStream } from './tenant-stream.ts';

const { certificateManager, generateManifest, JwtTokenManager, yaml } = akashClient;

/** In the form of the chain, which the library wants of whoever signs. */
const owner = `akash1${'q'.repeat(38)}`;
const spoken = new SpokenImage();
const sdl = leaseSdl({ api: { image: spoken.name }, web: { count: 2, image: spoken.name, env: ['LINK=a<b>&c'] } });

async function startSetting() {
  const site = await GatewaySite.start({ images: spoken.images });
  const key = new TenantKey();
  const pair = await certificateManager.generatePEM(owner);
  const keys = site.leases.market.tenant(owner).client(OwnerKeys);
  await keys.create({ object: { spec: { key: { case: 'publicKey', value: key.publicKey } } } });
  await keys.create({ object: { spec: { key: { case: 'certificate', value: pair.cert } } } });
  const lease = await site.leases.run(owner, sdl);
  const { dseq, gseq, oseq } = lease.order;
  const leaseId = { owner, dseq: Number(dseq), gseq, oseq };
  const { grpcAddress } = await site.address(lease);
  return { site, key, pair, lease, leaseId, client: await site.client(lease), url: `https://${grpcAddress}` };
}

/** JSON with sorted keys, as the chain signs documents. */
function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, each]) => `${JSON.stringify(key)}:${sortedJson(each)}`).join(',')}}`;
}

describe('the published client of the ecosystem', () => {
  let setting: Awaited<ReturnType<typeof startSetting>>;

  beforeAll(async () => {
    setting = await startSetting();
  });

  afterAll(() => setting?.site.stop());

  const signature = (text: string) => ({
    pub_key: { type: 'tendermint/PubKeySecp256k1', value: setting.key.publicKey },
    signature: setting.key.sign(text).toString('base64'),
  });
  /** Signs data as it is, as keys of programs do. */
  const plain = () =>
    new JwtTokenManager({
      algorithm: 'ES256K',
      signArbitrary: async (_signer, data) => signature(typeof data === 'string' ? data : Buffer.from(data).toString()),
    });
  /** Signs documents of the chain alone, as wallets do. */
  const wallet = () =>
    new JwtTokenManager({
      getAccounts: async () => [{ address: owner, algo: 'secp256k1', pubkey: Buffer.from(setting.key.publicKey, 'base64') }],
      signAmino: async (_signer, signed) => ({ signed, signature: signature(sortedJson(signed)) }),
    });
  const claims = (leases: object = { access: 'full' }) => {
    const now = Math.floor(Date.now() / 1000);
    return { version: 'v1', iss: owner, iat: now, nbf: now, exp: now + 600, leases } as Parameters<
      InstanceType<typeof JwtTokenManager>['generateToken']
    >[0];
  };
  const statusWith = async (token: string) =>
    (await setting.client.ask({ path: pathOf(setting.lease, '/status'), shown: { token } })).status;

  it('is told what the provider has, whoever asks', async () => {
    const status = await libraryClient(setting.url).provider.getStatus({});
    expect(status.cluster?.leases?.active).toBe(1);
    for await (const each of await libraryClient(setting.url).provider.streamStatus({})) {
      expect(each.cluster?.leases?.active).toBe(1);
      break;
    }
  });

  it('asks whether a deployment would find a place', async () => {
    const made = generateManifest(yaml.template(leaseSdl({ web: {} })), 'mainnet');
    if (made.ok !== true) throw new Error('the SDL is refused');
    const screened = await libraryClient(setting.url).provider.bidScreening({ groupSpec: made.value.groupSpecs[0] ?? {}, hostnames: [] });
    expect(screened).toMatchObject({ passed: true });
  });

  it('does by gRPC with a certificate that it made what tenants do', async () => {
    const { url, pair, leaseId, site, lease } = setting;
    const { lease: calls } = libraryClient(url, pair);
    const { services } = await calls.serviceStatus({ leaseId });
    expect(services.map(({ name, status }) => [name, status.available])).toEqual([
      ['api', 1],
      ['web', 2],
    ]);
    expect((await calls.serviceStatus({ leaseId, services: ['web'] })).services.map(({ name }) => name)).toEqual(['web']);
    for await (const each of await calls.streamServiceStatus({ leaseId })) {
      expect(each.services).toHaveLength(2);
      break;
    }
    const names = (await site.leases.pods(lease)).map(({ metadata }) => metadata?.name ?? '');
    const logs = await calls.serviceLogs({ leaseId });
    expect(new Set(logs.services.map(({ name, logs: text }) => `${name}: ${Buffer.from(text).toString()}`))).toEqual(
      new Set(names.map((name) => `${name}: ${name} says hello\n`)),
    );
  });

  it('follows logs by gRPC', async () => {
    const { url, pair, leaseId, site, lease } = setting;
    const [pod] = await site.leases.pods(lease, 'api');
    const ending = new AbortController();
    const texts: string[] = [];
    const stream = await libraryClient(url, pair).lease.streamServiceLogs({ leaseId, services: ['api'] }, { signal: ending.signal });
    const reading = (async () => {
      for await (const { services } of stream) for (const { logs } of services) texts.push(Buffer.from(logs).toString());
    })().catch(() => {});
    await expect.poll(() => texts.length, { timeout: 20_000 }).toBe(1);
    spoken.say(pod?.metadata?.name ?? '', 'something new');
    await expect.poll(() => texts, { timeout: 20_000 }).toEqual([`${pod?.metadata?.name} says hello\n`, 'something new\n']);
    ending.abort();
    await reading;
  });

  it('sends the manifest that it made of the SDL by gRPC, and no other', async () => {
    const { url, pair, leaseId } = setting;
    const { lease: calls } = libraryClient(url, pair);
    const groupsOf = (text: string) => {
      const made = generateManifest(yaml.template(text), 'mainnet');
      return made.ok === true ? made.value.groups : [];
    };
    await calls.sendManifest({ leaseId, manifest: groupsOf(sdl) });
    await expect(calls.sendManifest({ leaseId, manifest: groupsOf(sdl.replaceAll(spoken.name, 'other:1')) })).rejects.toThrow('SHA-256');
    await expect(libraryClient(url).lease.serviceStatus({ leaseId })).rejects.toThrow('not authenticated');
    const stranger = await certificateManager.generatePEM(owner);
    await expect(libraryClient(url, stranger).lease.serviceStatus({ leaseId })).rejects.toThrow('not one of');
  });

  it('opens REST with its certificates and its tokens, in either way to sign them', async () => {
    const { client, lease, pair } = setting;
    const shown = { certificate: { certificate: pair.cert, key: pair.privateKey } };
    expect((await client.ask({ path: pathOf(lease, '/status'), shown })).status).toBe(200);
    for (const tokens of [plain(), wallet()]) {
      expect(await statusWith(await tokens.generateToken(claims()))).toBe(200);
      expect(await statusWith(await tokens.generateToken(claims({ access: 'scoped', scope: ['logs'] })))).toBe(403);
      const deployments = [{ dseq: Number(lease.order.dseq), scope: ['status'], services: ['web'] }];
      const granular = { access: 'granular', permissions: [{ provider: `akash1${'p'.repeat(38)}`, access: 'granular', deployments }] };
      expect(await statusWith(await tokens.generateToken(claims(granular)))).toBe(403);
    }
  });

  it('opens streams with the tokens of its wallets', async () => {
    const { client, lease } = setting;
    const token = await wallet().generateToken(claims({ access: 'scoped', scope: ['logs'] }));
    const stream = await TenantStream.open(client, pathOf(lease, '/logs?service=web'), { token });
    expect(await stream.ended).toMatchObject({ code: 1000 });
    expect(stream.podNames().size).toBe(2);
  });

  it('is a provider of one name, whatever it asks', async () => {
    const { client } = setting;
    expect(JSON.parse((await client.ask({ path: '/address' })).text)).toEqual({ address: provider });
  });
});
