import { StatusError } from '@quartermaster/kernel';
import type { Caller } from '@quartermaster/rpc';
import { describe, expect, it } from 'vitest';
import { identifyTenant } from '../who/identify-tenant.ts';
import { authenticateTenants, tenantIn } from './tenant-identity.ts';

const { signal } = new AbortController();
const ownCertificate = { commonName: 'amy', organizations: [], fingerprint: 'AA:BB', endsAt: 2_000 };
const status = '/akash.provider.lease.v1.LeaseRPC/ServiceStatus';

function setting() {
  const asked: string[] = [];
  const of = async (owner: string) => {
    asked.push(owner);
    return [{ kind: 'certificate', pem: '', fingerprint: 'aabb' } as const];
  };
  const identify = identifyTenant({ keys: { of }, hasLease: () => true, clock: { now: () => 1_000 } });
  const ask = async (shown: Partial<Caller>) =>
    await authenticateTenants(identify)(
      { method: status, peer: '192.0.2.7:1', token: undefined, certificate: undefined, ...shown },
      signal,
    );
  return { ask, asked };
}

describe('who calls by gRPC', () => {
  it('is the owner of a certificate that nobody else vouches for', async () => {
    const { ask } = setting();
    expect(tenantIn(await ask({ ownCertificate }))).toMatchObject({ owner: 'amy', proof: 'certificate' });
    await expect(ask({ ownCertificate: { ...ownCertificate, fingerprint: 'CC' } })).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it.each(['Basic abc', 'Bearer a b', 'Bearer'])('is not found out by a header that is malformed: %s', async (authorization) => {
    const { ask, asked } = setting();
    for (const shown of [{ authorization }, { authorization, ownCertificate }])
      await expect(ask(shown)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('authorization') as string,
      });
    expect(asked).toEqual([]);
  });

  it('may not show a token and a certificate at once', async () => {
    const { ask } = setting();
    const shown = { token: 'a.b.c', authorization: 'Bearer a.b.c', ownCertificate };
    await expect(ask(shown)).rejects.toMatchObject({ code: 'invalid_argument', message: expect.stringContaining('at once') as string });
  });

  it.each(['/akash.provider.v1.ProviderRPC/GetStatus', '/grpc.health.v1.Health/Check'])('need not be known for %s', async (method) => {
    const { ask } = setting();
    const identity = await ask({ method, ownCertificate });
    expect(identity.kind).toBe('anonymous');
    expect(() => tenantIn(identity)).toThrow(StatusError);
  });
});
