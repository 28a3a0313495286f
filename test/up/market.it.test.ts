import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sampleSdl } from '../market/sample-sdl.ts';
import { RunningUp } from './running-up.ts';

interface RunFile {
  readonly roles: Readonly<Record<string, { readonly rest: string }>>;
  readonly tenants: readonly { readonly name: string; readonly tokenFile: string }[];
}

const dataDir = mkdtempSync(join(tmpdir(), 'up-market-'));
const up = new RunningUp(['--data-dir', dataDir, '--port', '0']);

beforeAll(async () => {
  await up.ready();
});

afterAll(async () => {
  up.signal('SIGKILL');
  await up.exited();
  rmSync(dataDir, { recursive: true, force: true });
});

it('lets the tenants of the scenario and its provider trade', async () => {
  const { roles, tenants } = JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as RunFile;
  const [tenant] = tenants;
  if (tenant === undefined) throw new Error('the scenario has no tenant');
  const providerToken = join(dataDir, 'fulfillment', 'tokens', 'market-provider');
  const call = async (tokenFile: string, path: string, body: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`, 'content-type': 'application/json' };
    const url = `${roles['service-market']?.rest}/api/market/v1/${path}`;
    return await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  };
  const deployment = await call(tenant.tokenFile, 'deployments', { spec: { sdl: sampleSdl() } });
  expect(deployment).toMatchObject({ id: '1', status: { owner: tenant.name } });
  const order = { owner: tenant.name, dseq: '1', gseq: 1, oseq: 1 };
  const price = { denom: 'uakt', amount: '7' };
  expect(await call(providerToken, 'provider/bids', { order, price })).toMatchObject({ bid: { id: '1-1-1-provider', spec: { price } } });
  expect(await call(tenant.tokenFile, 'bids/1-1-1-provider:accept', {})).toMatchObject({ status: { state: 'LEASE_STATE_ACTIVE' } });
});
