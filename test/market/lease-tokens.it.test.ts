import { createPublicKey, ECDH, verify } from 'node:crypto';
import { Audit, SecretKeys } from '@quartermaster/api/fulfillment-extras';
import { Bids, Leases, type OwnerKey, OwnerKeys, ProviderMarket } from '@quartermaster/api/market';
import { FakeClock } from '@quartermaster/kernel';
import type { TestMarket } from '@quartermaster/market/testing';
import { KeyRing } from '@quartermaster/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../fulfillment/canary-mark.ts';
import { compressedKey } from './compressed-key.ts';
import { deploy, TestMarkets, uakt } from './start-market.ts';

const markets = new TestMarkets();
let service: TestMarket;

beforeAll(async () => {
  service = await markets.start();
});

afterAll(() => markets.stop());

const ofTenant = (owner: string) => service.tenant(owner).client(Leases);
const ofProvider = (account = 'p1') => service.provider(account).client(ProviderMarket);
const keysOf = async (owner: string): Promise<readonly OwnerKey[]> => (await ofProvider().listOwnerKeys({ owner })).keys;
const logs = (id: string) => ({ id, scopes: ['logs'] });

/** A lease of p1. */
async function lease(owner: string, at = service) {
  const { order } = await deploy(at, owner);
  await at
    .provider('p1')
    .client(ProviderMarket)
    .createBid({ order, price: uakt('5') });
  const { lease: made } = await at
    .tenant(owner)
    .client(Bids)
    .accept({ id: `${order.dseq}-1-1-p1` });
  return { id: made?.id ?? '', order };
}

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { readonly jti: string };

/** The claims, if the key has signed them. */
function verified(token: string, { spec }: OwnerKey): unknown {
  const [header = '', claims = '', signature = ''] = token.split('.');
  const point = ECDH.convertKey(String(spec?.key.value), 'secp256k1', 'base64', undefined, 'uncompressed') as Buffer;
  const [x = '', y = ''] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const key = createPublicKey({ key: { kty: 'EC', crv: 'secp256k1', x, y }, format: 'jwk' });
  const bytes = Buffer.from(signature, 'base64url');
  expect(bytes).toHaveLength(64);
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'ES256K', typ: 'JWT' });
  const isSigned = verify('sha256', Buffer.from(`${header}.${claims}`), { key, dsaEncoding: 'ieee-p1363' }, bytes);
  return isSigned ? claimsOf(token) : undefined;
}

describe('a token for a lease', () => {
  it('is signed with a key that the provider is told, says what was asked for, and comes with where to show it', async () => {
    const now = Date.parse('2027-01-01T00:00:00Z');
    const own = await markets.start({ clock: new FakeClock(now), replicaOf: service });
    const { id, order } = await lease('signed');
    const createToken = (request: object) =>
      own
        .tenant('signed')
        .client(Leases)
        .createToken({ id, ...request });
    expect((await createToken({ scopes: ['status'] })).gateway).toBeUndefined();
    const gateway = { uri: 'https://p1.example:8443', grpcAddress: '', certificateAuthority: '' };
    await ofProvider().reportDelivery({ order, delivery: { state: 'Active', health: 'healthy', gateway } });
    const answer = await createToken({ scopes: ['shell', 'logs'], services: ['web'], lifetime: { seconds: 60n } });
    expect(answer.gateway).toMatchObject(gateway);
    const [key, ...others] = await keysOf('signed');
    if (key === undefined) throw new Error('the provider is told no key');
    expect([key.metadata?.name, others]).toEqual(['market-tokens', []]);
    const iat = now / 1000;
    expect(answer.expiresAt?.seconds).toBe(BigInt(iat + 60));
    const deployment = { dseq: Number(order.dseq), gseq: 1, oseq: 1, scope: ['shell', 'logs'], services: ['web'] };
    expect(verified(answer.token, key)).toEqual({
      ...{ exp: iat + 60, iat, nbf: iat, iss: 'signed', jti: expect.stringMatching(/^[-0-9a-f]{36}$/), version: 'v1' },
      leases: { access: 'granular', permissions: [{ provider: 'p1', access: 'granular', deployments: [deployment] }] },
    });
    expect(verified(`${answer.token.slice(0, -8)}AAAAAAAA`, key)).toBeUndefined();
  });

  it('comes over REST as well', async () => {
    const { id } = await lease('rest');
    const authorization = `Bearer ${await service.token({ name: 'user', role: 'tenant', groups: ['rest'] })}`;
    const answer = await fetch(`${service.restUrl}/api/market/v1/leases/${id}:token`, {
      ...{ method: 'POST', headers: { authorization, 'content-type': 'application/json' } },
      body: JSON.stringify({ scopes: ['logs'], lifetime: '30s' }),
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{86}$/),
      expires_at: expect.any(String),
    });
  });

  it('is given to the tenant of the lease alone', async () => {
    const { id } = await lease('alone');
    await expect(ofTenant('stranger').createToken(logs(id))).rejects.toMatchObject({ code: 'not_found' });
    for (const channel of [service.admin, service.operator, service.provider('p1')]) {
      await expect(channel.client(Leases).createToken(logs(id))).rejects.toMatchObject({
        code: 'permission_denied',
        message: expect.stringContaining('only the tenant of the lease may'),
      });
    }
    expect(await keysOf('alone')).toEqual([]);
    expect((await ofTenant('alone').createToken(logs(id))).token).not.toBe('');
  });

  it('is given for active leases alone, and for what there is', async () => {
    const { id } = await lease('over');
    await expect(ofTenant('over').createToken({ id, scopes: ['everything'] })).rejects.toThrow('field "scopes": must be among');
    await ofTenant('over').close({ id });
    await expect(ofTenant('over').createToken(logs(id))).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('is closed'),
    });
    expect((await service.tenant('over').client(OwnerKeys).list({})).total).toBe(0);
  });

  it('is in the audit log with what it is for, and without itself', async () => {
    const { id } = await lease('audited');
    const { token } = await ofTenant('audited').createToken({ id, scopes: ['shell'], services: ['web'] });
    await ofTenant('audited').createToken(logs(id));
    await expect(service.operator.client(Leases).createToken(logs(id))).rejects.toMatchObject({ code: 'permission_denied' });
    const { entries } = await service.admin.client(Audit).list({ filter: 'this.method == "/quartermaster.market.v1.Leases/CreateToken"' });
    const told = entries.filter(({ actor, outcome }) => actor === 'user of audited' || outcome === 'permission_denied');
    const signed = told.filter(({ kind }) => kind === 'leases');
    expect(signed.map(({ objectId, outcome }) => [objectId, outcome])).toEqual(Array(2).fill([id, 'updated']));
    const change: unknown = JSON.parse(signed.at(-1)?.changes[0]?.after ?? '{}');
    expect(change).toMatchObject({ id: claimsOf(token).jti, scopes: ['shell'], services: ['web'] });
    expect(told.map(({ kind, outcome }) => [kind, outcome])).toContainEqual(['owner_keys', 'created']);
    expect(told.map(({ outcome }) => outcome)).toContain('permission_denied');
    expect(textOf(entries)).not.toContain(token.split('.')[1]);
  });
});

describe('the key with which the market signs', () => {
  it('is one of an account, however many ask first, through whichever replica', async () => {
    const replica = await markets.start({ replicaOf: service });
    const { id } = await lease('first');
    const clients = Array(6).fill([service, replica]).flat() as readonly TestMarket[];
    const answers = await Promise.all(clients.map((each) => each.tenant('first').client(Leases).createToken(logs(id))));
    const [key, ...others] = await keysOf('first');
    if (key === undefined) throw new Error('the provider is told no key');
    expect(others).toEqual([]);
    for (const { token } of answers) expect(verified(token, key)).toBeDefined();
  });

  it('is replaced once the account has deleted it, and with it all tokens lose their right', async () => {
    const { id } = await lease('revoked');
    const { token } = await ofTenant('revoked').createToken(logs(id));
    const [before] = await keysOf('revoked');
    const secrets = () =>
      service.market.database.query({ text: 'select path from secrets where object_id = any($1::text[])' }, [[before?.id ?? '']]);
    expect(await secrets()).toHaveLength(1);
    await service
      .tenant('revoked')
      .client(OwnerKeys)
      .delete({ id: before?.id ?? '' });
    expect([await keysOf('revoked'), await secrets()]).toEqual([[], []]);
    const { token: later } = await ofTenant('revoked').createToken(logs(id));
    const [after] = await keysOf('revoked');
    if (after === undefined) throw new Error('there is no new key');
    expect([after.id === before?.id, verified(token, after)]).toEqual([false, undefined]);
    expect(verified(later, after)).toBeDefined();
  });

  it('is none that the account has made itself under the same name', async () => {
    const { id } = await lease('named');
    const value = compressedKey();
    const own = { metadata: { name: 'market-tokens' }, spec: { key: { case: 'publicKey', value } } } as const;
    await service.tenant('named').client(OwnerKeys).create({ object: own });
    const { token } = await ofTenant('named').createToken(logs(id));
    expect((await keysOf('named')).map((key) => [key.spec?.key.value === value, verified(token, key) !== undefined])).toEqual(
      expect.arrayContaining([
        [true, false],
        [false, true],
      ]),
    );
  });

  it('counts among the keys that an account may have', async () => {
    const { id } = await lease('full');
    const keys = service.tenant('full').client(OwnerKeys);
    const made = Array.from({ length: 50 }, () =>
      keys.create({ object: { spec: { key: { case: 'publicKey', value: compressedKey() } } } }),
    );
    const [first] = await Promise.all(made);
    await expect(ofTenant('full').createToken(logs(id))).rejects.toMatchObject({
      code: 'resource_exhausted',
      message: expect.stringContaining('counting the key with which the market signs'),
    });
    await keys.delete({ id: first?.object?.id ?? '' });
    expect((await ofTenant('full').createToken(logs(id))).token).not.toBe('');
    expect(await keysOf('full')).toHaveLength(50);
  });

  it('is sealed anew with everything else when the ring of the market gets another key', async () => {
    const own = await markets.start();
    const ring = KeyRing.generate();
    const { id } = await lease('rotated', own);
    const tokenBy = async (market: TestMarket) => (await market.tenant('rotated').client(Leases).createToken(logs(id))).token;
    await tokenBy(own);
    const rotating = await markets.start({ replicaOf: { ...own, keys: ring + own.keys } });
    for await (const _ of rotating.admin.client(SecretKeys).reencrypt({}));
    const rotated = await markets.start({ replicaOf: { ...own, keys: ring } });
    const [key] = (await own.provider('p1').client(ProviderMarket).listOwnerKeys({ owner: 'rotated' })).keys;
    if (key === undefined) throw new Error('the provider is told no key');
    expect(verified(await tokenBy(rotated), key)).toBeDefined();
  });
});

describe('a provider', () => {
  it('is told which account it speaks for', async () => {
    expect((await ofProvider('p7').getAccount({})).account).toBe('p7');
  });

  it('is refused a gateway that tenants could not trust', async () => {
    const { order } = await lease('wary');
    const report = (uri: string) =>
      ofProvider().reportDelivery({ order, delivery: { state: 'Active', health: 'healthy', gateway: { uri } } });
    await expect(report('http://p1.example:8443')).rejects.toThrow('field "delivery.gateway.uri"');
    expect((await report('https://p1.example:8443')).lease?.status?.delivery?.gateway?.uri).toBe('https://p1.example:8443');
    // Moved, and nothing else: the tenant has to hear of it.
    expect((await report('https://p2.example:8443')).lease?.status?.delivery?.gateway?.uri).toBe('https://p2.example:8443');
  });
});
