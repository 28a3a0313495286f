import { createHash } from 'node:crypto';
import { Leases, ProviderMarket } from '@quartermaster/api/market';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaseSdl } from '../leases/lease-sdl.ts';
import { type Deployed, provider } from '../leases/running-leases.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';
import { bodyOf } from './gateway-client.ts';
import { GatewaySite, pathOf, type SiteTenant } from './gateway-site.ts';

interface Refused {
  readonly message: string;
  readonly errors?: readonly string[];
}

const hostname = 'shop.amy.example.org';
const patience = { timeout: 30_000, interval: 100 };
/** What has a meaning in HTML is hashed in another form than a browser or Node writes it. */
const env = ['DATABASE_PASSWORD=canary<a>&b', 'MODE=plain'];

async function startSetting() {
  let market: RpcProxy | undefined;
  const site = await GatewaySite.start({
    marketThrough: async (address) => {
      market = await RpcProxy.start(address);
      return market.address;
    },
  });
  if (market === undefined) throw new Error('nothing stands before the market');
  const [amy, bob] = [await site.tenant('amy'), await site.tenant('bob')];
  const [shop, bobs, store] = await Promise.all([
    site.leases.run('amy', leaseSdl({ web: { hosts: [hostname], env } })),
    site.leases.run('bob', leaseSdl({ web: { hosts: ['shop.bob.example.org'] } })),
    site.leases.run('amy', leaseSdl({ db: { image: 'postgres:18', data: '1Gi' } })),
  ]);
  return { site, market, amy, bob, shop, bobs, store, client: await site.client(shop) };
}

/** The same, as somebody writes it who sorts nothing. */
function unsorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unsorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, each]) => [key, unsorted(each)]),
  );
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

let setting: Awaited<ReturnType<typeof startSetting>>;

beforeAll(async () => {
  setting = await startSetting();
});

afterAll(async () => {
  await setting?.site.stop();
  await setting?.market.stop();
});

describe('manifests through the gateway', () => {
  const get = async (deployed: Deployed, { token }: SiteTenant): Promise<string> => {
    const { status, text } = await setting.client.ask({ path: pathOf(deployed, '/manifest'), shown: { token: token() } });
    expect(status).toBe(200);
    return text.trimEnd();
  };
  const put = (deployed: Deployed, { token }: SiteTenant, body: string | Uint8Array, query = '') =>
    setting.client.ask({ method: 'PUT', path: `/deployment/${deployed.order.dseq}/manifest${query}`, body, shown: { token: token() } });
  /** As the market has it for the provider. */
  const ofMarket = async ({ order }: Deployed): Promise<string> =>
    (await setting.site.leases.market.provider(provider).client(ProviderMarket).getManifest({ order })).manifest;

  it('are given to their owner with their secrets, and have the hash that the market has', async () => {
    const { site, client, shop, amy, bob } = setting;
    const text = await get(shop, amy);
    expect(text).toContain('canary');
    expect(hashOf(text)).toBe(shop.manifestHash);
    expect(text).toBe(await ofMarket(shop));
    const { object } = await site.leases.market
      .tenant('amy')
      .client(Leases)
      .get({ id: `${shop.id}-1-1-${provider}` });
    expect(object?.status?.delivery?.manifestHash).toBe(shop.manifestHash);
    for (const shown of [{ token: bob.token() }, {}, { certificate: bob.certificate }]) {
      const refused = await client.ask({ path: pathOf(shop, '/manifest'), shown });
      expect([refused.status === 404 || refused.status === 401, refused.text.includes('canary')]).toEqual([true, false]);
    }
  });

  it('are taken in whatever order and form their fields are written', async () => {
    const { shop, amy } = setting;
    const sent = JSON.stringify(unsorted(JSON.parse(await get(shop, amy))), undefined, 2);
    expect(sent).toContain('canary<a>&b');
    expect(hashOf(sent)).not.toBe(shop.manifestHash);
    expect(await put(shop, amy, sent)).toMatchObject({ status: 200, text: '{}\n' });
    expect(hashOf(await get(shop, amy))).toBe(shop.manifestHash);
  });

  it('are refused with all that is wrong with them where they are not those of the deployment', async () => {
    const { shop, amy } = setting;
    const other = (await get(shop, amy)).replace('nginx:1', 'nginx:2');
    const answer = await put(shop, amy, other);
    expect(answer.status).toBe(422);
    expect(bodyOf<Refused>(answer).errors).toEqual([expect.stringContaining(`the market has ${shop.manifestHash}`)]);
    const renamed = await put(shop, amy, JSON.stringify([{ name: 'here', services: [{ name: 'No Name' }] }]));
    expect([renamed.status, bodyOf<Refused>(renamed).errors?.length]).toEqual([422, 1]);
    for (const nothing of ['[]', '{}', 'null', '7']) expect([nothing, (await put(shop, amy, nothing)).status]).toEqual([nothing, 422]);
  });

  it('are refused before they are read where they are no JSON, or too large', async () => {
    const { client, shop, amy } = setting;
    expect((await put(shop, amy, '[{"name":')).status).toBe(400);
    expect((await put(shop, amy, '')).status).toBe(400);
    expect((await put(shop, amy, Uint8Array.from([0x5b, 0xff, 0x5d]))).status).toBe(400);
    expect((await put(shop, amy, `[${' '.repeat(2 ** 20)}]`)).status).toBe(413);
    // Deeper than anybody can follow.
    expect((await put(shop, amy, '['.repeat(200_000) + ']'.repeat(200_000))).status).toBe(400);
    const zipped = { 'content-encoding': 'gzip' };
    const path = `/deployment/${shop.order.dseq}/manifest`;
    expect((await client.ask({ method: 'PUT', path, body: '[]', headers: zipped, shown: { token: amy.token() } })).status).toBe(400);
    await expect.poll(async () => (await setting.site.leases.statusOf(shop))?.state, patience).toBe('Active');
  });

  it('that would lose data are refused until that is confirmed, and are deployed then', async () => {
    const { site, market, store, amy } = setting;
    market.refused = '/GetManifest';
    const updated = await site.leases.update(store, leaseSdl({ keep: { image: 'postgres:18', data: '1Gi' } }), ['db/data']);
    const sent = JSON.stringify(unsorted(JSON.parse(await ofMarket(updated))));
    const loss = [expect.stringContaining('the data of db/data would be lost')];
    const refusal = async () => bodyOf<Refused>(await put(updated, amy, sent)).errors;
    // Until the provider has heard of the update it expects what was before.
    await expect.poll(refusal, patience).toEqual(loss);
    expect((await site.leases.pods(store, 'db')).length).toBe(1);
    expect((await put(updated, amy, sent, '?confirm=db/other')).status).toBe(422);
    expect((await put(updated, amy, sent, '?confirmed=db/data')).status).toBe(400);
    expect((await put(updated, amy, sent, '?confirm=db/data')).status).toBe(200);
    await site.leases.untilRunning(updated);
    expect(hashOf(await get(updated, amy))).toBe(updated.manifestHash);
    market.refused = undefined;
  });
});

describe('hostnames through the gateway', () => {
  /** Of amy, too, and its manifest has the same hostname, which it does not get. */
  let successor: Deployed;

  beforeAll(async () => {
    successor = await setting.site.leases.run('amy', leaseSdl({ web: { hosts: [hostname] } }));
  });

  const migrate = (to: Deployed, token: string, names: readonly unknown[] = [hostname], changed: object = {}) => {
    const { dseq, gseq } = to.order;
    const wanted = { hostnames_to_migrate: names, destination_dseq: String(dseq), destination_gseq: gseq, ...changed };
    return setting.client.ask({ method: 'POST', path: '/hostname/migrate', body: JSON.stringify(wanted), shown: { token } });
  };
  const urisOf = async (deployed: Deployed, { token }: SiteTenant): Promise<readonly string[]> => {
    const answer = await setting.client.ask({ path: pathOf(deployed, '/service/web/status'), shown: { token: token() } });
    return bodyOf<{ uris: readonly string[] }>(answer).uris;
  };
  const holders = async () => {
    const { amy, shop } = setting;
    return [(await urisOf(shop, amy)).includes(hostname), (await urisOf(successor, amy)).includes(hostname)];
  };
  const grantFor = (...leases: readonly Deployed[]): string => {
    const deployments = leases.map(({ order }) => ({ dseq: Number(order.dseq), scope: ['hostname-migrate'] }));
    return setting.amy.token({ leases: { access: 'granular', permissions: [{ provider, access: 'granular', deployments }] } });
  };

  it('stay where they are for whoever may not take them from there', async () => {
    const { amy, bob, bobs, shop } = setting;
    expect(await holders()).toEqual([true, false]);
    // Of the one lease that should get it, of the one that has it, and of none.
    expect((await migrate(successor, grantFor(successor))).status).toBe(403);
    expect((await migrate(successor, grantFor(shop))).status).toBe(403);
    // Neither to a lease of another owner, nor by that.
    expect((await migrate(bobs, amy.token())).status).toBe(404);
    expect((await migrate(successor, bob.token())).status).toBe(404);
    const taken = await migrate(bobs, bob.token());
    expect([taken.status, bodyOf<Refused>(taken).message]).toEqual([422, expect.not.stringContaining('amy-')]);
    expect(await holders()).toEqual([true, false]);
  });

  it('are refused where the request is not as it must be', async () => {
    const { amy } = setting;
    const token = amy.token();
    expect((await migrate(successor, token, [])).status).toBe(400);
    expect((await migrate(successor, token, [7])).status).toBe(400);
    expect((await migrate(successor, token, ['no name'])).status).toBe(400);
    expect((await migrate(successor, token, [hostname], { destination_dseq: '-1' })).status).toBe(400);
    expect((await migrate(successor, token, [hostname], { more: 1 })).status).toBe(400);
    expect((await migrate(successor, token, [hostname], { destination_gseq: 9 })).status).toBe(404);
    // All or none: the second one is no name of the manifest.
    expect((await migrate(successor, token, [hostname, 'other.amy.example.org'])).status).toBe(422);
    expect(await holders()).toEqual([true, false]);
  });

  it('go to another lease of their owner, with a token for both', async () => {
    expect(await migrate(successor, grantFor(setting.shop, successor))).toMatchObject({ status: 200 });
    await expect.poll(holders, patience).toEqual([false, true]);
    // Again, as after an answer that was lost.
    expect((await migrate(successor, setting.amy.token())).status).toBe(200);
  });
});
