import { describe, expect, it } from 'vitest';
import { anonymous, checkExposure, trustEveryone } from './authentication.ts';

const signal = new AbortController().signal;
const certificate = { commonName: 'alice', organizations: ['ops'], fingerprint: 'f', endsAt: 1_000 };
const caller = { method: '/a/B', peer: 'p', token: undefined, certificate: undefined };

describe('authentication', () => {
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
