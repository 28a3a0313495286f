import { Sessions, type SessionsGetResponse } from '@quartermaster/api/fulfillment-extras';
import { type Access, sessionHandlers } from '@quartermaster/auth';
import { accessShape, openAccess } from '@quartermaster/fulfillment';
import { FakeClock, httpStatus, type Log, StatusError } from '@quartermaster/kernel';
import { openRpcChannel, type RestServer, type RpcServer, serve, startRestServer, startRpcServer } from '@quartermaster/rpc';
import { defineConfig } from '@quartermaster/service';
import { decodeJwt, decodeProtectedHeader, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProviderIssuer } from './provider-issuer.ts';

let issuer: ProviderIssuer;
let stranger: ProviderIssuer;
let clock: FakeClock;
let access: Access;
let rpc: RpcServer;
let rest: RestServer;
const lines: string[] = [];

const note = (message: string, fields?: object): void => void lines.push(JSON.stringify([message, fields], errorsAsText));
const errorsAsText = (_key: string, value: unknown): unknown =>
  value instanceof Error ? `${value.stack} ${JSON.stringify(value)}` : value;
const log: Log = { debug: note, info: note, warn: note, error: note };

beforeAll(async () => {
  const clients = {
    ann: { claims: { username: 'ann', groups: ['blue', 'shared'] } },
    root: { claims: { preferred_username: 'root', groups: ['admins'] } },
    robot: { claims: { groups: ['blue'] } },
    lonely: { claims: { username: 'lonely' } },
    late: { claims: { username: 'late', groups: ['blue'] }, lifetime: 1 },
  };
  issuer = await ProviderIssuer.start(clients);
  stranger = await ProviderIssuer.start(clients);
  clock = new FakeClock(Date.now());
  const settings = defineConfig(accessShape).schema.parse({ 'fulfillment-issuers': [issuer.url] });
  access = await openAccess({ settings, clock, log });
  const options = {
    services: [serve(Sessions, sessionHandlers({ version: '1', table: access.table }))],
    authenticate: access.authenticate,
    log,
  };
  rpc = await startRpcServer(options);
  rest = await startRestServer(options);
});

afterAll(async () => {
  await rpc.stop(1_000);
  await rest.stop(1_000);
  await issuer.stop();
  await stranger.stop();
});

async function session(token?: string, options: { readonly tries?: number } = {}): Promise<SessionsGetResponse> {
  const channel = openRpcChannel({ address: rpc.address, ...options });
  try {
    return await channel.client(Sessions).get({}, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  } finally {
    channel.close();
  }
}

/** What a caller gets to hear, over gRPC and over REST: the same. */
async function refusal(token?: string): Promise<{ readonly code: string; readonly message: string }> {
  const thrown: unknown = await session(token).catch((error: unknown) => error);
  if (!(thrown instanceof StatusError)) throw new Error('the call was not refused');
  const response = await fetch(`${rest.url}/api/quartermaster/v1/session`, {
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
  });
  const body = (await response.json()) as { readonly message?: string };
  expect(body.message).toBe(thrown.message);
  expect(response.status).toBe(httpStatus[thrown.code]);
  return { code: thrown.code, message: thrown.message };
}

/** The same claims, signed by somebody else. */
async function forged(token: string, header: { readonly kid?: string; readonly alg?: string } = {}): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256');
  return await new SignJWT(decodeJwt(token)).setProtectedHeader({ alg: 'ES256', ...header }).sign(privateKey);
}

describe('tokens of a real issuer', () => {
  it('tell who calls', async () => {
    expect(await session(await issuer.token('ann'))).toMatchObject({
      name: 'ann',
      role: 'tenant',
      tenants: ['blue', 'shared'],
      defaultTenants: ['blue'],
      mayReadSecrets: false,
    });
    expect(await session(await issuer.token('root'))).toMatchObject({ name: 'root', role: 'admin', tenants: ['*'], mayReadSecrets: true });
  });

  it('name their user by the subject where they have no other name', async () => {
    expect(await session(await issuer.token('robot'))).toMatchObject({ name: 'robot' });
  });

  it('are verified without asking the issuer again', async () => {
    const token = await issuer.token('ann');
    await session(token);
    const asked = issuer.asked.length;
    for (let i = 0; i < 5; i += 1) await session(token);
    await session(await issuer.token('root'));
    expect(issuer.asked.slice(asked)).toEqual(['/token']);
  });

  it('are refused with the way to a good one', async () => {
    expect(await refusal()).toMatchObject({ code: 'unauthenticated', message: expect.stringContaining('authorization: Bearer <token>') });
    expect(await refusal('nonsense')).toMatchObject({ code: 'unauthenticated' });
    expect(await refusal(await stranger.token('ann'))).toMatchObject({
      code: 'unauthenticated',
      message: expect.stringContaining('not trusted'),
    });
    expect(await refusal(await issuer.token('ann', { isForShop: true }))).toMatchObject({
      code: 'unauthenticated',
      message: expect.stringContaining('audience of the token is wrong: it must be quartermaster'),
    });
  });

  it('are refused when somebody else signed them', async () => {
    const token = await issuer.token('ann');
    const { kid = '' } = decodeProtectedHeader(token);
    expect(await refusal(await forged(token, { kid }))).toMatchObject({
      code: 'unauthenticated',
      message: expect.stringMatching(/signature/),
    });
    expect(await refusal(await forged(token, { kid: 'made-up' }))).toMatchObject({ code: 'unauthenticated' });
    expect(await refusal(new UnsecuredJWT(decodeJwt(token)).encode())).toMatchObject({ code: 'unauthenticated' });
    const shared = await new SignJWT(decodeJwt(token))
      .setProtectedHeader({ alg: 'HS256', kid })
      .sign(new TextEncoder().encode('x'.repeat(32)));
    expect(await refusal(shared)).toMatchObject({
      code: 'unauthenticated',
      message: expect.stringContaining('algorithm that is not accepted'),
    });
  });

  it('without a group belong to nobody', async () => {
    expect(await refusal(await issuer.token('lonely'))).toMatchObject({
      code: 'permission_denied',
      message: expect.stringContaining('belongs to no tenant'),
    });
  });

  it('end', async () => {
    const token = await issuer.token('late');
    expect(await session(token)).toMatchObject({ name: 'late' });
    // The issuer goes by the clock of the machine, of which this one is behind by as long as the tests before took.
    await clock.advance(Math.max(0, Date.now() - clock.now()) + 40_000);
    expect(await refusal(token)).toEqual({ code: 'unauthenticated', message: 'the token has expired: get a new one' });
  });
});

describe('keys of a real issuer', () => {
  it('may change while tokens of the old and the new one are in use', async () => {
    const before = await issuer.token('ann');
    await issuer.rotate();
    const after = await issuer.token('ann');
    expect(decodeProtectedHeader(after).kid).not.toBe(decodeProtectedHeader(before).kid);
    await clock.advance(31_000);
    expect(await session(after)).toMatchObject({ name: 'ann' });
    expect(await session(before)).toMatchObject({ name: 'ann' });
  });

  it('go on working while the issuer is away, and those of a new one are unavailable', async () => {
    const token = await issuer.token('root');
    await issuer.rotate();
    const rotated = await issuer.token('root');
    const back = issuer.away();
    await clock.advance(31_000);
    expect(await session(token)).toMatchObject({ name: 'root' });
    const thrown: unknown = await session(rotated, { tries: 1 }).catch((error: unknown) => error);
    expect(thrown).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`the keys of issuer ${issuer.url} could not be refreshed`),
    });
    back();
    await clock.advance(2_001);
    expect(await session(rotated)).toMatchObject({ name: 'root' });
  });

  it('that were withdrawn open nothing any more', async () => {
    const token = await issuer.token('ann');
    await session(token);
    await issuer.rotate({ keepsOld: false });
    await clock.advance(31_000);
    await session(await issuer.token('root'));
    expect(await refusal(token)).toMatchObject({ code: 'unauthenticated', message: expect.stringContaining('get a new one') });
  });
});

describe('what is written down', () => {
  it('has nothing of a token', async () => {
    const token = await issuer.token('ann');
    await session(token);
    await refusal(await forged(token));
    const text = lines.join('\n');
    expect(lines.length).toBeGreaterThan(10);
    for (const piece of token.split('.').slice(1)) expect(text).not.toContain(piece);
    expect(text).not.toMatch(/eyJ[\w-]{20}/);
  });
});
