import { OwnerKeys } from '@quartermaster/api/market';
import type { TestMarket } from '@quartermaster/market/testing';
import { selfSignedTls } from '@quartermaster/service';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compressedKey } from './compressed-key.ts';
import { TestMarkets } from './start-market.ts';

const markets = new TestMarkets();
let service: TestMarket;

beforeAll(async () => {
  service = await markets.start();
});

afterAll(() => markets.stop());

const spec = (value: string) => ({ key: { case: 'publicKey', value } }) as const;

async function certificateOf(commonName: string): Promise<string> {
  const tls = await selfSignedTls({ commonName });
  await tls.close();
  return String(tls.serverOptions().cert);
}

it('registers a certificate of the account, and what it says of itself', async () => {
  const keys = service.tenant('acme').client(OwnerKeys);
  const value = await certificateOf('acme');
  const { object } = await keys.create({ object: { spec: { key: { case: 'certificate', value } } } });
  expect(object).toMatchObject({
    metadata: { tenants: ['acme'] },
    status: { owner: 'acme', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  expect(object?.status?.notAfter?.seconds).toBeGreaterThan(object?.status?.notBefore?.seconds ?? 0n);
  await expect(keys.create({ object: { spec: { key: { case: 'certificate', value: await certificateOf('other') } } } })).rejects.toThrow(
    'field "spec.certificate": must have the common name "acme"',
  );
  await keys.delete({ id: object?.id ?? '' });
  expect((await keys.list({})).total).toBe(0);
});

it('has each key of an account once, also when it is only tried', async () => {
  const keys = service.tenant('once').client(OwnerKeys);
  const value = compressedKey();
  await keys.create({ object: { spec: spec(value) } });
  for (const dryRun of [false, true]) {
    await expect(keys.create({ object: { spec: spec(value) }, dryRun })).rejects.toMatchObject({ code: 'already_exists' });
  }
  await service
    .tenant('other')
    .client(OwnerKeys)
    .create({ object: { spec: spec(value) } });
});

it('has at most 50 of an account, however many come at once', async () => {
  const keys = service.tenant('many').client(OwnerKeys);
  const outcomes = await Promise.allSettled(Array.from({ length: 55 }, () => keys.create({ object: { spec: spec(compressedKey()) } })));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
  expect((await keys.list({})).total).toBe(50);
});
