import { describe, expect, it } from 'vitest';
import { anonymous, bearerOf, checkExposure, requireIdentity, trustEveryone } from './authentication.ts';

const signal = new AbortController().signal;
const certificate = { commonName: 'alice', organizations: ['ops'], fingerprint: 'f', endsAt: 1_000 };
const caller = { method: '/a/B', peer: 'p', token: undefined, certificate: undefined };

describe('authentication', () => {
  it.each([
    [undefined, undefined],
    ['Bearer abc', 'abc'],
    ['bearer  abc ', 'abc'],
    ['Basic abc', undefined],
    ['Bearer a b', undefined],
    ['Bearer', undefined],
  ])('the token of %s is %s', (header, token) => {
    expect(bearerOf(header)).toBe(token);
  });

  it('takes a token before a certificate, and nothing else', async () => {
    const identity = { kind: 'token' as const, name: 'sa', groups: [] };
    const reviewToken = async (token: string) => (token === 'good' ? identity : undefined);
    const authenticate = requireIdentity({ reviewToken, allows: () => true });
    expect(await authenticate({ ...caller, token: 'good', certificate }, signal)).toBe(identity);
    expect(await authenticate({ ...caller, certificate }, signal)).toEqual({ kind: 'certificate', name: 'alice', groups: ['ops'] });
    await expect(authenticate({ ...caller, token: 'bad', certificate }, signal)).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(authenticate(caller, signal)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('refuses certificates where they are not enough', async () => {
    const authenticate = requireIdentity({ certificates: false, reviewToken: async () => undefined, allows: () => true });
    await expect(authenticate({ ...caller, certificate }, signal)).rejects.toThrow(/Bearer/);
  });

  it('takes nobody who is known and has no right, also where that takes a while to find out', async () => {
    const asked: unknown[] = [];
    const authenticate = requireIdentity({
      allows: async ({ name }, method) => {
        asked.push([name, method]);
        return await Promise.resolve(false);
      },
    });
    await expect(authenticate({ ...caller, certificate }, signal)).rejects.toMatchObject({
      code: 'permission_denied',
      message: expect.stringContaining('alice may not call /a/B'),
    });
    expect(asked).toEqual([['alice', '/a/B']]);
  });

  it('lets everybody in where that was decided, by name if there is one', async () => {
    expect(await trustEveryone(caller, signal)).toBe(anonymous);
    expect(await trustEveryone({ ...caller, certificate }, signal)).toMatchObject({ name: 'alice' });
  });

  it('names what is missing before others may connect', () => {
    const authenticate = trustEveryone;
    const tls = { serverOptions: () => ({ requestCert: false }) };
    const mutualTls = { serverOptions: () => ({ requestCert: true }) };
    expect(() => checkExposure('0.0.0.0', {})).toThrow(/0\.0\.0\.0 .* TLS and authentication/);
    expect(() => checkExposure('0.0.0.0', { tls })).toThrow(/and authentication is not set up/);
    expect(() => checkExposure('0.0.0.0', { authenticate })).toThrow(/TLS is not set up/);
    expect(() => checkExposure('0.0.0.0', { tls, authenticate })).not.toThrow();
    expect(() => checkExposure('0.0.0.0', { tls: mutualTls })).not.toThrow();
    expect(() => checkExposure('0.0.0.0', { allowInsecure: true })).not.toThrow();
    expect(() => checkExposure('127.0.0.1', {})).not.toThrow();
  });
});
