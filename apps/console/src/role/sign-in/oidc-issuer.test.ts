import { FakeClock, silentLog } from '@quartermaster/kernel';
import { expect, it } from 'vitest';
import { OidcIssuer } from './oidc-issuer.ts';

const issuer = 'https://login.example.com';

/** An issuer whose refresh tokens are good once. */
function makeIssuer() {
  const clock = new FakeClock();
  const logged: object[] = [];
  const away = { isAway: false };
  let granted = 0;
  const used = new Set<string>();
  const answer = (status: number, body: object): Response =>
    new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
  const client = new OidcIssuer({
    issuer,
    clientId: 'console',
    clientSecret: undefined,
    scopes: ['openid'],
    parameters: {},
    tokenKind: 'access',
    callbackUrl: 'https://console.example.com/api/session/oidc/callback',
    homeUrl: 'https://console.example.com/',
    fetch: async (url, { body }) => {
      if (away.isAway) throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 10.1.2.3:443') });
      if (!url.endsWith('/token')) return answer(200, { issuer, token_endpoint: `${issuer}/token` });
      const refreshToken = new URLSearchParams(String(body)).get('refresh_token') ?? '';
      if (used.has(refreshToken)) return answer(400, { error: 'invalid_grant' });
      used.add(refreshToken);
      granted += 1;
      return answer(200, { access_token: `a${granted}`, token_type: 'bearer', refresh_token: `r${granted}` });
    },
    clock,
    log: { ...silentLog, warn: (message, fields) => void logged.push({ message, ...fields }) },
  });
  return { client, clock, logged, away };
}

it('uses a refresh token once for all who come with it at the same time or half a minute later', async () => {
  const { client, clock } = makeIssuer();
  const both = await Promise.all([client.renew('r0'), client.renew('r0')]);
  await clock.advance(29_999);
  const late = await client.renew('r0');
  expect([...both, late].map(({ token, refreshToken }) => [token, refreshToken])).toEqual(Array(3).fill(['a1', 'r1']));
  await clock.advance(1);
  await expect(client.renew('r0')).rejects.toMatchObject({ code: 'unauthenticated', message: expect.stringContaining('invalid_grant') });
  expect(await client.renew('r1')).toMatchObject({ token: 'a2' });
});

it('gives nothing of a renewal to the cookie of before once its session is over', async () => {
  const { client } = makeIssuer();
  const { refreshToken } = await client.renew('r0');
  await client.end({ refreshToken });
  await expect(client.renew('r0')).rejects.toThrow('invalid_grant');
});

it('tells the log why it cannot be asked, and whoever signs in that it cannot', async () => {
  const { client, logged, away } = makeIssuer();
  const told: unknown[] = [];
  const fail = (work: Promise<unknown>) => work.catch((thrown: unknown) => told.push((thrown as Error).message));
  away.isAway = true;
  await fail(client.begin({ returnTo: '/', keyHash: 'h' }));
  away.isAway = false;
  await client.renew('r0');
  away.isAway = true;
  await fail(client.renew('r1'));
  expect(told).toEqual(Array(2).fill('the issuer cannot be asked: try again in a moment'));
  expect(logged).toEqual(Array(2).fill({ message: 'the issuer cannot be asked', issuer, error: expect.stringContaining('10.1.2.3') }));
});
