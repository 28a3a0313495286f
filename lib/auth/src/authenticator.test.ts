import { FakeClock, type Log, StatusError, silentLog } from '@quartermaster/kernel';
import type { Caller } from '@quartermaster/rpc';
import { UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { offers, policyOf, table, things } from '../test/sample-service.ts';
import { type AuthenticatorOptions, authenticator, type RefusedWrite, type ReviewToken } from './authenticator.ts';
import { endOf, examinationOf, principalOf } from './principal.ts';
import type { VerifiedToken } from './token-verifier.ts';

const { signal } = new AbortController();

const policy = policyOf({
  'sample-sources': ['certificate:sync-bcm=bcm'],
  'sample-emergency-accounts': ['serviceaccount:quartermaster/break-glass'],
});

const tokens: Readonly<Record<string, VerifiedToken>> = {
  admin: { kind: 'oidc', name: 'root', groups: ['admins'], endsAt: 7_000 },
  tenant: { kind: 'oidc', name: 'ann', groups: ['blue'], endsAt: 7_000 },
  stranger: { kind: 'oidc', name: 'eve', groups: [], endsAt: 7_000 },
};

const accounts: Readonly<Record<string, string>> = {
  glass: 'system:serviceaccount:quartermaster:break-glass',
  pod: 'system:serviceaccount:blue:default',
  person: 'kubernetes-admin',
};

function subject(options: Partial<AuthenticatorOptions> = {}) {
  return authenticator({
    verifier: { verify: async (token) => tokens[token] },
    reviewToken: async (token) => {
      const name = accounts[token];
      return name === undefined ? undefined : { name, groups: [] };
    },
    policy: () => policy,
    table: () => table,
    log: silentLog,
    clock: new FakeClock(),
    ...options,
  });
}

const caller = (method: string, shown: Partial<Caller> = {}): Caller => ({
  method,
  peer: '192.0.2.1:5000',
  token: undefined,
  certificate: undefined,
  ...shown,
});

const certificate = (commonName: string) => ({ commonName, organizations: [], fingerprint: 'f', endsAt: 1e15 });

describe('authenticator', () => {
  it('finds the principal of a token, a service account and a certificate', async () => {
    const authenticate = subject();
    const admin = await authenticate(caller(things.list, { token: 'admin' }), signal);
    expect(admin).toMatchObject({ kind: 'token', vouchedBy: 'issuer', principal: { name: 'root', role: 'admin' } });
    const pod = await authenticate(caller(offers.list, { token: 'pod' }), signal);
    expect(pod).toMatchObject({
      kind: 'token',
      vouchedBy: 'token-review',
      name: accounts['pod'],
      principal: { role: 'tenant', defaultTenants: ['blue'] },
    });
    const sync = await authenticate(caller(things.list, { certificate: certificate('sync-bcm') }), signal);
    expect(sync).toMatchObject({ kind: 'certificate', principal: { role: 'sync', source: 'bcm' } });
    expect(sync.vouchedBy).toBeUndefined();
  });

  it('says who calls before it refuses, and not again when the caller is examined', async () => {
    const seen: string[] = [];
    const known: Caller['known'] = ({ kind, name }) => void seen.push(`${kind} ${name}`);
    const authenticate = subject();
    const refusal = { code: 'permission_denied' };
    await expect(authenticate(caller(things.list, { token: 'stranger', known }), signal)).rejects.toMatchObject(refusal);
    await expect(authenticate(caller(things.list, { certificate: certificate('other'), known }), signal)).rejects.toMatchObject(refusal);
    await expect(authenticate(caller(things.list, { token: 'nobody', known }), signal)).rejects.toMatchObject({ code: 'unauthenticated' });
    const admin = await authenticate(caller(things.list, { token: 'admin', known }), signal);
    await examinationOf(admin)?.(signal);
    expect(seen).toEqual(['token eve', 'certificate other', 'token root']);
  });

  it('says when what was shown ends, where that is known', async () => {
    const reviewToken: ReviewToken = async () => ({ name: accounts['pod'] ?? '', groups: [] });
    const authenticate = subject({ reviewToken });
    const endFor = async (shown: Partial<Caller>) => endOf(await authenticate(caller(offers.list, shown), signal));
    expect(await endFor({ token: 'tenant' })).toBe(7_000);
    expect(await endFor({ token: new UnsecuredJWT({ exp: 12 }).encode() })).toBe(12_000);
    expect(await endFor({ token: 'opaque' })).toBeUndefined();
    const sync = await authenticate(caller(things.list, { certificate: certificate('sync-bcm') }), signal);
    expect(endOf(sync)).toBe(1e15);
  });

  it('refuses a certificate that has ended, although its connection is still open', async () => {
    const clock = new FakeClock();
    const shown = { certificate: { ...certificate('sync-bcm'), endsAt: clock.now() + 1_000 } };
    const authenticate = subject({ clock });
    await authenticate(caller(things.list, shown), signal);
    await clock.advance(1_000);
    await expect(authenticate(caller(things.list, shown), signal)).rejects.toMatchObject({
      code: 'unauthenticated',
      message: expect.stringMatching(/certificate of sync-bcm expired at 2026-01-01T00:00:01.000Z: connect again with a new one/),
    });
  });

  it('refuses a token that was revoked, and no other of its owner', async () => {
    const revoking = policyOf({ 'sample-revoked-tokens': ['lost'] });
    const owner: VerifiedToken = { kind: 'local', name: 'root', groups: [], role: 'admin', endsAt: 7_000 };
    const authenticate = subject({ policy: () => revoking, verifier: { verify: async (tokenId) => ({ ...owner, tokenId }) } });
    await expect(authenticate(caller(things.list, { token: 'lost' }), signal)).rejects.toMatchObject({
      code: 'unauthenticated',
      message: 'the token of root was revoked: get a new one',
    });
    expect(await authenticate(caller(things.list, { token: 'kept' }), signal)).toMatchObject({ name: 'root' });
  });

  it('lets a caller be examined again, by the rules of then', async () => {
    let current = policyOf({ 'sample-providers': ['group:blue'] });
    const identity = await subject({ policy: () => current })(caller(things.list, { token: 'tenant' }), signal);
    const examine = examinationOf(identity);
    expect(principalOf((await examine?.(signal)) ?? identity)).toEqual(principalOf(identity));
    current = policy;
    await expect(examine?.(signal)).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it('takes a token before a certificate, and does not fall back on the certificate', async () => {
    const authenticate = subject();
    const both = { token: 'tenant', certificate: certificate('sync-bcm') };
    await expect(authenticate(caller(things.list, both), signal)).rejects.toMatchObject({ code: 'permission_denied' });
    await expect(authenticate(caller(things.list, { ...both, token: 'nonsense' }), signal)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  it('tells who shows nothing what to show', async () => {
    await expect(subject()(caller(things.list), signal)).rejects.toMatchObject({
      code: 'unauthenticated',
      message: expect.stringMatching(/authorization: Bearer <token>.*trusted issuer or a service account, or show a client certificate/),
    });
  });

  it('never repeats the token', async () => {
    for (const token of ['very-secret', 'stranger', 'tenant']) {
      const failure = await Promise.resolve(subject()(caller(things.list, { token }), signal)).catch((thrown: unknown) => thrown);
      expect(failure).toBeInstanceOf(StatusError);
      if (token === 'very-secret') expect(JSON.stringify([String(failure), failure])).not.toContain(token);
    }
  });

  it('knows no users of Kubernetes but service accounts', async () => {
    await expect(subject()(caller(offers.list, { token: 'person' }), signal)).rejects.toThrow(/not that of a service account/);
  });

  it('answers what is for anyone without looking at what is shown', async () => {
    const identity = await subject()(caller('/public.v1.Metadata/Get', { token: 'expired' }), signal);
    expect(identity).toMatchObject({ kind: 'anonymous' });
    expect(() => principalOf(identity)).toThrow(expect.objectContaining({ code: 'unauthenticated' }));
  });

  it('refuses a method that is not in the table to administrators, too', async () => {
    const call = subject()(caller('/private.v1.Things/Explode', { token: 'admin' }), signal);
    await expect(call).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it('says which role a method takes', async () => {
    await expect(subject()(caller(things.list, { token: 'tenant' }), signal)).rejects.toThrow(
      /ann has the role tenant and may not call \/private.v1.Things\/List: it requires the role admin or provider or sync/,
    );
    await expect(subject()(caller(offers.update, { token: 'tenant' }), signal)).rejects.toThrow(/sample-tenants-write/);
  });

  it('reports refused writes of known callers, and nothing else', async () => {
    const refused: RefusedWrite[] = [];
    const authenticate = subject({ onRefusedWrite: (write) => refused.push(write) });
    const tries = [caller(things.list, { token: 'tenant' }), caller(things.delete), caller(things.delete, { token: 'x' })];
    for (const each of tries) await expect(authenticate(each, signal)).rejects.toBeInstanceOf(StatusError);
    expect(refused).toEqual([]);
    await expect(authenticate(caller(things.delete, { token: 'tenant' }), signal)).rejects.toBeInstanceOf(StatusError);
    expect(refused).toMatchObject([{ principal: { name: 'ann' }, method: things.delete, peer: '192.0.2.1:5000' }]);
  });

  it('follows a change of the roles from the next call on', async () => {
    let current = policy;
    const authenticate = subject({ policy: () => current });
    await expect(authenticate(caller(things.list, { token: 'tenant' }), signal)).rejects.toMatchObject({ code: 'permission_denied' });
    current = policyOf({ 'sample-providers': ['group:blue'] });
    expect(principalOf(await authenticate(caller(things.list, { token: 'tenant' }), signal)).role).toBe('provider');
  });

  it('warns when an emergency account is used, once a minute', async () => {
    const warnings: unknown[] = [];
    const clock = new FakeClock();
    const log: Log = { ...silentLog, warn: (message, fields) => void warnings.push([message, fields]) };
    const authenticate = subject({ clock, log });
    for (let i = 0; i < 3; i += 1) await authenticate(caller(things.list, { token: 'glass' }), signal);
    expect(warnings).toEqual([['emergency account in use', { name: accounts['glass'], method: things.list, peer: '192.0.2.1:5000' }]]);
    await clock.advance(60_000);
    await authenticate(caller(things.list, { token: 'glass' }), signal);
    expect(warnings).toHaveLength(2);
  });

  it('passes on that whose a token is cannot be told now', async () => {
    const away = new StatusError('unavailable', 'the keys of issuer https://issuer.test have not been fetched');
    const authenticate = subject({ verifier: { verify: () => Promise.reject(away) } });
    await expect(authenticate(caller(things.list, { token: 'any' }), signal)).rejects.toBe(away);
  });
});
