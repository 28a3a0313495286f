import { createPrivateKey } from 'node:crypto';
import { Audit } from '@quartermaster/api/fulfillment-extras';
import { Bids, Deployments, Events, Leases, Orders, OwnerKeys, ProviderMarket, Sdl } from '@quartermaster/api/market';
import type { TestMarket } from '@quartermaster/market/testing';
import type { RpcChannel } from '@quartermaster/rpc';
import { createLogger } from '@quartermaster/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodedBytes, expectNone, mark, textOf } from '../fulfillment/canary-mark.ts';
import { collectAnswers } from '../fulfillment/collect-answers.ts';
import { sampleSdl } from './sample-sdl.ts';
import { TestMarkets, uakt } from './start-market.ts';

const logged: string[] = [];
/** What the market says: to tenants without being asked to reveal, to those who look after it, to providers. */
const said: string[] = [];
/** A token, and the key that signed it. */
const secrets: string[] = [];
const markets = new TestMarkets();
let service: TestMarket;

beforeAll(async () => {
  const log = createLogger({ level: 'debug', destination: { write: (line) => logged.push(line) } });
  service = await markets.start({ log });
});

afterAll(() => markets.stop());

const credentials = (password: string): string =>
  `image: nginx\n    credentials: { host: a.example, email: a@a.example, username: robot, password: ${password} }`;
const secretSdl = (secret: string): string =>
  sampleSdl().replace('image: nginx', `${credentials(secret)}\n    env: ["PASSWORD=${secret}"]\n    args: [--password, ${secret}]`);
/** Texts that YAML takes for something else than a password. */
const faulty = ['2026-01-01 ', '*', '!x! ', '!', '|', '"a" '].map((before) =>
  sampleSdl().replace('image: nginx', `image: nginx\n    credentials:\n      password: ${before}${mark}`),
);

function expectNoSecret(place: string, text: string): void {
  expect(secrets.length).toBeGreaterThan(2);
  const found = secrets.flatMap((secret, form) => (text.includes(secret) ? [form] : []));
  expect({ place, found }).toEqual({ place, found: [] });
}

async function tell(call: Promise<unknown>): Promise<void> {
  said.push(textOf(await call.catch((thrown: unknown) => thrown)));
}

/** What of the key with which the market signs tokens lies at nobody else: as it is, in hexadecimal, base64 and base64url. */
async function privateHalf(): Promise<readonly string[]> {
  const { database, kinds } = service.market;
  const [row] = await database.query<{ readonly id: string }>({ text: `select object_id as id from secrets where kind = 'owner_keys'` });
  const key = Buffer.from((await kinds.owner_keys.store.secretsOf(database, row?.id ?? '')).get('private_key') ?? '');
  const secret = createPrivateKey({ key, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' }).d ?? '';
  const bytes = Buffer.from(secret, 'base64url');
  // Where it stands within other bytes, base64 has its middle at one of three places.
  const within = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(4, 40),
  );
  return [
    bytes.toString('hex'),
    bytes.toString('latin1'),
    ...within,
    ...within.map((each) => each.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

describe('secrets of an SDL and of the market', () => {
  it('are told to nobody who does not ask to reveal them', async () => {
    const tenant = service.tenant('acme');
    const client = tenant.client(Deployments);
    const ending = new AbortController();
    const watches = [tenant, service.operator].map((channel: RpcChannel) =>
      collectAnswers(channel.client(Events).watch({ bookmarks: true }, { signal: ending.signal }), (text) => said.push(text)),
    );
    await Promise.all(watches.map(({ begun }) => begun));
    const { object } = await client.create({ object: { spec: { sdl: secretSdl(`${mark}-1`) } } });
    const { id = '' } = object ?? {};
    expect((await client.get({ id, reveal: true })).object?.spec?.sdl).toContain(mark);
    await tell(client.create({ object: { spec: { sdl: secretSdl(`${mark}-2`) } }, dryRun: true }));
    await tell(client.update({ object: { id, spec: { sdl: secretSdl(`${mark}-3`) } }, updateMask: { paths: ['spec.sdl'] } }));
    for (const sdl of faulty) {
      const refused = await client.create({ object: { spec: { sdl } } }).catch((thrown: unknown) => thrown);
      expect(refused).toMatchObject({ code: 'invalid_argument' });
      said.push(textOf(refused));
      await tell(client.update({ object: { id, spec: { sdl } } }));
      await tell(tenant.client(Sdl).check({ sdl }));
    }
    const order = { owner: 'acme', dseq: object?.status?.dseq ?? 0n, gseq: 1, oseq: 1 };
    const provider = service.provider('p1').client(ProviderMarket);
    await provider.createBid({ order, price: uakt('5') });
    await tenant.client(Bids).accept({ id: `${id}-1-1-p1` });
    // Whoever is to run it has to know it, and nobody else does.
    expect((await provider.getManifest({ order })).manifest).toContain(mark);
    await tell(service.provider('p2').client(ProviderMarket).getManifest({ order }));
    await tell(provider.reportDelivery({ order, delivery: { state: 'Active', health: 'healthy' } }));
    for (const sdl of [secretSdl(`${mark}-5`), secretSdl('other'), ...faulty]) await tell(client.preview({ id, sdl }));
    for (const call of [provider.listOrders({}), provider.lookUp({ orders: [order] }), provider.listLeases({})]) await tell(call);
    for (const channel of [tenant, service.operator, service.admin]) {
      for (const call of [channel.client(Deployments).list({}), channel.client(Deployments).get({ id }), channel.client(Orders).list({})])
        await tell(call);
    }
    const { token } = await tenant.client(Leases).createToken({ id: `${id}-1-1-p1`, scopes: ['shell'] });
    secrets.push(...token.split('.').slice(1), ...(await privateHalf()));
    for (const channel of [tenant, service.operator, service.admin]) await tell(channel.client(OwnerKeys).list({}));
    await tell(provider.listOwnerKeys({ owner: 'acme' }));
    await tell(client.close({ id, reason: 'the last of it' }));
    await Promise.all(watches.map(({ until }) => until('the last of it')));
    ending.abort();
    await tell(service.admin.client(Audit).list({}));
    expect(said.length).toBeGreaterThan(30);
    expectNone('an answer or an event', said.join('\n'));
    expectNoSecret('an answer or an event', said.join('\n'));
    // Of keys there is something to be found.
    expect(said.join('\n')).toContain('market-tokens');
  });

  it('are in no table in plain text, while they are kept and in the archive', async () => {
    await markets.start({ replicaOf: service, retention: { historyMs: 0 } });
    const { database } = service.market;
    const rowsOf = async (table: string): Promise<readonly string[]> =>
      (await database.query<{ readonly row: string }>({ text: `select t::text as row from ${table} as t` })).map(({ row }) => row);
    const expectNoneStored = async (): Promise<void> => {
      const tables = await database.query<{ readonly name: string }>({
        text: `select tablename as name from pg_tables where schemaname = 'public'`,
      });
      expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['archive', 'audit', 'changes', 'deployments', 'secrets']));
      for (const { name } of tables) {
        const rows = await rowsOf(name);
        expectNone(`table ${name}`, rows.join('\n'));
        expectNone(`bytes of table ${name}`, rows.map(decodedBytes).join('\n'));
        expectNoSecret(`table ${name}`, rows.join('\n'));
        expectNoSecret(`bytes of table ${name}`, rows.map(decodedBytes).join('\n'));
      }
    };
    await expect.poll(async () => (await rowsOf('deployments')).length).toBe(0);
    // That of the key is left, which is not of a deployment.
    expect(await rowsOf('secrets')).toHaveLength(1);
    await expectNoneStored();
    await service
      .tenant('acme')
      .client(Deployments)
      .create({ object: { spec: { sdl: secretSdl(`${mark}-4`) } } });
    expect(await rowsOf('secrets')).toHaveLength(2);
    await expectNoneStored();
  });

  it('are in no line of the log', () => {
    expect(logged.some((line) => line.includes('"level":"debug"') && line.includes('Deployments/Create'))).toBe(true);
    expectNone('the log', logged.join('\n'));
    expectNoSecret('the log', logged.join('\n'));
  });
});
